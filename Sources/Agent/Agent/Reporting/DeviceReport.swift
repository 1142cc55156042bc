// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// What the lab's receiver is to know of a device, each hour and at each change of its state: the
/// body of `POST /reports`, as docs/report.schema.json has it. What is not known is null, and never
/// zero. Pure.
struct DeviceReport: Sendable {
    enum Reason: String, Sendable {
        case enrolment, hour, change, end
    }

    /// Ended: the enrolment is over. Paused: no prompts come, by the participant's choice, the study's, or for lack of
    /// a trusted clock. Idle: no sample has been stored since measuring began.
    enum Activity: String, Sendable, CaseIterable {
        case recording, paused, idle, ended
    }

    /// Samples of a measure in the last hour, or since measuring began.
    struct Covered: Sendable, Hashable {
        let measure: String
        let time: Duration
        /// By its rate and the time; nil for what comes when it comes.
        let expected: Int64?
        let stored: Int64
        let lost: Int64
    }

    struct Fault: Sendable, Hashable {
        let place: String?
        let words: String
        let since: Instant?
    }

    /// A body of more bytes is not taken.
    static let limit = 65_536
    static let mostPrompts = 500
    /// Rows of the log, of at most 256 occurrences each.
    static let mostReturns = 4
    private static let mostFaults = 50

    let number: Int64
    let at: Instant
    let zone: Zone
    let reason: Reason
    let record: EnrolmentRecord
    /// The next report comes within this time.
    var within = ReportPlan.Pace().within
    var clock: ClockTrust.Opinion?
    /// Within the bound in which prompts come; nil where the clock is not watched.
    var isClockTrusted: Bool?
    /// Nil while the log is being read again.
    var ledger: JSONText?
    var prompts: [PromptOutcome] = []
    /// What of earlier reports is void.
    var returned: [ReturnedPrompts] = []
    var newestRecording: Int?
    var coverage: [Covered] = []
    var outbox: OutboxBacklog?
    var disk: DiskSpace?
    /// Bytes that the kernel has written to the card since it started.
    var written: Int64?
    var health = DeviceHealth()
    /// How full the battery is, 0 to 1.
    var battery: Double?
    var faults: [Fault] = []
    var configuration: String?
    var activity = Activity.idle
    /// Nil where none is planned, or it is not known when. Not which task: that may name an arm.
    var nextPrompt: Instant?
    /// The participant has left, and asked for the deletion of what the lab has.
    var asksForDeletion = false

    private enum Ending {
        case outcome(PromptOutcome)
        case returned(ReturnedPrompts)

        var row: Int64 {
            switch self {
            case .outcome(let outcome): outcome.row
            case .returned(let returned): returned.row
            }
        }

        /// With half of the names of what was taken back; nil where it has none.
        var shortened: Ending? {
            guard case .returned(var gone) = self, !gone.occurrences.isEmpty else { return nil }
            let left = gone.occurrences.count / 2
            gone.unnamed += gone.occurrences.count - left
            gone.occurrences = Array(gone.occurrences.prefix(left))
            return .returned(gone)
        }
    }

    /// The body, with as many of `prompts` and `returned` as it has room for, in the order of the log from the first
    /// on; and the row of the last one that is in it, nil where none is.
    func encoded() -> (body: [UInt8], row: Int64?) {
        let endings = prompts.prefix(Self.mostPrompts).map(Ending.outcome) + returned.map(Ending.returned)
        var included = ArraySlice(endings.sorted { $0.row < $1.row })
        while true {
            let body = Array(json(with: included).text.utf8)
            // A report without a single outcome is small: its parts are bounded.
            if body.count <= Self.limit || included.isEmpty { return (body, included.last?.row) }
            if included.count == 1, let shorter = included.first?.shortened {
                included = [shorter]
            } else {
                included = included.dropLast(max(1, included.count / 8))
            }
        }
    }

    private func json(with endings: ArraySlice<Ending>) -> JSONText {
        var (prompts, returned, unnamed): ([JSONText], [JSONText], Int) = ([], [], 0)
        for ending in endings {
            switch ending {
            case .outcome(let outcome): prompts.append(outcome.json(in: zone))
            case .returned(let gone):
                returned += gone.occurrences.map { .string($0.bounded) }
                unnamed += gone.unnamed
            }
        }
        var report = self
        if unnamed > 0 { report.faults.insert(Self.unnamedFault(unnamed), at: 0) }
        var members = report.members(prompts)
        if !returned.isEmpty { members.append(.init("returned", .array(returned))) }
        return .object(members)
    }

