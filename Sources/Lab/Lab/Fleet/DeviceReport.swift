// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// What a device says of itself, as it posts it to `/reports`, checked (docs/lab.md, Reports). `FleetRoutes`
/// reads it, `FleetArchive` keeps it. Nil is unknown, never zero.
struct DeviceReport: Sendable, Hashable {
    /// What was recorded of a measure in the last `seconds`: how many samples were due, stored and lost. Bytes
    /// and events, which have no rate, have no `expected`.
    struct Covered: Sendable, Hashable {
        let measure: String
        let seconds: Double?
        let expected: Int64?
        let stored: Int64?
        let lost: Int64?
    }

    struct Fault: Sendable, Hashable {
        /// nil where it is of no one part, such as a thread that stands still.
        let place: String?
        let fault: String
        /// As written, with its offset.
        let since: String?
    }

    static let bodyLimit = 64 * 1024
    static let promptsInOne = 500
    static let returnedInOne = 1024
    /// The longest wait for its next report that a device can announce, in seconds.
    private static let longestWait: Int64 = 31 * 86_400
    static let states = ["recording", "paused", "idle", "ended"]

    /// Rises with each report; begins again where the device has lost its memory of them.
    let number: Int64
    /// By the device's clock, as written.
    let at: String?
    let reason: String
    /// Seconds within which the next one comes.
    let nextReportWithin: Int64
    let device: String
    let study: String
    let participant: String
    let enrolment: String?
    let version: String?
    let commit: String?
    let clockSource: String?
    let isClockTrusted: Bool?
    /// One side, in seconds.
    let clockUncertainty: Double?
    let ledger: JSONValue?
    /// The prompts that ended since the last report that was answered.
    private(set) var prompts: [PromptOutcome]
    /// The occurrences whose outcomes in earlier reports are void: a wrong clock brought them.
    private(set) var returned: [String]
    let newestRecording: Int64?
    let coverage: [Covered]
    let outboxWaiting: Int64?
    let outboxBytes: Int64?
    /// The age of the oldest item, in seconds.
    let outboxOldest: Int64?
    /// In bytes.
    let diskFree: Int64?
    let diskTotal: Int64?
    let isDiskLow: Bool?
    /// In bytes.
    let cardWritten: Int64?
    /// Part of the rated life that is used; 1 = all.
    let cardLife: Double?
    let isUnderVoltage: Bool?
    /// 0...1.
    let battery: Double?
    /// In °C.
    let temperature: Double?
    let faults: [Fault]
    let configuration: String?
    let state: String
    /// When the next prompt is due, as written, with its offset.
    let nextPrompt: String?
    /// The participant has left, and asked for the deletion of what the lab has; unknown where the device is older.
    let asksForDeletion: Bool?

    init(_ value: JSONValue) throws(FieldError) {
        let all = try CheckedFields(value)
        _ = try all.need("format", all.word("format", of: ["studyd-report"]), "studyd-report")
        _ = try all.need("version", all.whole("version", 1...1), "1")
        number = try all.need("number", all.whole("number"), "a whole number")
        at = try all.time("at")
        reason = try all.needWord("reason", of: ["enrolment", "hour", "change", "end"])
        nextReportWithin = try all.need(
            "nextReportWithin", all.whole("nextReportWithin", 1...Self.longestWait), "a number of seconds")
        device = try all.needText("device")
        study = try all.needText("study")
        participant = try all.needText("participant")
        enrolment = try all.text("enrolment")
        let program = try all.part("program")
        (version, commit) = (try program.text("version", limit: 60), try program.text("commit", limit: 60))
        let clock = try all.part("clock")
        clockSource = try clock.word("source", of: ["kernel", "gps", "battery", "none"])
        isClockTrusted = try clock.flag("trusted")
        clockUncertainty = try clock.number("uncertainty", 0...1e12)
        ledger = try all.counts("ledger")
        prompts = try Self.each(try all.list("prompts", limit: Self.promptsInOne), PromptOutcome.init)
        returned = try all.texts("returned", limit: Self.returnedInOne)
        let recordings = try all.part("recordings")
        newestRecording = try recordings.whole("newest")
        coverage = try Self.each(try recordings.list("coverage", limit: 64), Covered.init)
        let outbox = try all.part("outbox")
        outboxWaiting = try outbox.whole("waiting")
        outboxBytes = try outbox.whole("bytes")
        outboxOldest = try outbox.whole("oldestSeconds")
        let disk = try all.part("disk")
        (diskFree, diskTotal, isDiskLow) = (try disk.whole("free"), try disk.whole("total"), try disk.flag("low"))
        let card = try all.part("card")
        (cardWritten, cardLife) = (try card.whole("written"), try card.number("life", -1e6...1e6))
        let power = try all.part("power")
        (isUnderVoltage, battery) = (try power.flag("underVoltage"), try power.number("battery", 0...1))
        temperature = try all.number("temperature", -100...200)
        faults = try Self.each(try all.list("faults", limit: 64), Fault.init)
        configuration = try all.digest("configuration")
        state = try all.needWord("state", of: Self.states)
        nextPrompt = try all.time("nextPrompt")
        asksForDeletion = try all.flag("deletionAsked")
    }

