// SPDX-License-Identifier: Apache-2.0
import Base

/// One enrolment of a participant: what `BIDSExport` writes as a session, and `XDFExport` as one file.
struct BIDSSession {
    /// `ses-01`; `ses-00` for what came with no enrolment.
    let label: String
    let enrolment: String?
    let began: StudyTime?

    /// Sessions with any data: known enrolments by when they began, then the others by name.
    static func all(of record: ParticipantRecord) -> [BIDSSession] {
        let named = record.participant.enrolments
        let known = Set(named.map(\.id))
        let used = Set(
            record.prompts.map(\.enrolment) + record.submissions.map(\.enrolment) + record.recordings.map(\.enrolment))
        let others = used.compactMap(\.self).filter { !known.contains($0) }.sorted()
        var sessions = named.map { ($0.id, $0.began) } + others.map { ($0, nil) }
        sessions = sessions.filter { used.contains($0.0) }
        let withoutEnrolment = used.contains(nil) ? [BIDSSession(label: "ses-00", enrolment: nil, began: nil)] : []
        return withoutEnrolment
            + sessions.enumerated().map { place, session in
                BIDSSession(label: "ses-\((place + 1).padded(2))", enrolment: session.0, began: session.1)
            }
    }
}
