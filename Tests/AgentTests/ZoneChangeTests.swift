// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// Times of day that go with the participant, as MyStudies' apps have them: a run is moved by what
/// the phone's offset has changed (GoogleCloudPlatform/fda-mystudies 7f3ea838,
/// SurveyScheduler.getOffset and `appleyOffset`; Schedule.swift, `offset`), so that nine o'clock
/// stays nine o'clock. What was prompted before the change stays at its moment.
@Suite struct ZoneChangeTests {
    /// A run a day between those times of day, from one date to another.
    static func study(
        run: (start: String, end: String) = ("09:00:00", "20:59:59"), from: String = "2026-03-01",
        until: String = "2026-03-26"
    ) throws -> LoadedStudy {
        let list = """
            {"message":"SUCCESS","activities":[{"activityId":"Day","activityVersion":"1.0","title":"Day","type":"questionnaire",
            "startTime":"\(from)T09:00:00.000-0500","endTime":"\(until)T23:59:59.000-0500","branching":false,"schedulingType":"Regular",
            "frequency":{"type":"Daily","runs":[{"startTime":"\(run.start)","endTime":"\(run.end)"}]}}]}
            """
        let files = [
            "Day_1.0.json": MyStudiesSimulationTests.activity(
                "Day", #""resultType":"boolean","key":"fine","format":{}"#),
            "activityList.json": list,
        ]
        let all = files.sorted { $0.key < $1.key }.map { StudySource.File(name: $0.key, bytes: Array($0.value.utf8)) }
        return try LoadedStudy(StudyBundle.bytes(all, options: StudyOptions()), origin: "folder")
    }

    private func device(
        at local: String, in zone: String, _ study: LoadedStudy? = nil
    ) async throws -> StudyDevice {
        var participant = Participant()
        participant.misses = 1
        return try await StudyDevice(
            study ?? Self.study(), buttons: AgentFixture.panels[1], participant: participant, at: local,
            postURL: "http://127.0.0.1:1/x.api", zone: Zone.load(zone))
    }

    private func moment(_ local: String, _ zone: String) throws -> Instant {
        try Zone.load(zone).resolve(LocalDateTime(parsing: local)).instant
    }

    /// `3-20 09:00 Europe/Berlin expired`: when it was due, by the wall clock of that zone,
    /// and how it ended.
    private func ends(_ device: StudyDevice, in zones: [String]) async throws -> [String] {
        var lines: [String] = []
        for logged in try await device.database.events(kind: "concluded", limit: -1) {
            guard case .concluded(let occurrence, let outcome) = logged.event else { continue }
            let shown = try zones.map { name in
                let local = try Zone.load(name).local(occurrence.due)
                let (_, month, day) = local.date.components
                return "\(month)-\(day) \(local.time.text(fractionDigits: 0).prefix(5))"
            }
            lines.append(
                "\(occurrence.number) \(shown.joined(separator: " = ")) \(outcome.reason?.rawValue ?? outcome.name)")
        }
        return lines
    }

    @Test func goingWestKeepsWhatIsOpenAndMovesTheMornings() async throws {
        let (berlin, york) = ("Europe/Berlin", "America/New_York")
        var device = try await device(at: "2026-03-20T08:00", in: berlin)
        try await device.run(until: moment("2026-03-20T15:00", berlin))
        try await device.cutPower(for: .seconds(1800), into: Zone.load(york))
        // New York's clocks show 10:30: the run of Berlin's morning is open, and ends with Berlin's
        // evening at 15:59.
        #expect(device.study?.conductor.scheduler.ledger.open == 1)
        try await device.run(until: moment("2026-03-20T15:58", york))
        #expect(device.study?.conductor.scheduler.ledger.open == 1)
        try await device.run(until: moment("2026-03-22T22:00", york))
        #expect(
            try await ends(device, in: [berlin, york]) == [
                "1 3-20 09:00 = 3-20 04:00 expired", "2 3-21 14:00 = 3-21 09:00 expired",
                "3 3-22 14:00 = 3-22 09:00 expired",
            ])
        let changes = try await device.database.events(kind: "zoneChanged", limit: -1).map(\.event)
        #expect(
            changes == [.zoneChanged(from: berlin, to: york, until: try moment("2026-03-20T15:00", berlin))])
        // Another start in the same zone is no change.
        try await device.cutPower()
        #expect(try await device.database.events(kind: "zoneChanged", limit: -1).count == 1)
    }

    /// Over the date line: a whole morning lies ahead in Los Angeles and behind in Tokyo. It was
    /// not there before the change, and is not given a past.
    @Test func aMorningThatTheWallClockPassesOverSaysSo() async throws {
        let (angeles, tokyo) = ("America/Los_Angeles", "Asia/Tokyo")
        var device = try await device(at: "2026-03-20T08:00", in: angeles)
        // 06:00 of the 21st is 22:00 in Tokyo.
        let change = try moment("2026-03-21T06:00", angeles)
        try await device.run(until: change)
        try await device.cutPower(for: .seconds(60), into: Zone.load(tokyo))
        #expect(device.study?.conductor.scheduler.ledger.open == 0)
        let passed = try await ends(device, in: [angeles, tokyo])
        #expect(passed.count == 2 && passed[0] == "1 3-20 09:00 = 3-21 01:00 expired")
        #expect(
            passed.last?.hasSuffix("zone-changed") == true && passed.last?.hasPrefix("2 3-21 0") == true, "\(passed)")
        for logged in try await device.database.events(kind: "concluded", limit: -1) {
            guard case .concluded(let occurrence, _) = logged.event else { continue }
            #expect(occurrence.due > (device.study?.record.instant ?? .epoch))
        }
        try await device.run(until: moment("2026-03-22T22:00", tokyo))
        #expect(try await ends(device, in: [tokyo]).last == "3 3-22 09:00 expired")
        #expect(device.study?.conductor.scheduler.ledger.isBalanced == true)
    }

    /// One that the new zone's wall clock is in the middle of is offered at once, from then on and
    /// not from before.
    @Test func aRunThatIsOpenInTheNewZoneBeginsWithTheChange() async throws {
        let (york, berlin) = ("America/New_York", "Europe/Berlin")
        var device = try await device(at: "2026-03-20T08:00", in: york)
        let change = try moment("2026-03-21T07:00", york)
        try await device.run(until: change)
        try await device.cutPower(into: Zone.load(berlin))
        #expect(device.study?.conductor.scheduler.ledger.open == 1)
        let last = try await device.database.events(kind: "prompted", limit: -1).last?.event
        guard case .prompted(let occurrence)? = last else { throw TestFailure() }
        #expect(occurrence.number == 2 && occurrence.due <= change && occurrence.due > change - .seconds(43_200))
        // It stays at that moment over the next start.
        try await device.cutPower()
        try await device.run(until: moment("2026-03-21T22:00", berlin))
        let ended = try await device.database.events(kind: "concluded", limit: -1).last?.event
        guard case .concluded(let end, .expired)? = ended else { throw TestFailure() }
        #expect(end.due == occurrence.due && end.id == occurrence.id)
    }

    // The run of 31 March is due at six in the evening, which is 16:00 UTC in Berlin, 9:00 in Tokyo and 22:00 in New
    // York, on a device that is off from one time of that day (UTC) to another.

    private static let evening = (start: "18:00:00", end: "18:29:59")

    /// Enrolled in Berlin that morning, and off until it is in another zone. Every run that has ended by midnight: when
    /// it was due, and how it ended.
    private func ends(
        ofRun run: (start: String, end: String), to zone: String, off: String, on: String, isLost: Bool = false
    ) async throws -> [String] {
        let (last, boot) = (try moment("2026-03-31T\(off)", "UTC"), try moment("2026-03-31T\(on)", "UTC"))
        let (study, other) = (try Self.study(run: run, until: "2026-04-05"), try Zone.load(zone))
        var device = try await self.device(at: "2026-03-31T08:00", in: "Europe/Berlin", study)
        try await device.run(until: last)
        if isLost {
            try await device.loseStudy(off: .zero, without: boot - last, restarts: 1, into: other)
        } else {
            try await device.cutPower(for: boot - last, into: other)
        }
        try await device.run(until: moment("2026-03-31T23:59:59", "UTC"))
        return try await device.database.events(kind: "concluded", limit: -1).compactMap { logged -> String? in
            guard case .concluded(let occurrence, let outcome) = logged.event else { return nil }
            return "\(occurrence.due.rfc3339Zulu().dropFirst(11)) \(outcome.reason?.rawValue ?? outcome.name)"
        }
    }

    /// What the old zone had ahead and the new one has passed at the last row was passed over by the journey. Any other
    /// run comes by the new zone, or was missed because the device was off.
    @Test(
        arguments: [
            ("Asia/Tokyo", "10:01:00", "20:00:00", "10:01:00Z zone-changed"),
            ("Asia/Tokyo", "10:01:00", "10:01:00", "10:01:00Z zone-changed"),
            ("Asia/Tokyo", "09:00:01", "20:00:00", "09:00:01Z zone-changed"),
            ("Asia/Tokyo", "09:00:00", "20:00:00", "09:00:00Z device-off"),
            ("Asia/Tokyo", "15:59:59", "20:00:00", "15:59:59Z zone-changed"),
            ("Asia/Tokyo", "16:01:00", "20:00:00", "16:00:00Z expired"),
            ("America/New_York", "10:01:00", "20:00:00", "22:00:00Z expired"),
            ("America/New_York", "10:01:00", "22:29:58", "22:00:00Z expired"),
            ("America/New_York", "10:01:00", "22:29:59", "22:00:00Z device-off"),
            ("America/New_York", "15:59:59", "20:00:00", "22:00:00Z expired"),
            ("America/New_York", "16:01:00", "20:00:00", "16:00:00Z expired"),
        ])
    func aJourneyIsMadeAtTheLastRowHoweverLongTheDeviceIsOff(_ zone: String, off: String, on: String, end: String)
        async throws
    {
        #expect(try await ends(ofRun: Self.evening, to: zone, off: off, on: on) == [end])
    }

    /// It is open until 15:00 UTC, less a second, in Tokyo.
    @Test(arguments: [("14:59:58", "10:01:00Z expired"), ("14:59:59", "10:01:00Z zone-changed")])
    func whatAJourneyPassedIsOfferedWhileItCanBeDone(on: String, end: String) async throws {
        let run = (start: "18:00:00", end: "23:59:59")
        #expect(try await ends(ofRun: run, to: "Asia/Tokyo", off: "10:01:00", on: on) == [end])
    }

    /// A loss counts as time off, for the journey too.
    @Test func theJourneyOfALostStudyIsMadeWhenItWasLost() async throws {
        #expect(
            try await ends(ofRun: Self.evening, to: "Asia/Tokyo", off: "10:01:00", on: "20:00:00", isLost: true) == [
                "10:01:00Z zone-changed"
            ])
    }

    /// ESMira's prompts are called by the number of their day. Who joins at eight on a Monday
    /// evening in Berlin joins on Tuesday in Tokyo: counted there, Tuesday's prompt would take the
    /// name of Monday's, which was given, and be lost.
    @Test func namesOfPromptsDoNotChangeWithTheZone() async throws {
        let text =
            #"{"id":7,"version":1,"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA","durationPeriodDays":5,"pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{"reminder_count":2,"reminder_delay_minu":60}],"schedules":[{"startDayOne":false,"userEditable":false,"signalTimes":[{"startTimeOfDay":75600000}]}]}]}]}"#
        let (berlin, tokyo) = ("Europe/Berlin", "Asia/Tokyo")
        var participant = Participant(latency: .seconds(1_000_000))
        participant.opens = 0
        var device = try await StudyDevice(
            LoadedStudy(Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira")),
            buttons: AgentFixture.panels[2], participant: participant, at: "2026-03-02T20:00",
            postURL: "https://s.example/")
        try await device.run(until: moment("2026-03-02T21:30", berlin))
        let first = try await prompted(device)
        try #require(first.count == 1)
        try await device.cutPower(into: Zone.load(tokyo))
        #expect(device.study?.conductor.scheduler.occurrence(first[0].id)?.due == first[0].due)
        #expect(device.study?.conductor.scheduler.occurrence(first[0].id)?.reminders.count == 2)
        try await device.run(until: moment("2026-03-05T22:00", tokyo))
        let all = try await prompted(device)
        #expect(Set(all.map(\.id)).count == all.count)
        let evenings = try ["2026-03-03T21:00", "2026-03-04T21:00", "2026-03-05T21:00"].map { try moment($0, tokyo) }
        #expect(all.dropFirst().map(\.due) == evenings, "\(all)")
    }

    private func prompted(_ device: StudyDevice) async throws -> [(id: String, due: Instant)] {
        try await device.database.events(kind: "prompted", limit: -1).compactMap { logged in
            guard case .prompted(let occurrence) = logged.event else { return nil }
            return (occurrence.id, occurrence.due)
        }
    }

    private struct TestFailure: Error {}

    /// tzdata may be gone when a device starts; the day of enrolment knows its offset.
    @Test func anEnrolmentKeepsItsZone() throws {
        let instant = Instant(seconds: 1_774_000_000)
        let zone = try Zone.load("Asia/Kathmandu")
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: nil, instant: instant,
            local: zone.local(instant), zone: zone, seed: [1])
        var record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "", fileDigest: try Digest(of: []))
        #expect(record.zone == "Asia/Kathmandu" && record.enrolment == enrolment)
        record.zone = "Asia/Atlantis"
        let fallback = try #require(record.enrolment?.zone)
        #expect(fallback.period(at: instant).offset == 20_700 && fallback.identifier == "UTC+05:45")
        record.zone = nil
        #expect(record.enrolment?.zone == fallback)
    }
}
