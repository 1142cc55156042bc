// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Why lines of a GPIO chip could not be had: chip, lines, cause, who has them, and the remedy.
package struct GPIOError: ExplainedError, Sendable, Hashable {
    package struct Holder: Sendable, Hashable, CustomStringConvertible {
        let line: UInt32
        /// What its user calls itself: a driver such as `leds-gpio`, or a program such as `gpioset`.
        let consumer: String

        package var description: String { "line \(line) is used by \(consumer)" }
    }

    /// The chip's device file, or the name under which it was looked for.
    let chip: String
    /// The lines by their offsets; empty when the chip itself was the trouble.
    package let lines: [UInt32]
    let cause: SystemError
    /// Who has the lines, where that is the trouble (EBUSY).
    package var holders: [Holder] = []
    /// The chips that there are, where one was not found.
    package var present: [String] = []

    /// Names the chip, its lines, the kernel's words, who has them, and the tool that tells more.
    package var explanation: Explanation {
        let own = cause.explanation
        guard lines.isEmpty else {
            let who = holders.isEmpty ? "" : " (\(holders.map(\.description).joined(separator: ", ")))"
            return explained(
                "GPIO chip \(chip), lines \(lines)", own.remedy, who + ". `gpioinfo` shows who uses a line")
        }
        let there = present.isEmpty ? nil : "there are \(present.joined(separator: ", "))"
        return explained("GPIO chip \(chip)", Explanation.remedies(own.remedy, there), ". `gpiodetect` lists the chips")
    }

    /// `end` follows the remedy, or the cause where there is none.
    private func explained(_ place: String, _ remedy: String?, _ end: String) -> Explanation {
        let finding = cause.explanation.finding
        return Explanation(
            place: place, cause: remedy == nil ? finding + end : finding, remedy: remedy.map { $0 + end })
    }
}
