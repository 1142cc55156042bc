// SPDX-License-Identifier: Apache-2.0
import Base

/// One participant's taking part in one study, from enrolment to withdrawal: made by `Enroller`, later from the
/// log's `EnrolmentRecord`.
package struct Enrolment: Sendable, Hashable {
    /// Unique on this device; every stored row carries it.
    package let id: String
    /// The study's own identifier, as in `StudyProtocol.studyID`.
    package let studyID: String
    /// The participant's pseudonym as the platform writes it.
    package let participant: ParticipantID
    /// The arm drawn, nil where the study has none.
    package var condition: String?
    package let instant: Instant
    /// What the participant's wall clock showed then.
    package let local: LocalDateTime
    /// The zone of `local`; kept, whatever zone the wall clock is in later.
    package let zone: Zone
    /// 32 bytes from which every draw of this enrolment follows.
    package let seed: [UInt8]

    /// Without a `zone` it is for good the offset from UTC that `local` had at `instant`.
    package init(
        id: String, studyID: String, participant: ParticipantID, condition: String?, instant: Instant,
        local: LocalDateTime, zone: Zone? = nil, seed: [UInt8]
    ) {
        self.id = id
        self.studyID = studyID
        self.participant = participant
        self.condition = condition
        self.instant = instant
        self.local = local
        self.zone = zone ?? Zone(offsetOf: local, at: instant)
        self.seed = seed
    }
}

/// A participant's pseudonym.
package struct ParticipantID: Sendable, Hashable {
    /// As on the wire: for schema the random user id that its app draws, unless one
    /// was given by hand.
    package let text: String
    package init(_ text: String) { self.text = text }
}
