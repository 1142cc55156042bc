// SPDX-License-Identifier: Apache-2.0

/// Why lines of a GPIO chip could not be had: chip, lines, cause and remedy.
public struct GPIOError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The chip's device file.
    public let chip: String
    /// The lines by their offsets; empty when the chip itself was the trouble.
    public let lines: [UInt32]
    /// What the kernel said.
    public let cause: SystemError

    /// A failure of these lines.
    public init(chip: String, lines: [UInt32], cause: SystemError) {
        self.chip = chip
        self.lines = lines
        self.cause = cause
    }

    /// Names the chip, its lines, the kernel's words, and the tool that tells more.
    public var description: String {
        lines.isEmpty
            ? "GPIO chip \(chip): \(cause). `gpiodetect` lists the chips; the user needs the group gpio"
            : "GPIO chip \(chip), lines \(lines): \(cause). `gpioinfo` shows who uses a line"
    }
}
