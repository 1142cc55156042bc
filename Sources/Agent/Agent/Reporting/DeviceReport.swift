// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// What the lab's receiver is to know of a device, each hour and at each change of its state: the body of `POST
/// /reports`, as docs/report.schema.json has it. `ReportReader` makes it. What is not known is null, and never
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
    var within = ReportPlan.Pace().within
    /// Nil where the clock is not watched.
    var clock: ClockTrust.Opinion?
    /// Within the bound in which prompts come; nil where the clock is not watched.
    var isClockTrusted: Bool?
    /// Nil while the log is being read again.
    var ledger: JSONText?
    var prompts: [PromptOutcome] = []
    /// What of earlier reports is void.
    var returned: [ReturnedPrompts] = []
    /// The highest number of a recording that the log has; nil before the first.
    var newestRecording: Int?
    var coverage: [Covered] = []
    var outbox: OutboxBacklog?
    var disk: DiskSpace?
    /// Bytes that the kernel has written to the card since it started (`CardGauge`); nil where it does not tell.
    var written: Int64?
    var health = DeviceHealth()
    /// How full the battery is, 0 to 1; nil where there is none, or it does not tell.
    var battery: Double?
    var faults: [Fault] = []
    /// SHA-256 of `studyd.toml` in hexadecimal, by which a lab sees that it changed.
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
        JSONText.membersWithNulls([
            "format": .string("studyd-report"), "version": .integer(1), "number": .integer(number),
            "at": .string(at.rfc3339(in: zone, fractionDigits: 3)), "reason": .string(reason.rawValue),
            "nextReportWithin": .integer(within.components.seconds), "device": .string(record.participant.bounded),
            "study": .string(record.studyID.bounded), "participant": .string(record.participant.bounded),
            "enrolment": .string(record.id), "program": program, "clock": clockText, "ledger": ledger,
            "prompts": .array(prompts), "recordings": recordings, "outbox": outboxText, "disk": diskText, "card": card,
            "power": power, "temperature": health.reading.temperature.map { .number($0) },
            "faults": .array(faultTexts), "configuration": configuration.map { .string($0) },
            "state": .string(activity.rawValue), "nextPrompt": nextPromptText,
            "deletionAsked": .boolean(asksForDeletion),
        ])
    }

    var faultTexts: [JSONText] { faults.prefix(Self.mostFaults).map(text) }

    var nextPromptText: JSONText { nextPrompt.map { .string($0.rfc3339(in: zone)) } ?? .null }

    private var program: JSONText {
        .objectWithNulls([
            "version": .string(AgentVersion.text), "commit": AgentVersion.commit.map { .string($0) },
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
        let known = clock.flatMap { $0.source == .unknown ? nil : $0 }
        return .objectWithNulls([
            "source": source.map { .string($0) }, "trusted": isClockTrusted.map { .boolean($0) },
            "uncertainty": known.map { .number($0.uncertainty.seconds) },
        ])
    }

    private var recordings: JSONText {
        .objectWithNulls([
            "newest": newestRecording.map { .integer(Int64($0)) }, "coverage": .array(coverage.map(\.json)),
        ])
    }

    var outboxText: JSONText {
        let age = outbox?.oldest.flatMap { DisciplinedClock.age(of: $0, at: at) }?.components.seconds
        return .objectWithNulls([
            "waiting": outbox.map { .integer(Int64($0.count)) }, "bytes": outbox.map { .integer($0.bytes) },
            "oldestSeconds": age.map { .integer($0) },
        ])
    }

    var diskText: JSONText {
        .objectWithNulls([
            "free": disk.map { .integer($0.free) }, "total": disk.map { .integer($0.total) },
            "low": disk.map { .boolean($0.isLow) },
        ])
    }

    private var card: JSONText {
        .objectWithNulls(["written": written.map { .integer($0) }, "life": health.reading.life.map { .number($0) }])
    }

    private var power: JSONText {
        let isKnown = health.reading.throttled != nil || health.reading.lowVoltageAlarm != nil
        return .objectWithNulls([
            "underVoltage": isKnown ? .boolean(health.present[.underVoltage] != nil) : nil,
            "battery": battery.map { .number($0) },
        ])
    }

    private func text(_ fault: Fault) -> JSONText {
        .objectWithNulls([
            "place": fault.place.map { .string($0.bounded) }, "fault": .string(fault.words.bounded),
            "since": fault.since.map { .string($0.rfc3339(in: zone)) },
        ])
    }
}

extension DeviceReport.Covered {
    fileprivate var json: JSONText {
        .objectWithNulls([
            "measure": .string(measure), "seconds": .integer(time.components.seconds),
            "expected": expected.map { .integer($0) }, "stored": .integer(stored), "lost": .integer(lost),
        ])
    }
}
