// SPDX-License-Identifier: Apache-2.0
import Base

/// The enrolment of a participant in a study, with where the study came from: a row `StudyEvent.enrolled`, made
/// by `Enroller`.
package struct EnrolmentRecord: LoggedRecord {
    /// Unique on the device; what every stamp's `enrolment` refers to.
    package var id: String
    /// The study's own identifier, sent with every record.
    package var studyID: String
    /// The pseudonym as the platform writes it.
    package var participant: String
    /// The arm drawn; nil where the study has none.
    package var condition: String?
    /// Wall clock of the enrolment.
    package var instant: Instant
    /// What the participant's wall clock showed then; the plan counts days from it.
    package var local: LocalDateTime
    /// The zone of that wall clock, by its name in the tz database; nil = the offset that
    /// `local` has, for good.
    package var zone: String?
    /// The seed of what is drawn by chance in the enrolment (`Chance`): 32 bytes in hexadecimal.
    package var seed: String
    /// The raw value of the study's platform.
    package var platform: String
    /// Path or URL as given to `enroll`.
    package var source: String
    /// SHA-256 of the study's file as it was received, in hexadecimal; its bytes are kept under it.
    package var fileDigest: String
    /// Where records go instead of the study's own address; nil = the study's.
    package var postURL: String?
    /// SHA-256 of the rules given with it, in hexadecimal; their bytes are kept under it. nil = there are none.
    package var rules: String?
    /// The moment of the enrolment by the clock of its boot, where the wall clock was not trusted: `dated`
    /// corrects `instant` and `local` by it. nil = the date is certain.
    package var undated: BootTime?
    /// Keys of tasks that the assistant left out, since this board cannot ask them; nil = none.
    package var without: [String]?
    /// How long the participant holds buttons; nil = as usual.
    package var holdTimes: HoldTimes?
    /// The public half of the key that the device signs with, 64 hexadecimal digits; nil = it signs
    /// nothing.
    package var deviceKey: String?

    /// A moment that only the clock of one boot tells.
    package struct BootTime: LoggedRecord {
        /// The kernel's id of the boot.
        package let bootID: String
        /// CLOCK_MONOTONIC of it.
        package let monotonic: MonotonicTime

        package init(bootID: String, monotonic: MonotonicTime) { (self.bootID, self.monotonic) = (bootID, monotonic) }
    }

    /// The same enrolment, now that its date is certain.
    package func dated(_ instant: Instant, _ local: LocalDateTime) -> EnrolmentRecord {
        var record = self
        (record.instant, record.local, record.undated) = (instant, local, nil)
        return record
    }

    /// The `what` of the `StudyEvent.drawn` that draws the arm.
    package static let arm = "condition"

    /// Sets the arm that was drawn; empty = none.
    package mutating func setArm(_ arm: String) { condition = arm.isEmpty ? nil : arm }

    package init(
        _ enrolment: Enrolment, platform: PlatformName, source: String, fileDigest: Digest, postURL: String? = nil
    ) {
        id = enrolment.id
        studyID = enrolment.studyID
        participant = enrolment.participant.text
        condition = enrolment.condition
        instant = enrolment.instant
        local = enrolment.local
        zone = enrolment.zone.identifier
        seed = enrolment.seed.hexadecimal
        self.platform = platform.rawValue
        self.source = source
        self.fileDigest = fileDigest.description
        self.postURL = postURL
    }

    /// The enrolment itself, in the zone that `zone` names; nil where the seed is no hexadecimal.
    /// Without a zone it is the offset of that day for good.
    package func enrolment(in zone: Zone?) -> Enrolment? {
        [UInt8](hexadecimal: seed).map {
            Enrolment(
                id: id, studyID: studyID, participant: ParticipantID(participant), condition: condition,
                instant: instant, local: local, zone: zone, seed: $0)
        }
    }
}
