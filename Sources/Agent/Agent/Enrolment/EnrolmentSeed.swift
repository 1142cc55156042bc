// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// The 32 bytes from which every draw of an enrolment follows: `Enroller` asks for them, and `studyd plan --seed`.
package enum EnrolmentSeed {
    /// The seed that `--seed N` names; the same on every device.
    package static func numbered(_ number: UInt64) throws -> [UInt8] {
        try Digest(ofText: "studyd seed \(number)").bytes
    }

    package static func fresh() -> [UInt8] { SecureRandom.bytes(32) }
}

extension Chance {
    /// The draws that follow from an enrolment's seed, with libcrypto's SHA-256.
    package init(enrolmentSeed seed: [UInt8]) {
        self.init(seed: seed, digest: Digest.sha256)
    }
}

extension Enrolment {
    /// An enrolment of `study` at a moment; the arm is drawn from the seed unless given.
    package init(
        in study: StudyProtocol, participant: ParticipantID, seed: [UInt8], at instant: Instant, zone: Zone,
        condition: String?
    ) throws {
        let id = try Digest(of: seed + Array("\(study.studyID) \(instant.nanoseconds)".utf8)).description.prefix(12)
        self.init(
            id: String(id), studyID: study.studyID, participant: participant, condition: condition, instant: instant,
            local: zone.local(instant), zone: zone, seed: seed)
    }
}
