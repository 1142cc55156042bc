// SPDX-License-Identifier: Apache-2.0
import Base

/// A pseudonym that people read, say and type, drawn at an enrolment as schema's app draws its `user_id`.
package enum Pseudonym {
    /// No letter or digit that is easily taken for another.
    private static let alphabet = Array("23456789ABDEGJKMNPQRVWXYZ")

    /// Eight characters, each drawn evenly.
    package static func draw(using generator: inout some RandomNumberGenerator) -> ParticipantID {
        ParticipantID(String((0..<8).map { _ in alphabet[Int(generator.next(upperBound: UInt64(alphabet.count)))] }))
    }

    /// Whether a name that was given reaches the lab as it is: header fields and reports carry one line, and the lab's
    /// receiver refuses longer ones for good.
    package static func isSendable(_ name: String) -> Bool { !name.isEmpty && name == name.oneLine(200) }

    package static let remedy = "use 1 to 200 characters, without line breaks, tabs, or spaces at the ends"
}
