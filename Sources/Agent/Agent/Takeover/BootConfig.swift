// SPDX-License-Identifier: Apache-2.0

/// `config.txt` of a Raspberry Pi, as far as a bus is switched on there. For the remedy where one is
/// missing: sections and a later `=off` are not looked at.
struct BootConfig: Sendable, Hashable {
    enum Setting: Sendable, Hashable {
        case on
        /// It is there, but commented out: the number of the line, from 1.
        case commented(Int)
        case absent
    }

    private let lines: [Substring]

    init(_ text: String) { lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }

    /// What the file says of a parameter of the device tree that is switched on or off: `i2c_arm`.
    func parameter(_ name: String) -> Setting {
        var commented: Int?
        for (index, line) in lines.enumerated() {
            let text = line.filter { !$0.isWhitespace }
            if Self.turnsOn(text[...], name) { return .on }
            if text.hasPrefix("#"), Self.turnsOn(text.drop { $0 == "#" }, name) { commented = commented ?? index + 1 }
        }
        return commented.map(Setting.commented) ?? .absent
    }

    /// `dtparam=i2c_arm=on,i2c_arm_baudrate=400000`: a parameter without a value is on, too.
    private static func turnsOn(_ line: Substring, _ name: String) -> Bool {
        guard line.hasPrefix("dtparam=") else { return false }
        let names = name == "i2c_arm" ? [name, "i2c"] : [name]
        return line.dropFirst(8).split(separator: ",").contains { setting in
            let parts = setting.split(separator: "=", maxSplits: 1)
            guard let first = parts.first, names.contains(String(first)) else { return false }
            return parts.count == 1 || ["on", "true", "yes", "1"].contains(parts[1])
        }
    }
}
