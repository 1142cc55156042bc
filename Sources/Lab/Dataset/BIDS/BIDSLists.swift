// SPDX-License-Identifier: Apache-2.0
import Base

/// A session's files, with when each began.
struct BIDSScans {
    private(set) var table = BIDSTable([
        .init("filename", "The file, from the session's folder."),
        .init(
            "acq_time",
            "When its first sample was taken, UTC; of events what onsets count from; n/a while the clock was unknown."),
        .init("recording", "The recording that it is made of."),
        .init("samples_stored", "Samples, or bytes of position, in the recording."),
        .init("samples_lost", "Samples that are missing in it and around it, for all reasons."),
        .init("clock_error", "How far off the times can be, one side.", units: "s"),
    ])

    mutating func add(_ name: String, _ time: Instant?, _ recording: StudyRecording?) {
        let description = recording?.description
        table.add([
            name, time?.rfc3339Zulu(fractionDigits: 6), recording?.name, description.map { "\($0.samplesStored)" },
            recording.map { "\($0.lost)" }, BIDSCell.number(description?.clockError, 6),
        ])
    }
}

/// `participants.tsv`.
struct BIDSParticipants {
    private(set) var table = BIDSTable([
        .init("participant_id", "The name in this dataset."),
        .init("participant_code", "The code in everything that devices sent."),
        .init("enrolments", "How often a device was enrolled for the participant."),
        .init("devices", "Numbers of the devices that recorded, separated by commas."),
        .init(
            "prompts",
            "Prompts that compliance is a share of: without those before the enrolment and in pauses of the study."),
        .init("answered", "Prompts of these that were completed."),
        .init("recordings", "Recordings that arrived."),
        .init("holes", "Things that are known to have been, are not here, and that nothing explains."),
    ])
    private let labels: BIDSLabels

    init(_ labels: BIDSLabels) { self.labels = labels }

    mutating func add(_ record: ParticipantRecord) {
        let prompts = record.prompts.filter(\.counts)
        table.add([
            "sub-\(labels[record.participant.id])", record.participant.id, "\(record.participant.enrolments.count)",
            record.devices.map { "\($0)" }.joined(separator: ","), record.isReported ? "\(prompts.count)" : nil,
            record.isReported ? "\(prompts.count(where: \.isAnswered))" : nil, "\(record.recordings.count)",
            "\(record.holes.count)",
        ])
    }
}

/// What is not in the dataset: `sourcedata/missing.tsv` (known to have been, and not here) and
/// `sourcedata/left_out.tsv` (arrived, and has no place in BIDS). Columns have no descriptions, since
/// no JSON file is written beside either.
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
