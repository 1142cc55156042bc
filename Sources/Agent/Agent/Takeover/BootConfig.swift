// SPDX-License-Identifier: Apache-2.0

/// `config.txt` of a Raspberry Pi, as far as a bus is switched on there. `TakeoverPlan` looks up the line to name in
/// the remedy where a bus of the board is missing; the file's `[sections]` are not looked at.
struct BootConfig: Sendable, Hashable {
    enum Setting: Sendable, Hashable {
        case on
        /// The number of the line that switches it off, from 1.
        case off(Int)
        /// It is there, but commented out: the number of the line, from 1.
        case commented(Int)
        case absent
    }

    private let lines: [Substring]

    init(_ text: String) { lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }

    /// What the file says of a parameter of the device tree that is switched on or off: `i2c_arm`.
    /// The last line that names it decides.
    func parameter(_ name: String) -> Setting {
        var (said, commented) = (Setting?.none, Setting?.none)
        for (index, line) in lines.enumerated() {
            let text = line.filter { !$0.isWhitespace }
            if let isOn = Self.value(text[...], name) { said = isOn ? .on : .off(index + 1) }
            if text.hasPrefix("#"), Self.value(text.drop { $0 == "#" }, name) == true {
                commented = commented ?? .commented(index + 1)
            }
        }
        return said ?? commented ?? .absent
    }

    /// `dtparam=i2c_arm=on,i2c_arm_baudrate=400000`: a parameter without a value is on, too. Nil where the
    /// line does not name it.
    private static func value(_ line: Substring, _ name: String) -> Bool? {
        guard line.hasPrefix("dtparam=") else { return nil }
        let names = name == "i2c_arm" ? [name, "i2c"] : [name]
        let setting = line.dropFirst(8).split(separator: ",").last { setting in
            setting.split(separator: "=").first.map { names.contains(String($0)) } ?? false
        }
        guard let parts = setting?.split(separator: "=", maxSplits: 1) else { return nil }
        return parts.count == 1 || ["on", "true", "yes", "1"].contains(parts[1])
    }
}
