// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Testing

@testable import Agent
@testable import Study

/// What a report tells of a prompt besides how it ended.
struct PromptOutcomesTests {
    private static func anchored(_ source: ClockAnchor.Source) -> StudyEvent {
        .anchored(
            anchor: AnchorRecord(
                ClockAnchor(
                    monotonic: .zero, instant: Fixture.enrolment.instant, source: source,
                    uncertainty: .milliseconds(5))))
    }

    /// A crystal drifts by 100 ppm at most: a thousand seconds after an anchor of 5 ms, 105 ms.
    @Test(arguments: [(.kernel, 0.105), (.unknown, nil)] as [(ClockAnchor.Source, Double?)])
    func itsOpeningPressesAndClockAreTold(source: ClockAnchor.Source, error: Double?) async throws {
        let database = try StudyDatabase(.memory)
        let answer = AnswerRecord(
            question: "happy", value: .number(0.1), presented: .zero, answered: MonotonicTime(nanoseconds: 5),
            presses: 3)
        for (second, event) in [
            (0, Fixture.enrolled), (0, Self.anchored(source)), (10, .prompted(occurrence: Fixture.record(1))),
            (12, .presented(occurrence: "mood/1")), (20, .runOpened(task: "mood", opening: 1, occurrence: "mood/1")),
            (30, .answered(task: "mood", opening: 1, answer: answer)), (35, .runLeft(task: "mood", opening: 1)),
            (40, .runOpened(task: "mood", opening: 2, occurrence: "mood/1")),
            (50, .answered(task: "mood", opening: 2, answer: answer)),
            (1000, .concluded(occurrence: Fixture.record(1), outcome: .completed)),
        ] as [(Int64, StudyEvent)] {
            try await database.append([event], at: Fixture.stamp(second))
        }
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        #expect(outcome.opened == Fixture.stamp(20).wall && outcome.presented == Fixture.stamp(12).wall)
        #expect(outcome.presses == ["happy": 6])
        if let error {
            #expect(abs(try #require(outcome.clockError) - error) < 1e-6)
        } else {
            #expect(outcome.clockError == nil)
        }
    }

    /// A clock that was ahead by these seconds until it was set: before the prompt of the tenth second, between its
    /// signal and its opening, or while it was open; nil = between two boots, of which no row tells.
    @Test(
        arguments: [
            (7_200, 5, 0), (7_200, 15, 7_200), (7_200, 500, 7_200), (60, 500, 60), (-7_200, 500, 7_200),
            (7_200, nil, 6_220), (60, nil, 0),
        ] as [(Int64, Int64?, Double)])
    func aClockThatWasSetMeanwhileIsInItsError(ahead: Int64, set: Int64?, by: Double) async throws {
        let database = try StudyDatabase(.memory)
        var rows: [(Int64, StudyEvent)] = [
            (10, .prompted(occurrence: Fixture.record(1))), (12, .presented(occurrence: "mood/1")),
            (20, .runOpened(task: "mood", opening: 1, occurrence: "mood/1")),
            (1000, .concluded(occurrence: Fixture.record(1), outcome: .completed)),
        ]
        if let set { rows.append((set, .clockStepped(nanoseconds: -ahead * 1_000_000_000))) }
        try await database.append([Fixture.enrolled, Self.anchored(.kernel)], at: Fixture.stamp(0))
        for (second, event) in rows.sorted(by: { $0.0 < $1.0 }) {
            var stamp = Fixture.stamp(second)
            if second < set ?? 1000 { stamp.wall = stamp.wall + .seconds(ahead) }
            try await database.append([event], at: stamp)
        }
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        #expect(abs(try #require(outcome.clockError) - 0.105 - by) < 1e-6)
    }

