// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformSage

/// When tasks are due, by `study.toml`. Somebody joins on Monday, 2 March 2026, at ten (ISO
/// 8601's calendar).
@Suite struct SageScheduleTests {
    static let task = SageSample.task(#"{"type":"instruction","identifier":"a"}"#)

    static func study(_ table: String, more: [String: String] = [:]) throws -> StudyProtocol {
        try SageSample.study(
            ["study.json": #"{"identifier":"S","task":[{"file":"t.json",\#(table)}]}"#, "t.json": task].merging(more) {
                $1
            })
    }

    static func times(_ table: String, seed: UInt8 = 1, facts: StudyFacts = StudyFacts()) throws -> [String] {
        let study = try study(table)
        let joined = Joined.context(seed: seed)
        let context = ScheduleContext(enrolment: joined.enrolment, zone: .utc, chance: joined.chance, facts: facts)
        return study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context).map {
            "\($0.local.text(fractionDigits: 0))"
        }
    }

    @Test(arguments: [
        (
            #""times":["09:00","18:30"],"last_day":1"#,
            ["2026-03-02T18:30:00", "2026-03-03T09:00:00", "2026-03-03T18:30:00"]
        ),
        (#""times":["12:00"],"days":["wed","Friday"],"last_day":8"#, ["2026-03-04T12:00:00", "2026-03-06T12:00:00"]),
        (
            #""times":["12:00"],"every":3,"last_day":7"#,
            ["2026-03-02T12:00:00", "2026-03-05T12:00:00", "2026-03-08T12:00:00"]
        ),
        (#""times":["12:00"],"first_day":2,"last_day":3"#, ["2026-03-04T12:00:00", "2026-03-05T12:00:00"]),
        (#""times":["12:00"],"anchor":"2026-04-01","last_day":1"#, ["2026-04-01T12:00:00", "2026-04-02T12:00:00"]),
        (#""title":"Any time""#, ["2026-03-02T10:00:00"]),
    ])
    func daysAndTimesAreThoseOfTheCalendar(table: String, expected: [String]) throws {
        #expect(try Self.times(table) == expected)
    }

    @Test(arguments: [
        #""days":["mon"]"#, #""every":2"#, #""anchor":"2026-04-01""#, #""first_day":1"#, #""last_day":9"#,
        #""expires":"2h""#,
    ])
    func whatIsAlwaysOpenHasNoDays(_ table: String) throws {
        let error = #expect(throws: StudyFormatError.self) { try Self.study(table) }
        #expect(error?.problems.map(\.expected) == ["times, windows or after together with it"])
        #expect(throws: Never.self) { try Self.study(table + #","times":["12:00"]"#) }
    }

    @Test func aPlanSaysOfATaskWithoutTimesThatItIsAlwaysOpen() throws {
        let lines = Planner(study: try SageSample.study(["t.json": Self.task]), context: Joined.context()).lines()
        #expect(lines.map(\.remark) == ["open, without a prompt"])
    }

    @Test func randomTimesLieWithinTheirWindowAndApart() throws {
        let table = #""windows":[{"start":"13:00","end":"16:00","prompts":3,"apart":"45m"}],"last_day":20"#
        var seen: Set<Int> = []
        for seed in UInt8(1)...30 {
            let study = try Self.study(table)
            let all = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: Joined.context(seed: seed))
            #expect(all.count == 63)
            for (one, other) in zip(all, all.dropFirst()) {
                let isSameDay = one.local.date == other.local.date
                #expect(!isSameDay || other.due - one.due >= .seconds(45 * 60))
            }
            for one in all {
                let minute = one.local.time.hour * 60 + one.local.time.minute
                #expect((780...960).contains(minute))
                seen.insert(minute)
            }
            // Asked again it is the same plan.
            #expect(all == study.tasks[0].schedule.occurrences(of: study.tasks[0], in: Joined.context(seed: seed)))
        }
        // 1890 draws find nearly every minute of the 181.
        #expect(seen.count > 170 && seen.contains(780) && seen.contains(960))
    }

    /// What ends as it begins cannot be answered. In Berlin the clocks go from 2:00 to 3:00 on 29 March 2026 (IANA's
    /// tz database), so that 2:30 is 3:30.
    @Test(
        arguments: [
            (#""windows":[{"start":"09:00","end":"09:01","prompts":2}]"#, 2 * 365),
            (#""windows":[{"start":"11:00","end":"12:00","prompts":6}]"#, 6 * 366),
            (#""windows":[{"start":"11:00","end":"12:00","prompts":6,"apart":"30s"}]"#, 6 * 366),
            (#""windows":[{"start":"11:00","end":"11:01"}],"times":["11:00"]"#, nil),
            (#""times":["18:00","18:00"]"#, 366), (#""times":["02:30","03:30"]"#, 2 * 365 - 1),
            (#""times":["02:30","03:00"]"#, 2 * 365),
        ] as [(String, Int?)])
    func everyPromptHasATimeInWhichItCanBeAnswered(table: String, count: Int?) throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        for seed in UInt8(1)...5 {
            let study = try Self.study(table)
            let context = Joined.context(seed: seed, zone: berlin)
            let all = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
            #expect(all.allSatisfy { one in one.expires.map { $0 > one.due } ?? true })
            #expect(count == nil || all.count == count, "\(all.count)")
            #expect(all.map(\.due) == all.map(\.due).sorted() && Set(all.map(\.id)).count == all.count)
        }
    }

    /// In minutes: those before the end, which is a day later where nothing else is said.
    @Test(arguments: [
        (#""expires":"1h","reminders":["10m","59m","60m","2h"]"#, [10, 59]), (#""expires":"1h","reminders":[]"#, []),
        (#""expires":"1h""#, []), (#""reminders":["23h","24h"]"#, [23 * 60]),
    ])
    func remindersComeBeforeTheEnd(_ more: String, _ minutes: [Int]) throws {
        let study = try Self.study(#""times":["12:00"],"last_day":0,\#(more)"#)
        let all = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: Joined.context())
        #expect(all.map { one in one.reminders.map { Int(($0 - one.due).components.seconds / 60) } } == [minutes])
    }

    /// Without `expires` until the next is due, at most a day.
    @Test(arguments: [
        (
            #""times":["12:00","18:30"],"last_day":1"#,
            ["2026-03-02T18:30:00", "2026-03-03T12:00:00", "2026-03-03T18:30:00", "2026-03-04T18:30:00"]
        ),
        (#""times":["12:00"],"last_day":0"#, ["2026-03-03T12:00:00"]),
        (#""times":["12:00"],"every":3,"last_day":3"#, ["2026-03-03T12:00:00", "2026-03-06T12:00:00"]),
        (#""times":["12:00","12:30"],"last_day":0,"expires":"2h""#, ["2026-03-02T14:00:00", "2026-03-02T14:30:00"]),
    ])
    func aTaskIsOpenUntilTheNextIsDue(table: String, ends: [String]) throws {
        let study = try Self.study(table)
        let all = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: Joined.context())
        #expect(all.compactMap { $0.expires.map { Zone.utc.local($0).text(fractionDigits: 0) } } == ends)
    }

    @Test(arguments: [("every", 1, 366), ("first_day", -366, 3_660), ("last_day", -366, 3_660)])
    func daysAreTakenUpToTheirLimits(key: String, least: Int, most: Int) {
        let first = key == "last_day" ? #""first_day":-366,"# : ""
        func problems(_ number: Int) -> [String] {
            do {
                _ = try Self.study(#""times":["12:00"],\#(first)"\#(key)":\#(number)"#)
                return []
            } catch let error as StudyFormatError { return error.problems.map(\.path) } catch { return ["\(error)"] }
        }
        #expect(problems(least).isEmpty && problems(most).isEmpty)
        for beyond in [least - 1, most + 1] {
            #expect(problems(beyond) == ["study.toml:$.task[0].\(key)"], "\(beyond)")
        }
    }

    @Test func anAnswerIsAnAnchorOnceItIsKnown() throws {
        let files = [
            "study.json":
                #"{"identifier":"S","task":[{"file":"q.json"},{"file":"t.json","times":["08:00"],"anchor":"Q/day","first_day":-1,"last_day":0}]}"#,
            "q.json":
                #"{"type":"assessment","identifier":"Q","steps":[{"type":"simpleQuestion","identifier":"day","inputItem":{"type":"date"}}]}"#,
            "t.json": Self.task,
        ]
        let study = try SageSample.study(files)
        #expect(study.anchors?.questions == [AnchorRule(task: "Q", question: "day", variable: "sage/Q/day")])
        let joined = Joined.context()
        let task = study.tasks[1]
        #expect(task.schedule.occurrences(of: task, in: joined).isEmpty)
        let day = LocalDateTime(LocalDate(daysSinceEpoch: 20_520), .midnight)
        let facts = StudyFacts(variables: ["sage/Q/day": .dateTime(day)])
        let context = ScheduleContext(enrolment: joined.enrolment, zone: .utc, chance: joined.chance, facts: facts)
        let due = task.schedule.occurrences(of: task, in: context).map { $0.local.text(fractionDigits: 0) }
        #expect(due == ["2026-03-07T08:00:00", "2026-03-08T08:00:00"])
    }

    @Test func aTaskFollowsAnother() throws {
        let more = [
            "u.json": #"{"type":"assessment","identifier":"U","steps":[{"type":"instruction","identifier":"a"}]}"#
        ]
        let files = [
            "study.json":
                #"{"identifier":"S","task":[{"file":"u.json"},{"file":"t.json","after":"U","delay":"90m","expires":"1h"}]}"#,
            "t.json": Self.task,
        ].merging(more) { $1 }
        let study = try SageSample.study(files)
        let (task, joined) = (study.tasks[1], Joined.context())
        #expect(task.schedule.occurrences(of: task, in: joined).isEmpty)
        let moment = joined.enrolment.instant + .seconds(3_600)
        let raised = task.schedule.raised(by: StudyHappening(.submitted, task: "U", at: moment), of: task, in: joined)
        #expect(raised.map(\.due) == [moment + .seconds(5_400)] && raised[0].expires == moment + .seconds(9_000))
        #expect(
            task.schedule.raised(by: StudyHappening(.submitted, task: "T", at: moment), of: task, in: joined).isEmpty)
    }

    @Test(arguments: [
        (#""times":["25:00"]"#, "study.toml:$.task[0].times[0]"), (#""times":["9"]"#, "study.toml:$.task[0].times[0]"),
        (#""times":["09:00"],"days":["someday"]"#, "study.toml:$.task[0].days[0]"),
        (#""times":["09:00"],"every":0"#, "study.toml:$.task[0].every"),
        (#""times":["09:00"],"expires":"soon""#, "study.toml:$.task[0].expires"),
        (#""times":["09:00"],"anchor":"later""#, "study.toml:$.task[0].anchor"),
        (#""times":["09:00"],"anchor":"Q/day""#, "study.toml:$.task"), (#""after":"nothing""#, "study.toml:$.task"),
        (#""windows":[{"start":"10:00","end":"11:00","prompts":4,"apart":"1h"}]"#, "study.toml:$.task[0].windows[0]"),
        (#""windows":[{"start":"10:00","end":"10:01","prompts":3}]"#, "study.toml:$.task[0].windows[0]"),
        (#""times":["09:00"],"reminders":["1h","soon"]"#, "study.toml:$.task[0].reminders[1]"),
        (#""days":["mon"]"#, "study.toml:$.task[0].days"),
    ])
    func whatIsWrongInTheSettingsIsNamedByItsPath(table: String, path: String) {
        do {
            _ = try Self.study(table)
            Issue.record("was read")
        } catch let error as StudyFormatError {
            #expect(error.problems.map(\.path).contains(path), "\(error)")
        } catch { Issue.record("\(error)") }
    }
}
