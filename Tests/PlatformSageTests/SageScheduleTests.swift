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

    private static func occurrences(_ table: String, in context: ScheduleContext) throws -> [Occurrence] {
        let study = try study(table)
        return study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
    }

    /// Joined at the beginning of the day before; the last is a night in which clocks go back.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29"), ("America/St_Johns", "2026-03-08"), ("Australia/Lord_Howe", "2026-10-04"),
        ("Europe/Berlin", "2026-10-25"),
    ])
    func randomTimesKeepTheirDistanceWhereClocksChange(_ name: String, _ night: String) throws {
        let zone = try #require(try? Zone.load(name), "needs tzdata")
        let night = try LocalDate(parsing: night)
        let table = #""windows":[{"start":"00:00","end":"04:00","prompts":3,"apart":"45m"}],"last_day":2"#
        for seed in UInt8(1)...59 {
            func drawn(_ zone: Zone) throws -> [Occurrence] {
                let context = try Joined.context(at: "\(night.adding(days: -1))T00:00", in: zone, seed: seed)
                return try Self.occurrences(table, in: context)
            }
            let all = try drawn(zone)
            let ids = (0...2).flatMap { day in (0...2).map { "T/\(day).\($0)" } }
            #expect(all.map(\.id) == ids)
            let own = all.filter { $0.local.date == night }
            #expect(own.count == 3 && own.allSatisfy { $0.resolution != .skipped })
            #expect(own.allSatisfy { $0.local.time <= LocalTime(hour: 4, minute: 0) ?? .midnight })
            #expect(zip(own, own.dropFirst()).allSatisfy { $1.due - $0.due >= .seconds(45 * 60) }, "\(seed)")
            // The nights beside it draw as where clocks never change.
            func others(_ all: [Occurrence]) -> [LocalDateTime] { all.map(\.local).filter { $0.date != night } }
            let elsewhere = try drawn(.utc)
            #expect(others(all) == others(elsewhere))
        }
    }

    /// A draw must never change: the plans of running studies follow from it. By a reference in Python.
    @Test func aNightDrawsTheSameInEveryVersion() throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let table = #""windows":[{"start":"00:00","end":"04:00","prompts":3,"apart":"45m"}],"last_day":3"#
        let all = try Self.occurrences(table, in: Joined.context(at: "2026-03-27T00:00", in: berlin))
        let times = [
            "27T00:01", "27T01:18", "27T03:06", "28T00:02", "28T01:43", "28T04:00", "29T00:19", "29T01:34", "29T03:33",
            "30T02:00", "30T02:57", "30T03:51",
        ]
        #expect(all.map { String("\($0.local)".dropFirst(8).prefix(8)) } == times)
    }

    /// In the night of 29 March 2026 in Berlin, in which it is 3:00 after 1:59: by the wall clock, from `first` to
    /// `last`. What is skipped comes an hour later where the window's end is skipped, too.
    @Test(arguments: [
        ("00:00", "04:00", 3, "90m", 3, "00:00", "04:00"), ("00:00", "04:00", 3, "91m", 2, "00:00", "04:00"),
        ("00:00", "04:00", 2, "180m", 2, "00:00", "04:00"), ("00:00", "04:00", 2, "181m", 1, "00:00", "04:00"),
        ("02:00", "02:59", 3, "20m", 3, "03:00", "03:59"), ("02:30", "03:10", 3, "5m", 3, "03:00", "03:10"),
        ("02:30", "03:10", 3, "6m", 2, "03:00", "03:10"), ("02:30", "03:00", 3, "5m", 1, "03:00", "03:00"),
        ("01:30", "02:30", 3, "30m", 3, "01:30", "03:30"),
    ])
    func aShorterNightHasAsManyTimesAsKeepTheirDistance(
        start: String, end: String, prompts: Int, apart: String, count: Int, first: String, last: String
    ) throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let limits = try LocalTime(parsing: first)...LocalTime(parsing: last)
        let table =
            #""windows":[{"start":"\#(start)","end":"\#(end)","prompts":\#(prompts),"apart":"\#(apart)"}],"last_day":0"#
        for seed in UInt8(1)...20 {
            let context = try Joined.context(at: "2026-03-29T00:00", in: berlin, seed: seed)
            let all = try Self.occurrences(table, in: context)
            #expect(all.count == count && all.allSatisfy { limits.contains(berlin.local($0.due).time) }, "\(all)")
            let least = try Duration(parsing: apart)
            #expect(zip(all, all.dropFirst()).allSatisfy { $1.due - $0.due >= least })
        }
    }

    /// Samoa left out 30 December 2011, a Friday (IANA's tz database). Joined on the 28th.
    @Test(arguments: [
        (#""times":["09:30"],"last_day":4"#, ["2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01"]),
        (#""windows":[{"start":"09:00","end":"12:00"}],"last_day":3"#, ["2011-12-28", "2011-12-29", "2011-12-31"]),
        (#""times":["09:30"],"days":["fri"],"last_day":9"#, ["2012-01-06"]),
        (#""times":["09:30"],"every":2,"last_day":4"#, ["2011-12-28", "2012-01-01"]),
    ])
    func aDayThatIsLeftOutHasNoPrompts(_ table: String, _ days: [String]) throws {
        let apia = try #require(try? Zone.load("Pacific/Apia"), "needs tzdata")
        let all = try Self.occurrences(table, in: Joined.context(at: "2011-12-28T00:00", in: apia))
        #expect(all.map { "\(apia.local($0.due).date)" } == days)
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

    /// In Berlin it is 2:30 twice on 25 October 2026.
    @Test func aTaskThatFollowsInTheRepeatedHourIsNotDueBeforeTheOther() throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let study = try SageSample.study([
            "study.json": #"{"identifier":"S","task":[{"file":"u.json"},{"file":"t.json","after":"U"}]}"#,
            "t.json": Self.task, "u.json": Self.task.replacing(#""T""#, with: #""U""#),
        ])
        let task = study.tasks[1]
        let context = try Joined.context(at: "2026-10-24T12:00", in: berlin)
        let second = berlin.resolve(try LocalDateTime(parsing: "2026-10-25T03:30")).instant - .seconds(3_600)
        for moment in [second - .seconds(3_600), second] {
            let done = StudyHappening(.submitted, task: "U", at: moment)
            #expect(task.schedule.raised(by: done, of: task, in: context).map(\.due) == [moment])
        }
    }

    @Test(arguments: [
        (#""times":["25:00"]"#, "study.toml:$.task[0].times[0]"), (#""times":["9"]"#, "study.toml:$.task[0].times[0]"),
        (#""times":["09:00"],"days":["someday"]"#, "study.toml:$.task[0].days[0]"),
        (#""times":["09:00"],"every":0"#, "study.toml:$.task[0].every"),
        (#""times":["09:00"],"expires":"soon""#, "study.toml:$.task[0].expires"),
        (#""times":["09:00"],"anchor":"later""#, "study.toml:$.task[0].anchor"),
        (#""times":["09:00"],"anchor":"Q/day""#, "study.toml:$.task[0].anchor"),
        (#""after":"nothing""#, "study.toml:$.task[0].after"),
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
