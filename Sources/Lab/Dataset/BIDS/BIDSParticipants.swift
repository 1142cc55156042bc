// SPDX-License-Identifier: Apache-2.0

/// `participants.tsv`: `BIDSExport` adds each participant as it comes to them, and writes the table at the end.
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
