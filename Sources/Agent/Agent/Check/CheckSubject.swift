// SPDX-License-Identifier: Apache-2.0
import Base

/// What `studyd check` tests; the raw value is the `part` of its output.
package enum CheckPart: String, Sendable, CaseIterable {
    case agent, measure, bus, chip, button, light, buzzer, vibration, loudspeaker, microphone, position, clock, disk,
        boot, server
}

/// One thing that is tested: `chip LIS3DH 0x18`.
package struct CheckSubject: Sendable, Hashable {
    package let part: CheckPart
    /// Which of them: the name in the board file, or what tells it apart.
    package let name: String

    package init(_ part: CheckPart, _ name: String) { (self.part, self.name) = (part, name) }

    /// The bus is named where another bus has the same chip at the same address.
    init(_ chip: BoardDescription.Chip, of board: BoardDescription) {
        let hasTwin = board.chips.contains {
            $0.bus != chip.bus && $0.address == chip.address && $0.type.lowercased() == chip.type.lowercased()
        }
        self.init(.chip, "\(chip.type) \(hexadecimal(chip.address))" + (hasTwin ? " on \(chip.bus)" : ""))
    }
}
