// SPDX-License-Identifier: Apache-2.0
import Base

/// What is known of one participant in one study at a glance: from what was sent, from what the device reports,
/// and what the lab wrote. `Participants` makes them for the `ParticipantTable` and `LabTables`. Unknown is
/// nil, never zero.
struct ParticipantRow: Sendable {
    let participant: String
    let note: LabRegister.Note
    /// Nil where nothing but reports has come, and where devices report of several studies.
    let summary: DeviceSummary?
    /// The device that takes part; nil where none reports.
    let device: FleetDevice?
    /// As its device reports it, else as the last thing that it sent says.
    let study: String?
    /// The most urgent first.
    let attention: [Attention]
    let coverage: Coverage?
    /// Of the days that are looked at, the latest last.
    let days: [PromptDay]
    /// Refused posts and alarms about its log.
    let faults: Int
    /// What manifests name that is neither here nor explained; nil without manifests.
    let missing: Int?
    /// Rules decide in a study of the participant: the number of answers would tell what they drew.
    var isBlinded = false

    /// The columns of the table of participants, by their names in CSV, JSON and the address.
    enum Column: String, CaseIterable, Sendable {
        case participant, label, note, study, device, state, attention
        case lastContact, lastReport, nextReportBy, nextPrompt
        case promptsOver, promptsAnswered, promptsMissed, answeredShare
        case coverageShare, leastCoveredChannel, enrolled
        case batteryShare, diskFreeBytes, temperatureCelsius, clockSource, clockErrorSeconds, version
        case waitingItems, waitingBytes, missingItems, faults
        case answers, files, unfinishedFiles, storedBytes
    }

    private var report: DeviceReport? { device?.report }

    /// All `days` together; nil without any.
    var sum: PromptDay? { days.dropFirst().reduce(days.first) { sum, day in sum.map { $0 + day } } }

    var lastContact: Instant? { [summary?.lastContact, device?.received].compactMap(\.self).max() }

    /// Times are UTC, but that of the next prompt, which has the offset of the participant's clock.
    func value(_ column: Column) -> JSONValue {
        switch column {
        case .participant: .string(participant)
        case .label: Self.filled(note.label)
        case .note: Self.filled(note.text)
        case .study: .text(study)
        case .device: .text(report?.device)
        case .state: .text(report?.state)
        case .attention: .array(attention.map { .string($0.kind.rawValue) })
        case .lastContact: .text(lastContact?.rfc3339Zulu())
        case .lastReport: .text(device?.received.rfc3339Zulu())
        case .nextReportBy: .text(device.map { ($0.received + .seconds($0.report.nextReportWithin)).rfc3339Zulu() })
        case .nextPrompt: .text(report?.nextPrompt)
        case .promptsOver: .int(sum?.over)
        case .promptsAnswered: .int(sum?.answered)
        case .promptsMissed: .int(sum?.missed)
        case .answeredShare: .measured(sum.flatMap { Self.share(Int64($0.answered), Int64($0.over)) })
        case .coverageShare:
            .measured(coverage.flatMap { all in all.least.flatMap { Self.share($0.stored, all.wall) } })
        case .leastCoveredChannel: .text(coverage?.least?.kind)
        case .enrolled: .text(coverage.flatMap { $0.isSinceRecording ? nil : $0.since.rfc3339Zulu() })
        case .batteryShare: .measured(report?.battery)
        case .diskFreeBytes: .int(report?.diskFree)
        case .temperatureCelsius: .measured(report?.temperature)
        case .clockSource: .text(report?.clockSource)
        case .clockErrorSeconds: .measured(report?.clockUncertainty)
        case .version: .text(report?.version)
        case .waitingItems: .int(report?.outboxWaiting)
        case .waitingBytes: .int(report?.outboxBytes)
        case .missingItems: .int(missing)
        case .faults: .int(faults)
        case .answers: .int(isBlinded ? nil : summary?.answers)
        case .files: .int(summary?.files)
        case .unfinishedFiles: .int(summary?.partial)
        case .storedBytes: .int(summary?.bytes)
        }
    }

    private static func filled(_ text: String) -> JSONValue { .text(text.isEmpty ? nil : text) }

    /// Rounded to a ten thousandth; nil where `whole` is 0.
    static func share(_ part: Int64, _ whole: Int64) -> Double? {
        whole > 0 ? (min(1, Double(part) / Double(whole)) * 10_000).rounded() / 10_000 : nil
    }
}

extension [ParticipantRow] {
    /// Those that an address asks for, sorted as it says; throws 400 for an unknown column.
    func chosen(by query: LabQuery) throws(HTTPFailure) -> [ParticipantRow] {
        let wanted = query.text?.lowercased()
        let found = filter { row in
            (query.user ?? row.participant) == row.participant
                && (query.study.map { $0 == row.study } ?? true)
                && (query.attention.map { kind in
                    row.attention.contains { kind == "any" || $0.kind.rawValue == kind }
                } ?? true)
                && (wanted.map { row.holds($0) } ?? true)
        }
        guard let sort = query.sort else { return found.sorted { $0.precedes($1) } }
        let isDown = sort.hasPrefix("-")
        guard let column = ParticipantRow.Column(rawValue: String(isDown ? sort.dropFirst() : sort[...])) else {
            let names = ParticipantRow.Column.allCases.map(\.rawValue).joined(separator: ", ")
            throw HTTPFailure(400, "sort has to be one of \(names), with - before it from the greatest down")
        }
        let keyed = found.map { (key: SortKey($0.value(column)), row: $0) }
        return keyed.sorted { one, other in
            if one.key == other.key { return one.row.name < other.row.name }
            // Unknown ones come last, whatever the direction.
            guard !one.key.isUnknown, !other.key.isUnknown else { return other.key.isUnknown }
            return isDown ? other.key < one.key : one.key < other.key
        }.map(\.row)
    }
}

extension ParticipantRow {
    fileprivate func holds(_ text: String) -> Bool {
        [participant, note.label, note.text, report?.device ?? ""].contains { $0.lowercased().contains(text) }
    }

    /// The most urgent first, then by name.
    fileprivate func precedes(_ other: ParticipantRow) -> Bool {
        let (rank, others) = (attention.first?.kind.rank ?? .max, other.attention.first?.kind.rank ?? .max)
        return rank == others ? name < other.name : rank < others
    }

    fileprivate var name: (String, String) { (participant, study ?? "") }
}

/// Numbers by size, texts by letters, what is unknown last in both directions.
private struct SortKey: Comparable {
    private let number: Double?
    private let text: String?

    init(_ value: JSONValue) {
        number = value.array.map { Double($0.count) } ?? value.double
        text = value.string
    }

    var isUnknown: Bool { number == nil && text == nil }

    static func < (left: Self, right: Self) -> Bool {
        if let one = left.number, let other = right.number { return one < other }
        return (left.text ?? "") < (right.text ?? "")
    }
}
