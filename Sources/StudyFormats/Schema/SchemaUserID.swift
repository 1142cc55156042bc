// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// schema's `user_id`: made once per device, before any enrolment, and kept over withdrawal and later studies.
public enum SchemaUserID {
    /// No letter or digit that is easily taken for another.
    public static let alphabet = Array("23456789ABDEGJKMNPQRVWXYZ")

    /// Eight characters, each drawn evenly.
    public static func draw(using generator: inout some RandomNumberGenerator) -> ParticipantID {
        ParticipantID(String((0..<8).map { _ in alphabet[Int(generator.next(upperBound: UInt64(alphabet.count)))] }))
    }
}