    private static func unnamedFault(_ count: Int) -> Fault {
        Fault(
            place: "report",
            words: "no room for the names of \(count) prompts that a wrong clock brought; what was told is void",
            since: nil)
    }

    private func members(_ prompts: [JSONText]) -> [JSONText.Member] {
        [
            .init("format", .string("studyd-report")), .init("version", .integer(1)),
            .init("number", .integer(number)), .init("at", .string(at.rfc3339(in: zone, fractionDigits: 3))),
            .init("reason", .string(reason.rawValue)),
            .init("nextReportWithin", .integer(within.components.seconds)),
            .init("device", .string(record.participant.bounded)), .init("study", .string(record.studyID.bounded)),
            .init("participant", .string(record.participant.bounded)), .init("enrolment", .string(record.id)),
            .init("program", program), .init("clock", clockText), .init("ledger", ledger ?? .null),
            .init("prompts", .array(prompts)), .init("recordings", recordings),
            .init("outbox", outboxText), .init("disk", diskText), .init("card", card), .init("power", power),
            .init("temperature", health.reading.temperature.map { .number($0) } ?? .null),
            .init("faults", .array(faultTexts)),
            .init("configuration", configuration.map { .string($0) } ?? .null),
            .init("state", .string(activity.rawValue)),
            .init("nextPrompt", nextPromptText), .init("deletionAsked", .boolean(asksForDeletion)),
        ]
    }

    var faultTexts: [JSONText] { faults.prefix(Self.mostFaults).map(text) }

    var nextPromptText: JSONText { nextPrompt.map { .string($0.rfc3339(in: zone)) } ?? .null }

    private var program: JSONText {
        .object([
            .init("version", .string(AgentVersion.text)),
            .init("commit", AgentVersion.commit.map { .string($0) } ?? .null),
        ])
    }

    var clockText: JSONText {
        let source: String? = clock.map {
            switch $0.source {
            case .kernel: "kernel"
            case .gps: "gps"
            case .rtc: "battery"
            case .unknown, .vouched, .simulated: "none"
            }
        }
        let isKnown = clock.map { $0.source != .unknown } ?? false
        return .object([
            .init("source", source.map { .string($0) } ?? .null),
            .init("trusted", isClockTrusted.map { .boolean($0) } ?? .null),
            .init("uncertainty", isKnown ? clock.map { .number($0.uncertainty.seconds) } ?? .null : .null),
        ])
    }

    private var recordings: JSONText {
        .object([
            .init("newest", newestRecording.map { .integer(Int64($0)) } ?? .null),
            .init(
                "coverage",
                .array(
                    coverage.map { covered in
                        .object([
                            .init("measure", .string(covered.measure)),
                            .init("seconds", .integer(covered.time.components.seconds)),
                            .init("expected", covered.expected.map { .integer($0) } ?? .null),
                            .init("stored", .integer(covered.stored)), .init("lost", .integer(covered.lost)),
                        ])
                    })),
        ])
    }

    var outboxText: JSONText {
        let age = outbox?.oldest.flatMap { DisciplinedClock.age(of: $0, at: at) }?.components.seconds
        return .object([
            .init("waiting", outbox.map { .integer(Int64($0.count)) } ?? .null),
            .init("bytes", outbox.map { .integer($0.bytes) } ?? .null),
            .init("oldestSeconds", age.map { .integer($0) } ?? .null),
        ])
    }

    var diskText: JSONText {
        .object([
            .init("free", disk.map { .integer($0.free) } ?? .null),
            .init("total", disk.map { .integer($0.total) } ?? .null),
            .init("low", disk.map { .boolean($0.isLow) } ?? .null),
        ])
    }

    private var card: JSONText {
        .object([
            .init("written", written.map { .integer($0) } ?? .null),
            .init("life", health.reading.life.map { .number($0) } ?? .null),
        ])
    }

    private var power: JSONText {
        let isTold = health.reading.throttled != nil || health.reading.lowVoltageAlarm != nil
        return .object([
            .init("underVoltage", isTold ? .boolean(health.present[.underVoltage] != nil) : .null),
            .init("battery", battery.map { .number($0) } ?? .null),
        ])
    }

    private func text(_ fault: Fault) -> JSONText {
        .object([
            .init("place", fault.place.map { .string($0.bounded) } ?? .null),
            .init("fault", .string(fault.words.bounded)),
            .init("since", fault.since.map { .string($0.rfc3339(in: zone)) } ?? .null),
        ])
    }
}
