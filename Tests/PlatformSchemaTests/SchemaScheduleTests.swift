// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import SystemKit
import Testing

@testable import PlatformSchema

@Suite struct SchemaScheduleTests {
    /// Enrolled on 2026-03-02 at 10:00.
    static func context(_ condition: String? = nil, seed: UInt8 = 1, zone: Zone = .utc) -> ScheduleContext {
        Joined.context(condition, seed: seed, zone: zone)
    }

    static func alerts(_ text: String) throws -> [Occurrence] { try alerts(text, in: context()) }

    static func alerts(_ text: String, in context: ScheduleContext) throws -> [Occurrence] {
        let task = try ProtocolText(alerts: text).decode().tasks[0]
        return task.schedule.occurrences(of: task, in: context)
    }

    /// `03-02 09:30`, with marks: `h` hidden, `q` quiet, `+n` minutes until it expires.
    static func word(_ occurrence: Occurrence) -> String {
        let day = occurrence.local.date.components
        let time = occurrence.local.time
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        var word = "\(two(day.month))-\(two(day.day)) \(two(time.hour)):\(two(time.minute))"
        if occurrence.isHidden { word += " h" }
        if !occurrence.isSignalled { word += " q" }
        if let expires = occurrence.expires { word += " +\((expires - occurrence.due).nanoseconds / 60_000_000_000)" }
        return word
    }