    private static func each<Value>(
        _ list: [CheckedFields], _ read: (CheckedFields) throws(FieldError) -> Value
    ) throws(FieldError) -> [Value] {
        var values: [Value] = []
        for fields in list { values.append(try read(fields)) }
        return values
    }

    /// The key of the enrolled device that reports. A device that is enrolled again, and another device of the
    /// same participant, have other keys.
    var source: String { FleetSource.id(study: study, device: device, enrolment: enrolment) }

    /// The report without its prompts, which are kept in a separate table.
    var withoutPrompts: DeviceReport {
        var copy = self
        (copy.prompts, copy.returned) = ([], [])
        return copy
    }

    /// The device no longer takes part: no further report is due.
    var isLast: Bool { reason == "end" || state == "ended" }

    /// Whether it was made before `latest`, which has come already: the device sends a report again when the
    /// response was lost.
    func isStale(beside latest: DeviceReport) -> Bool {
        guard enrolment == latest.enrolment, number < latest.number else { return false }
        guard let at = at.flatMap(Instant.parsed), let other = latest.at.flatMap(Instant.parsed) else { return true }
        return at <= other
    }

    /// The same fields again, without prompts: to be kept, and for programs.
    var json: JSONValue {
        .members([
            "format": .string("studyd-report"), "version": .int(1), "number": .int(number), "at": .text(at),
            "reason": .string(reason), "nextReportWithin": .int(nextReportWithin), "device": .string(device),
            "study": .string(study), "participant": .string(participant), "enrolment": .text(enrolment),
            "program": .members(["version": .text(version), "commit": .text(commit)]),
            "clock": .members([
                "source": .text(clockSource), "trusted": .flag(isClockTrusted),
                "uncertainty": .measured(clockUncertainty),
            ]),
            "ledger": ledger ?? .null,
            "recordings": .members(["newest": .int(newestRecording), "coverage": .array(coverage.map(\.json))]),
            "outbox": .members([
                "waiting": .int(outboxWaiting), "bytes": .int(outboxBytes), "oldestSeconds": .int(outboxOldest),
            ]),
            "disk": .members(["free": .int(diskFree), "total": .int(diskTotal), "low": .flag(isDiskLow)]),
            "card": .members(["written": .int(cardWritten), "life": .measured(cardLife)]),
            "power": .members(["underVoltage": .flag(isUnderVoltage), "battery": .measured(battery)]),
            "temperature": .measured(temperature), "faults": .array(faults.map(\.json)),
            "configuration": .text(configuration), "state": .string(state), "nextPrompt": .text(nextPrompt),
            "deletionAsked": .flag(asksForDeletion),
        ])
    }
}

extension DeviceReport.Covered {
    fileprivate init(_ fields: CheckedFields) throws(FieldError) {
        measure = try fields.needText("measure")
        seconds = try fields.number("seconds", 0...1e12)
        expected = try fields.whole("expected")
        stored = try fields.whole("stored")
        lost = try fields.whole("lost")
    }

    fileprivate var json: JSONValue {
        .members([
            "measure": .string(measure), "seconds": .measured(seconds), "expected": .int(expected),
            "stored": .int(stored), "lost": .int(lost),
        ])
    }
}

extension DeviceReport.Fault {
    fileprivate init(_ fields: CheckedFields) throws(FieldError) {
        place = try fields.text("place")
        fault = try fields.needText("fault")
        since = try fields.time("since")
    }

    fileprivate var json: JSONValue {
        .members(["place": .text(place), "fault": .string(fault), "since": .text(since)])
    }
}

extension JSONValue {
    static func flag(_ value: Bool?) -> JSONValue { value.map { .boolean($0) } ?? .null }
    static func measured(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }
}