    /// A boot without a clock of its own begins behind, by the hour for which the device was off.
    @Test(
        arguments: [("boot", 3_600, true), ("later", 3_600, false), ("later", -3_600, true)] as [(String, Int64, Bool)])
    func theTimeForWhichADeviceWasOffIsNoError(boot: String, step: Int64, isError: Bool) async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([Fixture.enrolled, Self.anchored(.kernel)], at: Fixture.stamp(0))
        try await database.append(
            [.prompted(occurrence: Fixture.record(1)), .presented(occurrence: "mood/1")], at: Fixture.stamp(10))
        var stamp = Fixture.stamp(5_000)
        if boot == "later" { stamp.bootID = boot }
        try await database.append([.clockStepped(nanoseconds: step * 1_000_000_000)], at: stamp)
        try await database.append(
            [.concluded(occurrence: Fixture.record(1), outcome: .expired)], at: Fixture.stamp(6_000))
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        #expect((try #require(outcome.clockError) >= 3_600) == isError)
    }

    /// Offers, and what was due before the enrolment, are done or not without a prompt.
    @Test(
        arguments: [
            (true, .completed, "null"), (true, .expired, "null"), (false, .completed, "\"not-signalled\""),
            (false, .expired, "\"not-signalled\""), (false, .missed(.beforeEnrolment), "\"before-enrolment\""),
        ] as [(Bool, Outcome, String)])
    func whatHadNoSignalSaysSo(isSignalled: Bool, end: Outcome, reason: String) async throws {
        let database = try StudyDatabase(.memory)
        let prompt = Fixture.occurrence(1)
        let due = Occurrence(
            id: prompt.id, task: prompt.task, taskIndex: 2, number: 1, local: prompt.local, due: prompt.due,
            expires: nil, isSignalled: isSignalled)
        try await database.append(
            [Fixture.enrolled, .concluded(occurrence: OccurrenceRecord(due), outcome: end)], at: Fixture.stamp(0))
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        #expect(outcome.json(in: .utc).text.contains("\"reason\":\(reason)"))
    }

    /// ESMira's plain notifications ask nothing: heard or not, they are no prompts that were kept or missed.
    @Test(arguments: [Outcome.completed, .missed(.deviceOff)]) func aNoticeIsNoPrompt(end: Outcome) async throws {
        let database = try StudyDatabase(.memory)
        var notice = Fixture.occurrence(1)
        notice.purpose = .notice(StudyNotice(kind: "notification", text: "Welcome", record: nil))
        try await database.append(
            [
                Fixture.enrolled, .concluded(occurrence: OccurrenceRecord(notice), outcome: end),
                .concluded(occurrence: Fixture.record(2), outcome: .expired),
            ], at: Fixture.stamp(0))
        let told = try await database.outcomes(of: "e1", after: 0, limit: 10)
        #expect(told.map(\.occurrence) == ["mood/2"])
        #expect(try await database.lastCompletion(of: "e1") == nil)
    }

    /// In the order of the log, up to the last row that is known of both; one that cannot be read counts, too.
    @Test(
        arguments: [
            (10, 10, true, ["mood/1", "mood/3"], [["mood/2"], ["mood/4"]]), (1, 10, true, ["mood/1"], []),
            (2, 10, true, ["mood/1", "mood/3"], [["mood/2"]]), (10, 1, true, ["mood/1"], [["mood/2"]]),
            (10, 2, true, ["mood/1", "mood/3"], [["mood/2"], ["mood/4"]]), (1, 10, false, [], [[]]),
        ] as [(Int, Int, Bool, [String], [[String]])])
    func endingsGoAsFarAsBothAreKnown(
        outcomes: Int, returns: Int, isRead: Bool, told: [String], gone: [[String]]
    ) async throws {
        let path = try UploadFixture.folder() + "/studyd.sqlite"
        let database = try StudyDatabase(.file(path))
        for event in [
            Fixture.enrolled, .concluded(occurrence: Fixture.record(1), outcome: .expired),
            .occurrencesReturned(occurrences: ["mood/2"]),
            .concluded(occurrence: Fixture.record(3), outcome: .expired),
            .occurrencesReturned(occurrences: ["mood/4"]),
        ] {
            try await database.append([event], at: Fixture.stamp(0))
        }
        if !isRead {
            let body = #"{"occurrence":{"id":"mood/1"}}"#
            try Connection(.file(path)).execute(
                """
                DROP TRIGGER event_stays;
                UPDATE event SET body = '\(body)' WHERE kind = 'concluded' AND sequence < 4
                """)
        }
        let endings = try await database.endings(of: "e1", after: 0, outcomes: outcomes, returns: returns)
        #expect(endings.outcomes.map(\.occurrence) == told && endings.returned.map(\.occurrences) == gone)
    }

    @Test func aPromptThatWasNeverOpenedSaysSo() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append(
            [Fixture.enrolled, .concluded(occurrence: Fixture.record(1), outcome: .missed(.deviceOff))],
            at: Fixture.stamp(0))
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        #expect(outcome.opened == nil && outcome.presses.isEmpty && outcome.clockError == nil)
        let text = outcome.json(in: .utc).text
        #expect(
            text.contains(#""opened":null"#) && text.contains(#""presses":{}"#) && text.contains(#""clockError":null"#))
    }

    /// Due in Berlin while the device was off, and found so in Kathmandu; reported from there, or from home.
    @Test(arguments: [20_700, 3_600]) func itIsDueOnTheWallClockThatItWasPlannedFor(offset: Int) async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        let there = EventStamp(
            wall: Fixture.stamp(86_400).wall, monotonic: .zero, bootID: "boot-2", zoneOffset: 20_700, enrolment: "e1")
        try await database.append(
            [.concluded(occurrence: Fixture.record(1), outcome: .missed(.deviceOff))], at: there)
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        let text = outcome.json(in: Zone(fixed: offset, identifier: "now", abbreviation: "now")).text
        #expect(text.contains(#""due":"2027-01-15T10:00:00+01:00""#), "\(text)")
        #expect(text.contains(#""ended":"2027-01-16T13:45:00+05:45""#), "\(text)")
    }

    /// Due at 10:00 in UTC. A journey moved it there from 14:00 in Berlin, or a change of the clock skipped its time:
    /// no wall clock showed what was planned.
    @Test(
        arguments: [
            (14_400, .unique, "15:45:00+05:45"), (3_600, .skipped, "15:45:00+05:45"),
            (3_600, .unique, "11:00:00+01:00"),
            (3_600, .repeated, "11:00:00+01:00"),
        ] as [(Int, Zone.Resolution, String)])
    func aPlannedTimeThatNoWallClockShowedIsNotTold(offset: Int, resolution: Zone.Resolution, time: String) async throws
    {
        let database = try StudyDatabase(.memory)
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        let due = Fixture.stamp(7_200).wall
        let moved = Occurrence(
            id: "mood/1", task: "mood", taskIndex: 2, number: 1, local: LocalDateTime(due, offset: offset), due: due,
            expires: nil, resolution: resolution)
        let there = EventStamp(
            wall: Fixture.stamp(86_400).wall, monotonic: .zero, bootID: "boot-2", zoneOffset: 20_700, enrolment: "e1")
        try await database.append(
            [.concluded(occurrence: OccurrenceRecord(moved), outcome: .missed(.deviceOff))], at: there)
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        let text = outcome.json(in: Zone(fixed: 20_700, identifier: "now", abbreviation: "now")).text
        #expect(text.contains("\"due\":\"2027-01-15T\(time)\""), "\(text)")
    }

    /// It ended at an offset of an hour, and is reported from there, or from Kathmandu.
    @Test(arguments: [0, 3_600, 20_700]) func aJourneyLeavesTheWallClockOfThen(offset: Int) async throws {
        let database = try StudyDatabase(.memory)
        try await database.append(
            [Fixture.enrolled, .concluded(occurrence: Fixture.record(1), outcome: .expired)], at: Fixture.stamp(0))
        let outcome = try #require(try await database.outcomes(of: "e1", after: 0, limit: 10).first)
        let now = Zone(fixed: offset, identifier: "now", abbreviation: "now")
        let text = outcome.json(in: now).text
        #expect(text.contains(#""ended":"2027-01-15T09:00:00+01:00""#), "\(text)")
    }
}
