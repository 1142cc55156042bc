// SPDX-License-Identifier: Apache-2.0

/// A pseudonym that people read, say and type: as schema's app draws its `user_id`.
package enum Pseudonym {
    /// No letter or digit that is easily taken for another.
    private static let alphabet = Array("23456789ABDEGJKMNPQRVWXYZ")

    /// Eight characters, each drawn evenly.
    package static func draw(using generator: inout some RandomNumberGenerator) -> ParticipantID {
        ParticipantID(String((0..<8).map { _ in alphabet[Int(generator.next(upperBound: UInt64(alphabet.count)))] }))
    }
}
