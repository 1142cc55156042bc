// SPDX-License-Identifier: Apache-2.0
import CGPIO
import CLinux
import SystemKit

/// How a board file names a GPIO chip: `/dev/gpiochip0`, `gpiochip0`, or `gpio:LABEL` with the
/// label that `gpiodetect` prints in brackets, which stays the same when the chips are numbered
/// differently (Raspberry Pi 4 to 5, a kernel update).
package struct GPIOChipName: Sendable, Hashable, CustomStringConvertible {
    /// The two ways to name one.
    package enum Place: Sendable, Hashable {
        /// Its device file.
        case path(String)
        case label(String)
    }

    /// What the name stands for.
    package let place: Place

    /// Throws when the text names no GPIO chip. Nothing is opened.
    package init(parsing text: String) throws(DeviceNameError) {
        if let label = text.suffix(after: "gpio:"), !label.isEmpty {
            place = .label(label)
        } else if text.hasPrefix("/dev/"), text.count > 5 {
            place = .path(text)
        } else if text.suffix(after: "gpiochip").map({ UInt32($0) != nil }) == true {
            place = .path("/dev/\(text)")
        } else {
            throw DeviceNameError(name: text, expected: "/dev/gpiochipN or gpio:LABEL (as `gpiodetect` prints them)")
        }
    }

    /// The name as it is written in a board file.
    package var description: String {
        switch place {
        case .path(let path): path
        case .label(let label): "gpio:\(label)"
        }
    }

    /// The chip's device file; a label is looked for among the chips of `/dev`.
    package func path() throws(GPIOError) -> String {
        switch place {
        case .path(let path): return path
        case .label(let label):
            let chips = Self.present()
            if let chip = chips.first(where: { $0.label == label }) { return chip.path }
            throw GPIOError(
                chip: description, lines: [], cause: SystemError(code: ENODEV, operation: "find", place: description),
                present: chips.map { "\($0.path) [\($0.label)]" })
        }
    }

    /// The chips of this machine in the order of their numbers; a chip that may not be opened
    /// has an empty label.
    static func present() -> [(path: String, label: String)] {
        (0..<mostChips).compactMap { number in
            let path = "/dev/gpiochip\(number)"
            guard access(path, F_OK) == 0 else { return nil }
            return (path, text { cgpio_chip_label(path, $0, $1) } ?? "")
        }
    }

    /// What a C function leaves in a buffer for a name of the kernel's GPIO interface;
    /// nil when it fails.
    static func text(_ fill: (UnsafeMutablePointer<CChar>, Int) -> CInt) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(CGPIO_NAME_SIZE))
        guard buffer.withUnsafeMutableBufferPointer({ $0.baseAddress.map { fill($0, Int(CGPIO_NAME_SIZE)) } }) == 0
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// More than any board has: a Raspberry Pi 5 has 14.
    private static let mostChips = 64
}

extension String {
    /// What follows `prefix`; nil when the text does not begin with it.
    func suffix(after prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