    static let kinds: [(String, [String])] = [
        // Fixed times, over two days; the first lies before enrolment.
        (
            #""start_offset":0,"duration":2,"times":[{"hours":9,"minutes":30},{"hours":"18","minutes":"5"}]"#,
            ["03-02 09:30 q", "03-02 18:05", "03-03 09:30", "03-03 18:05"]
        ),
        // A start offset counts calendar days, backwards too.
        (
            #""start_offset":-1,"duration":1,"times":[{"hours":0,"minutes":0}]"#, ["03-01 00:00 q"]
        ),
        (
            #""start_offset":30,"duration":1,"times":[{"hours":23,"minutes":59}]"#, ["04-01 23:59"]
        ),
        // Times that are not sorted in the file.
        (
            #""start_offset":1,"duration":1,"times":[{"hours":20,"minutes":0},{"hours":8,"minutes":0}]"#,
            ["03-03 08:00", "03-03 20:00"]
        ),
        // Minutes below 1000, milliseconds from there on.
        (
            #""start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"timeout":true,"timeout_after":30"#,
            ["03-03 08:00 +30"]
        ),
        (
            #""start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"timeout":true,"timeout_after":72000000"#,
            ["03-03 08:00 +1200"]
        ),
        (
            #""start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"timeout":false,"timeout_after":30"#,
            ["03-03 08:00"]
        ),
        // Sticky: only the first is in the list, and no time limit holds.
        (
            #""start_offset":0,"duration":2,"times":[{"hours":8,"minutes":0}],"sticky":true,"timeout":true,"timeout_after":5"#,
            ["03-02 08:00 q", "03-03 08:00 h"]
        ),
        (#""start_offset":0,"duration":0,"times":[{"hours":8,"minutes":0}]"#, []),
        (#""start_offset":0,"duration":3,"times":[]"#, []),
        // `random` without its switch moves nothing.
        (
            #""start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"random":false,"random_interval":60"#,
            ["03-03 08:00"]
        ),
        (
            #""start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"random":true,"random_interval":0"#,
            ["03-03 08:00"]
        ),
    ]

    @Test(arguments: kinds.indices)
    func everyKindOfScheduleMakesTheAppsTasks(_ index: Int) throws {
        #expect(try Self.alerts(Self.kinds[index].0).map(Self.word) == Self.kinds[index].1)
    }

    @Test func randomMinutesAreEvenFromMinusNToNMinusOne() throws {
        let occurrences = try Self.alerts(
            #""start_offset":1,"duration":4000,"times":[{"hours":12,"minutes":0}],"random":true,"random_interval":3"#)
        let shifts = occurrences.map { $0.local.time.hour * 60 + $0.local.time.minute - 720 }
        let counts = Dictionary(shifts.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(Set(counts.keys) == [-3, -2, -1, 0, 1, 2])
        #expect(counts.values.allSatisfy { (560...780).contains($0) })
    }

    @Test func randomTimesCrossMidnightAndAreSortedAfterIt() throws {
        let occurrences = try Self.alerts(
            #""start_offset":1,"duration":200,"times":[{"hours":0,"minutes":5},{"hours":23,"minutes":50}],"random":true,"random_interval":30"#
        )
        let shifts = occurrences.map { occurrence in
            occurrence.local.date.daysSinceEpoch - (20_515 + (occurrence.number - 101) / 2)
        }
        #expect(Set(shifts) == [-1, 0, 1])
        #expect(zip(occurrences, occurrences.dropFirst()).allSatisfy { $0.due <= $1.due })
        // Numbers follow the building order, not the time.
        #expect(Set(occurrences.map(\.number)) == Set(101..<501) && occurrences.map(\.number) != Array(101..<501))
    }

    @Test func drawsFollowFromTheSeedAlone() throws {
        let text =
            #""start_offset":1,"duration":20,"times":[{"hours":12,"minutes":0}],"random":true,"random_interval":300"#
        let first = try Self.alerts(text, in: Self.context(seed: 1))
        #expect(try Self.alerts(text, in: Self.context(seed: 1)) == first)
        #expect(try Self.alerts(text, in: Self.context(seed: 2)) != first)
    }

    @Test func numbersCountOnlyModulesOfTheOwnArm() throws {
        let alerts = #""alerts":{"start_offset":0,"duration":2,"times":[{"hours":8,"minutes":0}]},"sections":[]"#
        let text = ProtocolText(
            module: #""uuid":"a","condition":"A","#,
            more:
                #",{"uuid":"b","condition":"*",\#(alerts)},{"uuid":"n",\#(alerts)},{"uuid":"c","condition":"B",\#(alerts)}"#
        )
        let study = try text.decode()
        func numbers(_ index: Int, _ condition: String) -> [Int] {
            study.tasks[index].schedule.occurrences(of: study.tasks[index], in: Self.context(condition)).map(\.number)
        }
        #expect(numbers(1, "A") == [103, 104] && numbers(1, "B") == [101, 102])
        #expect(numbers(3, "B") == [103, 104])
        // In a study that has conditions a module without one belongs to no arm.
        #expect(numbers(2, "A").isEmpty && study.remarks.contains { $0.path == "$.modules[2].condition" })
    }

    /// The app compares by `===`.
    @Test func aNumberAndATextThatReadTheSameAreTwoArms() throws {
        let alerts = #""alerts":{"start_offset":0,"duration":1,"times":[{"hours":8,"minutes":0}]},"sections":[]"#
        let study = try ProtocolText(
            conditions: #""conditions":[5,"5",5.0,"true",true],"#, module: #""uuid":"a","condition":5,"#,
            more:
                #",{"uuid":"b","condition":"5",\#(alerts)},{"uuid":"c","condition":true,\#(alerts)},{"uuid":"d","condition":"true",\#(alerts)}"#
        ).decode()
        let (text, boolean) = ("5 (of another type)", "true (of another type)")
        #expect(study.conditions == ["5", text, "5", "true", boolean])
        #expect(study.tasks.map(\.condition) == ["5", text, boolean, "true"])
        let numbers = study.tasks.map { $0.schedule.occurrences(of: $0, in: Self.context($0.condition)).map(\.number) }
        #expect(numbers == [[101, 102], [101], [101], [101]])
    }

    @Test func emptyConditionsScheduleOnlyWhatIsForEveryone() throws {
        let alerts = #""alerts":{"start_offset":0,"duration":1,"times":[{"hours":8,"minutes":0}]},"sections":[]"#
        let study = try ProtocolText(
            conditions: "\"conditions\":[],", module: #""uuid":"a","condition":"A","#,
            more: #",{"uuid":"b","condition":"*",\#(alerts)},{"uuid":"n",\#(alerts)}"#
        ).decode()
        #expect(study.tasks.map(\.condition) == ["A", nil, nil])
        #expect(study.tasks[2].schedule.occurrences(of: study.tasks[2], in: Self.context()).map(\.number) == [102])
    }

    @Test func unlockingWaitsForEveryModuleNamed() throws {
        let alerts = #""alerts":{"start_offset":0,"duration":1,"times":[]},"sections":[]"#
        let study = try ProtocolText(
            more: #",{"uuid":"b",\#(alerts)},{"uuid":"c","unlock_after":["u","b"],\#(alerts)}"#
        ).decode()
        #expect(!study.tasks[2].unlocked.holds(StudyFacts(completedTasks: ["u"])))
        #expect(study.tasks[2].unlocked.holds(StudyFacts(completedTasks: ["u", "b"])))
        #expect(study.tasks[0].unlocked.holds(StudyFacts()))
    }

    @Test func userIDHasEightEvenlyDrawnCharacters() {
        var generator = SplitMix64(seed: 1)
        let letters = (0..<1000).flatMap { _ in Array(Pseudonym.draw(using: &generator).text) }
        let counts = Dictionary(letters.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(letters.count == 8000 && counts.count == 25 && counts.values.allSatisfy { (250...390).contains($0) })
    }

    static let berlin = try? Zone.load("Europe/Berlin")

    /// Enrolled on 2026-03-02; day 27 is 2026-03-29 (clocks go forward), day 237 is 2026-10-25
    /// (clocks go back).
    static let changes: [(Int, Int, Int, String, Zone.Resolution)] = [
        (27, 1, 59, "2026-03-29T01:59:00+01:00", .unique), (27, 2, 0, "2026-03-29T03:00:00+02:00", .skipped),
        (27, 2, 30, "2026-03-29T03:30:00+02:00", .skipped), (27, 3, 0, "2026-03-29T03:00:00+02:00", .unique),
        (237, 1, 59, "2026-10-25T01:59:00+02:00", .unique), (237, 2, 30, "2026-10-25T02:30:00+02:00", .repeated),
        (237, 3, 0, "2026-10-25T03:00:00+01:00", .unique), (26, 9, 0, "2026-03-28T09:00:00+01:00", .unique),
        (28, 9, 0, "2026-03-30T09:00:00+02:00", .unique), (238, 9, 0, "2026-10-26T09:00:00+01:00", .unique),
    ]

    @Test(.enabled(if: berlin != nil, "no tzdata on this machine"), arguments: changes.indices)
    func wallClockTimeIsKeptOverAChangeOfClocks(_ index: Int) throws {
        let zone = try #require(Self.berlin)
        let (day, hour, minute, due, resolution) = Self.changes[index]
        let text = """
            "start_offset":\(day),"duration":1,"times":[{"hours":\(hour),"minutes":\(minute)}],
            "timeout":true,"timeout_after":3600000
            """
        let occurrence = try #require(try Self.alerts(text, in: Self.context(zone: zone)).first)
        #expect(ZonedText(occurrence.due, in: zone).description == due)
        #expect(occurrence.resolution == resolution)
        // A time limit is a span of real time.
        #expect(occurrence.expires == occurrence.due + .seconds(3600))
    }

    static let apia = try? Zone.load("Pacific/Apia")

    /// `new Date(2011, 11, 30)` is the 31st in Samoa (ECMA-262, LocalTime: by the offset before the gap), and the
    /// day after it is 1 January.
    @Test(.enabled(if: apia != nil, "no tzdata on this machine"))
    func afterADayThatWasLeftOutDaysGoOnBehindIt() throws {
        let zone = try #require(Self.apia)
        let local = LocalDateTime(try LocalDate(parsing: "2011-12-29"), .midnight)
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: nil,
            instant: zone.resolve(local).instant, local: local, seed: [1])
        let context = ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Self.context().chance, facts: StudyFacts())
        let days = try Self.alerts(
            #""start_offset":0,"duration":3,"times":[{"hours":9,"minutes":30}]"#, in: context
        ).map { "\(zone.local($0.due).date)" }
        #expect(days == ["2011-12-29", "2011-12-31", "2012-01-01"])
    }

    @Test(.enabled(if: berlin != nil, "no tzdata on this machine"))
    func daysAreCalendarDaysForHalfAYear() throws {
        let zone = try #require(Self.berlin)
        let occurrences = try Self.alerts(
            #""start_offset":0,"duration":300,"times":[{"hours":8,"minutes":0}]"#, in: Self.context(zone: zone))
        #expect(occurrences.allSatisfy { zone.local($0.due).time.hour == 8 })
        #expect(Set(occurrences.map { zone.local($0.due).date }).count == 300)
    }

    @Test(
        .enabled(if: Fixture.isThere, "the upstream demo protocol is not beside the project"), arguments: [true, false])
    func upstreamDemoMakesTheAppsTasks(_ isControl: Bool) throws {
        let study = try SchemaReader().decode(StudySource(try #require(Fixture.read(Fixture.demo))))
        let context = Self.context(isControl ? "Control" : "Treatment")
        let elements = study.tasks[1].schedule.occurrences(of: study.tasks[1], in: context)
        #expect(elements.map(\.number).sorted() == Array((isControl ? 102 : 101)..<(isControl ? 122 : 121)))
        for occurrence in elements {
            let position = occurrence.number - (isControl ? 102 : 101)
            let named = LocalDateTime(
                context.enrolment.local.date.adding(days: 1 + position / 4),
                try #require(LocalTime(hour: 9 + 3 * (position % 4), minute: 30)))
            #expect((named.adding(minutes: -30)..<named.adding(minutes: 30)).contains(occurrence.local))
            #expect(occurrence.expires == occurrence.due + .seconds(1800))
        }
        let welcome = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
        #expect(welcome.map(\.number) == [101] && welcome[0].expires == nil && !welcome[0].isSignalled)
    }
}
