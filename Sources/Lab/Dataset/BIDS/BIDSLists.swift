// SPDX-License-Identifier: Apache-2.0
import Base

/// What is not in the dataset, as `BIDSExport` notes it and writes it at the end: `sourcedata/missing.tsv`
/// (known to have been, and not here) and `sourcedata/left_out.tsv` (arrived, and has no place in BIDS).
/// Columns have no descriptions, since no JSON file is written beside either.
struct BIDSLists {
    private(set) var missing = BIDSTable([
        .init("participant_code", ""), .init("enrolment", ""), .init("kind", ""), .init("day", ""), .init("name", ""),
        .init("state", ""), .init("why", ""), .init("hole", ""),
    ])
    private(set) var leftOut = BIDSTable([
        .init("participant_code", ""), .init("file", ""), .init("reason", ""),
    ])

    mutating func add(_ record: ParticipantRecord) {
        for item in record.missing {
            missing.add([
                record.participant.id, item.enrolment, item.kind.rawValue, item.day.map { "\($0)" }, item.name,
                item.state, item.why, item.isHole ? "1" : "0",
            ])
        }
        for file in record.files { leaveOut(record, file.name, "is no recording (\(file.kind))") }
        for submission in record.submissions {
            if let first = submission.repeats { leaveOut(record, submission.id, "came twice: the same as \(first)") }
        }
        for issue in record.issues { leaveOut(record, "", issue.description) }
    }

    /// Of the whole, or of someone who is not in the dataset.
    mutating func leaveOut(_ issue: DatasetIssue) { leftOut.add([issue.participant, "", issue.description]) }

    mutating func leaveOut(_ record: ParticipantRecord, _ file: String, _ reason: String) {
        leftOut.add([record.participant.id, file, reason])
    }
}
