// SPDX-License-Identifier: Apache-2.0
import CGPIO
import CLinux
import SystemKit

/// How a board file names one line of a GPIO chip.
///
///     /dev/gpiochip0:17       chip by its device file, line by its offset
///     gpio:pinctrl-bcm2711:17 chip by its label, line by its offset
///     line:GPIO17             by the line's own name (`gpioinfo`), on whichever chip has it
///
/// `:active-low` at the end inverts the line: on is 0 V.
package struct GPIOLineName: Sendable, Hashable, CustomStringConvertible {
    package enum Place: Sendable, Hashable, CustomStringConvertible {
        case offset(UInt32, chip: GPIOChipName)
        /// The name that the device tree gave it.
        case named(String)

        package var description: String {
            switch self {
            case .offset(let offset, let chip): "\(chip):\(offset)"
            case .named(let name): "line:\(name)"
            }
        }
    }

    package let place: Place
    /// On is 0 V.
    package let isActiveLow: Bool

    package init(parsing text: String) throws(DeviceNameError) {
        isActiveLow = text.hasSuffix(Self.activeLow)
        let body = isActiveLow ? String(text.dropLast(Self.activeLow.count)) : text
        if let name = body.suffix(after: "line:"), !name.isEmpty {
            place = .named(name)
            return
        }
        guard let colon = body.lastIndex(of: ":"), let offset = UInt32(body[body.index(after: colon)...]) else {
            throw DeviceNameError(name: text, expected: Self.expected)
        }
        place = .offset(offset, chip: try GPIOChipName(parsing: String(body[..<colon])))
    }

    package var description: String { isActiveLow ? "\(place)\(Self.activeLow)" : "\(place)" }

    /// The chip's device file and the line's offset on it, looked up now.
    package func resolve() throws(GPIOError) -> (chip: String, line: UInt32) {
        switch place {
        case .offset(let offset, let chip): return (try chip.path(), offset)
        case .named(let name): return try Self.find(name)
        }
    }

    /// Takes the line as an output, which is off.
    package func output() throws(GPIOError) -> GPIOOutput {
        let (chip, line) = try resolve()
        return try GPIOOutput(chip: chip, line: line, isActiveLow: isActiveLow)
    }

    private static func find(_ name: String) throws(GPIOError) -> (chip: String, line: UInt32) {
        for chip in GPIOChipName.present() {
            let offset = cgpio_line_offset(chip.path, name)
            if offset >= 0 { return (chip.path, UInt32(offset)) }
        }
        throw GPIOChipName.absent("line:\(name)", place: "a line named \(name)")
    }

    private static let activeLow = ":active-low"
    private static let expected =
        "a line such as /dev/gpiochip0:17, gpio:LABEL:17 or line:NAME, each with :active-low at its end where on is 0 V"
}
