// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Agent
@testable import Study

/// Activities of FDA MyStudies whose runs another version has at other times, in virtual time. The app makes the
/// runs of a changed activity again, numbered from 1 (FDA-MyStudies/iOS 9091edbe, `DBHandler.saveActivities`).
@Suite struct MyStudiesVersionTests {
    typealias Run = (start: String, end: String)

    private static let one: [Run] = [("09:00:00", "20:59:59")]
    private static let two: [Run] = [("08:00:00", "11:59:59"), ("13:00:00", "20:59:59")]

    /// Until the evening of that day of March.
    private static func study(_ version: String, _ runs: [Run], until last: String = "26") throws -> LoadedStudy {
        let times = runs.map { #"{"startTime":"\#($0.start)","endTime":"\#($0.end)"}"# }.joined(separator: ",")
        let list = """
            {"message":"SUCCESS","activities":[{"activityId":"Q","activityVersion":"\(version)","title":"Q",
            "type":"questionnaire","startTime":"2026-03-01T09:00:00.000-0500",
            "endTime":"2026-03-\(last)T23:59:59.000-0500","branching":false,"schedulingType":"Regular","frequency":{"type":"Daily","runs":[\(times)]}}]}
            """
        let activity = MyStudiesSimulationTests.activity("Q", #""resultType":"boolean","key":"fine","format":{}"#)
        let files = [
            StudySource.File(
                name: "Q_\(version).json",
                bytes: Array(activity.replacing(#""version":"1.0""#, with: #""version":"\#(version)""#).utf8)),
            StudySource.File(name: "activityList.json", bytes: Array(list.utf8)),
        ]
        return try LoadedStudy(StudyBundle.bytes(files, options: StudyOptions()), origin: "folder")
    }

    /// Enrolled on Monday, 2 March, at seven.
    private static func device(_ runs: [Run], answers: Bool) async throws -> StudyDevice {
        try await device(study("1.0", runs), answers: answers)
    }

    private static func device(_ loaded: LoadedStudy, answers: Bool) async throws -> StudyDevice {
        var participant = Participant()
        participant.misses = answers ? 0 : 1
        return try await StudyDevice(
            loaded, buttons: AgentFixture.panels[2], participant: participant, at: "2026-03-02T07:00:00",
            postURL: "http://127.0.0.1:1/x.api")
    }

    /// On that day and time of March.
    private static func moment(_ local: String, of device: StudyDevice) throws -> Instant {
        device.zone.resolve(try LocalDateTime(parsing: "2026-03-\(local)")).instant
    }

    private static func update(
        _ device: inout StudyDevice, to version: String, _ runs: [Run], until last: String = "26"
    ) async throws {
        try await update(&device, to: version, study(version, runs, until: last))
    }

    private static func update(_ device: inout StudyDevice, to version: String, _ loaded: LoadedStudy) async throws {
        try await device.feed(.update(PendingUpdate(loaded: loaded, version: version), of: device.enrolment))
    }

    /// An activity that counts from a date, daily for four days, beside the one that asks for it.
    private static func anchored(_ version: String) throws -> LoadedStudy {
        let steps = [
            ("After", #""resultType":"boolean","key":"fine","format":{}"#),
            ("Intake", #""resultType":"date","key":"day","format":{"style":"Date"}"#),
        ]
        let files = steps.map { ("\($0)_\(version).json", MyStudiesSimulationTests.activity($0, $1)) }
        let all = (files + [("activityList.json", MyStudiesSimulationTests.list)]).map { name, text in
            StudySource.File(name: name, bytes: Array(text.replacing("\"1.0\"", with: "\"\(version)\"").utf8))
        }
        return try LoadedStudy(StudyBundle.bytes(all, options: StudyOptions()), origin: "folder")
    }

    private static func setDate(_ date: String, on device: inout StudyDevice) async throws {
        let day = try LocalDateTime(parsing: date + "T00:00:00")
        try await device.send(.variables(["anchor/activity/Intake/day": .dateTime(day)]))
    }

    private static func version(of device: StudyDevice) -> String? { device.study?.loaded.study.task("Q")?.wireName }

    /// `Q/1 2 08:00 completed`: the id, the day of March and the time at which it was due, and how it ended.
    private static func ends(_ device: StudyDevice) async throws -> [String] {
        try await device.database.events(kind: "concluded", limit: -1).compactMap { logged in
            guard case .concluded(let occurrence, let outcome) = logged.event else { return nil }
            let local = device.zone.local(occurrence.due)
            let time = local.time.text(fractionDigits: 0).prefix(5)
            return "\(occurrence.id) \(local.date.components.day) \(time) \(outcome.reason?.rawValue ?? outcome.name)"
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let first: [Run]
        let second: [Run]
        /// When the second comes.
        let at: String
        var answers = true
        /// All that ended by the evening of the 5th.
        let ends: [String]
        var testDescription: String { name }
    }

    private static let changes: [Change] = [
        Change(
            name: "two a day, then one, before it", first: two, second: one, at: "04T07:00:00",
            ends: [
                "Q/1 2 08:00 completed", "Q/2 2 13:00 completed", "Q/3 3 08:00 completed", "Q/4 3 13:00 completed",
                "Q/v2/3 4 09:00 completed", "Q/v2/4 5 09:00 completed",
            ]),
        Change(
            name: "one a day, then two, before them", first: one, second: two, at: "04T07:00:00",
            ends: [
                "Q/1 2 09:00 completed", "Q/2 3 09:00 completed", "Q/v2/5 4 08:00 completed",
                "Q/v2/6 4 13:00 completed", "Q/v2/7 5 08:00 completed", "Q/v2/8 5 13:00 completed",
            ]),
        Change(
            name: "one a day, then two, within the second", first: one, second: two, at: "04T17:20:00",
            ends: [
                "Q/1 2 09:00 completed", "Q/2 3 09:00 completed", "Q/3 4 09:00 completed", "Q/v2/6 4 13:00 completed",
                "Q/v2/7 5 08:00 completed", "Q/v2/8 5 13:00 completed",
            ]),
        Change(
            name: "two a day, then one, after the first was done", first: two, second: one, at: "04T10:00:00",
            ends: [
                "Q/1 2 08:00 completed", "Q/2 2 13:00 completed", "Q/3 3 08:00 completed", "Q/4 3 13:00 completed",
                "Q/5 4 08:00 completed", "Q/v2/3 4 09:00 completed", "Q/v2/4 5 09:00 completed",
            ]),
        Change(
            name: "two a day, then one, while the first is open", first: two, second: one, at: "04T10:00:00",
            answers: false,
            ends: [
                "Q/1 2 08:00 expired", "Q/2 2 13:00 expired", "Q/3 3 08:00 expired", "Q/4 3 13:00 expired",
                "Q/5 4 08:00 replaced", "Q/v2/3 4 09:00 expired", "Q/v2/4 5 09:00 expired",
            ]),
        Change(
            name: "two a day, then one, after all are over", first: two, second: one, at: "04T21:30:00",
            answers: false,
            ends: [
                "Q/1 2 08:00 expired", "Q/2 2 13:00 expired", "Q/3 3 08:00 expired", "Q/4 3 13:00 expired",
                "Q/5 4 08:00 expired", "Q/6 4 13:00 expired", "Q/v2/4 5 09:00 expired",
            ]),
        Change(
            name: "the same, done today", first: one, second: one, at: "04T10:00:00",
            ends: [
                "Q/1 2 09:00 completed", "Q/2 3 09:00 completed", "Q/3 4 09:00 completed", "Q/4 5 09:00 completed",
            ]),
        Change(
            name: "the same, open", first: one, second: one, at: "04T10:00:00", answers: false,
            ends: ["Q/1 2 09:00 expired", "Q/2 3 09:00 expired", "Q/3 4 09:00 expired", "Q/4 5 09:00 expired"]),
        Change(
            name: "earlier, done today", first: one, second: [("08:00:00", "20:59:59")], at: "04T10:00:00",
            ends: [
                "Q/1 2 09:00 completed", "Q/2 3 09:00 completed", "Q/3 4 09:00 completed", "Q/4 5 08:00 completed",
            ]),
        Change(
            name: "later, while it is open", first: one, second: [("10:00:00", "20:59:59")], at: "04T09:30:00",
            answers: false,
            ends: [
                "Q/1 2 09:00 expired", "Q/2 3 09:00 expired", "Q/3 4 09:00 replaced", "Q/v2/3 4 10:00 expired",
                "Q/v2/4 5 10:00 expired",
            ]),
        Change(
            name: "longer, after it expired", first: [("08:00:00", "09:59:59")], second: [("08:00:00", "11:59:59")],
            at: "04T11:00:00", answers: false,
            ends: [
                "Q/1 2 08:00 expired", "Q/2 3 08:00 expired", "Q/3 4 08:00 expired", "Q/v2/3 4 08:00 expired",
                "Q/v2/4 5 08:00 expired",
            ]),
        Change(
            name: "a second before a new run's end", first: [("12:00:00", "12:59:59")],
            second: [("08:00:00", "09:00:00"), ("12:00:00", "12:59:59")], at: "04T08:59:59", answers: false,
            ends: [
                "Q/1 2 12:00 expired", "Q/2 3 12:00 expired", "Q/v2/5 4 08:00 expired", "Q/v2/6 4 12:00 expired",
                "Q/v2/7 5 08:00 expired", "Q/v2/8 5 12:00 expired",
            ]),
        Change(
            name: "at a new run's end", first: [("12:00:00", "12:59:59")],
            second: [("08:00:00", "09:00:00"), ("12:00:00", "12:59:59")], at: "04T09:00:00", answers: false,
            ends: [
                "Q/1 2 12:00 expired", "Q/2 3 12:00 expired", "Q/v2/6 4 12:00 expired", "Q/v2/7 5 08:00 expired",
                "Q/v2/8 5 12:00 expired",
            ]),
    ]

    @Test(arguments: changes, [false, true])
    func noRunIsTakenForThatOfAnotherVersion(_ change: Change, _ restarts: Bool) async throws {
        var device = try await Self.device(change.first, answers: change.answers)
        try await device.run(until: Self.moment(change.at, of: device))
        try await Self.update(&device, to: "1.1", change.second)
        try #require(Self.version(of: device) == "1.1")
        if restarts { try await device.cutPower() }
        try await device.run(until: Self.moment("05T22:00:00", of: device))
        #expect(try await Self.ends(device) == change.ends)
        let ledger = try #require(device.study?.conductor.scheduler.ledger)
        #expect(ledger.isBalanced && ledger.open == 0, "\(ledger)")
        #expect(ledger.completed == change.ends.count { $0.hasSuffix("completed") })
        #expect(try await device.database.verifyLog() == nil)
    }

    /// Its activity ended yesterday.
    @Test func anOpenRunEndsWhereTheVersionDoesNotHaveIt() async throws {
        var device = try await Self.device(Self.one, answers: false)
        try await device.run(until: Self.moment("04T10:00:00", of: device))
        try await Self.update(&device, to: "1.1", Self.one, until: "03")
        try await device.run(until: Self.moment("05T22:00:00", of: device))
        #expect(
            try await Self.ends(device) == ["Q/1 2 09:00 expired", "Q/2 3 09:00 expired", "Q/3 4 09:00 replaced"])
    }

    /// It lasts until noon in Berlin, when it is evening in Tokyo.
    @Test func anOpenRunThatAChangeOfZoneLeftOpenGoesOnInAVersionThatHasIt() async throws {
        let morning = [(start: "09:00:00", end: "11:59:59")]
        var device = try await Self.device(morning, answers: false)
        try await device.run(until: Self.moment("04T10:30:00", of: device))
        try await device.cutPower(into: Zone.load("Asia/Tokyo"))
        try await device.run(until: Self.moment("04T19:00:00", of: device))
        try await Self.update(&device, to: "1.1", morning)
        try #require(Self.version(of: device) == "1.1")
        try await device.run(until: Self.moment("04T22:00:00", of: device))
        #expect(try await Self.ends(device).dropFirst(2) == ["Q/3 4 17:00 expired"])
    }

    /// The date was wrong: by the right one the only run was on the 2nd, or there is none.
    @Test(arguments: ["2026-02-25", "2026-02-01"])
    func anOpenRunThatACorrectedDateLeftOpenGoesOnInAVersionThatHasIt(_ date: String) async throws {
        var device = try await Self.device(Self.anchored("1.0"), answers: false)
        try await Self.setDate("2026-03-02", on: &device)
        try await device.run(until: Self.moment("04T10:00:00", of: device))
        try await Self.setDate(date, on: &device)
        try await device.run(until: Self.moment("04T11:00:00", of: device))
        try await Self.update(&device, to: "1.1", Self.anchored("1.1"))
        try #require(device.study?.loaded.study.task("After")?.wireName == "1.1")
        try await device.run(until: Self.moment("05T22:00:00", of: device))
        #expect(try await Self.ends(device) == ["After/1 4 09:00 expired"])
    }

    /// The server gets the numbers of the app, which begin again; the device's own files stay apart.
    @Test func eachVersionHasItsOwnIdsAndTheAppsNumbers() async throws {
        var device = try await Self.device(Self.two, answers: true)
        try await device.run(until: Self.moment("04T07:00:00", of: device))
        try await Self.update(&device, to: "1.1", Self.one)
        try await device.run(until: Self.moment("05T07:00:00", of: device))
        try await Self.update(&device, to: "1.2", Self.two)
        try await device.run(until: Self.moment("05T22:00:00", of: device))
        let ids = try await Self.ends(device).map { $0.prefix { $0 != " " } }
        #expect(ids == ["Q/1", "Q/2", "Q/3", "Q/4", "Q/v2/3", "Q/v3/7", "Q/v3/8"])
        var numbers: [Substring] = []
        for item in try await device.database.items(limit: -1) {
            guard case .request(let request) = try await device.database.content(of: item) else { continue }
            let body = String(decoding: request.body, as: UTF8.self)
            numbers += body.split(separator: #""activityRunId":""#).dropFirst().map { $0.prefix { $0 != "\"" } }
        }
        #expect(numbers.sorted() == ["1", "2", "3", "3", "4", "7", "8"])
        #expect(
            device.results.map(\.name).sorted() == [
                "Q-1.json", "Q-2.json", "Q-3.json", "Q-4.json", "Q=v2-3.json", "Q=v3-7.json", "Q=v3-8.json",
            ])
    }

    /// Runs that were over before the version came were neither due nor missed; those of the version before count.
    @Test func progressHasTheRunsOfBothVersions() async throws {
        var device = try await Self.device(Self.one, answers: true)
        try await device.run(until: Self.moment("04T07:00:00", of: device))
        try await Self.update(&device, to: "1.1", Self.two)
        try await device.run(until: Self.moment("04T22:00:00", of: device))
        let study = try #require(device.study)
        let stamps = EventClock(clock: VirtualClock(now: device.now.instant), bootID: "boot", zone: device.zone)
        let tasks = try await device.database.taskRuns(
            in: study.loaded.study, of: try #require(study.record.enrolment), stamps)
        #expect(
            tasks.first?.runs.prefix(5).map(\.occurrence.id) == ["Q/1", "Q/2", "Q/v2/5", "Q/v2/6", "Q/v2/7"])
        let progress = study.loaded.platform.progress(of: tasks, status: nil, version: nil, at: device.now.instant)
        #expect(progress?.line.hasPrefix("4 runs done, 0 missed") == true, "\(progress?.line ?? "none")")
    }

    /// One run is over and the next is open when it ends for the participant; a pause does not end it.
    @Test(arguments: [("Closed", 1), ("left", 1), ("refused", 1), ("Paused", 8)])
    func runsAfterTheEndAreNotMissed(_ end: String, _ missed: Int) async throws {
        var device = try await Self.device(Self.two, answers: false)
        try await device.run(until: Self.moment("02T14:00:00", of: device))
        let evening = try Self.moment("05T22:00:00", of: device)
        func stamps(at now: Instant) -> EventClock {
            EventClock(clock: VirtualClock(now: now), bootID: "boot", zone: .utc)
        }
        switch end {
        case "left":
            let stamp = stamps(at: device.now.instant).stamp(device.enrolment)
            try await device.database.withdraw(deletesUnsent: false, sending: [], at: stamp)
        case "refused": try await device.send(.participantRefused("gone"))
        default: try await device.send(.studyStatus(end, isPaused: true))
        }
        if end != "left" { try await device.run(until: evening) }
        let status = StatusReader(
            database: device.database, view: nil, stamps: stamps(at: evening), folder: "/tmp")
        let text = try await status.text(json: false, uploads: false)
        #expect(text.contains("0 runs done, \(missed) missed"), "\(text)")
        #expect(text.contains("FAULT       study: the server takes no more answers") == (end == "refused"), "\(text)")
    }

    @Test func whomTheServerTakesNothingOfStaysSoOverARestart() async throws {
        var device = try await Self.device(Self.two, answers: false)
        try await device.run(until: Self.moment("02T08:00:10", of: device))
        try #require(device.prompt != nil)
        try await device.send(.participantRefused("gone"))
        #expect(device.prompt == nil)
        try await device.cutPower()
        try await device.run(until: Self.moment("03T09:00:00", of: device))
        let conductor = device.study?.conductor
        #expect(device.prompt == nil && conductor?.scheduler.isPaused == true)
        let view = SharedState()
        view.change { $0.conductor = conductor }
        let fault = try #require(view.now.faults.first)
        #expect(fault.cause.contains("gone") && fault.remedy?.contains("studyd withdraw") == true, "\(fault)")
        #expect(try await Self.ends(device).allSatisfy { $0.hasSuffix("study-paused") })
    }

    /// At 17:00 in New York the device comes to Berlin, where it is 23:00: the run stays open until its end there, and
    /// another version of the same runs does not end it.
    @Test func aRunThatAChangeOfZoneLeavesOpenStaysSo() async throws {
        var device = try await Self.device(Self.one, answers: false)
        try await device.run(until: Self.moment("04T17:00:00", of: device))
        try await device.cutPower(into: Zone.load("Europe/Berlin"))
        try await Self.update(&device, to: "1.1", Self.one)
        try #require(Self.version(of: device) == "1.1")
        #expect(try await Self.ends(device).count == 2)
        #expect(device.study?.conductor.scheduler.ledger.open == 1)
    }

    /// What was over is known only with the time.
    @Test func aVersionWaitsForAClockThatIsKnown() async throws {
        var device = try await Self.device(Self.one, answers: false)
        let off = try Self.moment("03T10:00:00", of: device)
        try await device.run(until: off)
        try await device.cutPower(clockShows: off)
        try await Self.update(&device, to: "1.1", Self.two)
        #expect(Self.version(of: device) == "1.0")
        try await device.setClock(to: Self.moment("05T07:00:00", of: device))
        #expect(Self.version(of: device) == "1.1")
        try await device.run(until: Self.moment("05T22:00:00", of: device))
        #expect(try await Self.ends(device).suffix(2) == ["Q/v2/7 5 08:00 expired", "Q/v2/8 5 13:00 expired"])
    }

    /// The clock had gone ahead by ten days when the version was taken up, and is put right.
    @Test(arguments: [false, true])
    func aVersionOfAClockThatWasAheadCountsFromWhenItIsRight(_ restarts: Bool) async throws {
        var device = try await Self.device([("09:00:00", "09:59:59")], answers: false)
        try await device.run(until: Self.moment("03T10:00:00", of: device))
        try await device.setClock(to: Self.moment("13T10:00:00", of: device))
        try await device.run(until: Self.moment("13T11:00:00", of: device))
        try await Self.update(&device, to: "1.1", [("12:00:00", "12:59:59")])
        try #require(Self.version(of: device) == "1.1")
        if restarts { try await device.cutPower() }
        try await device.setClock(to: Self.moment("03T13:00:00", of: device))
        let before = try await Self.ends(device).count
        if restarts { try await device.cutPower() }
        try await device.run(until: Self.moment("05T14:00:00", of: device))
        #expect(try await Self.ends(device).dropFirst(before) == ["Q/v2/3 4 12:00 expired", "Q/v2/4 5 12:00 expired"])
        // What ended by the clock that was ahead is void, under the numbers of the version before, too.
        let outcomes = try await device.database.outcomes(of: device.enrolment)
        #expect(outcomes.keys.sorted() == ["Q/1", "Q/2", "Q/v2/3", "Q/v2/4"])
        let ledger = try #require(device.study?.conductor.scheduler.ledger)
        #expect(ledger.isBalanced && ledger.due == outcomes.count && ledger.open == 0, "\(ledger)")
    }
}
