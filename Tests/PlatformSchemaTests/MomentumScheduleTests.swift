import Base
import Glibc
import PlatformFixtures
import Study
import SystemKit
import Testing

@testable import PlatformSchema

// SPDX-License-Identifier: Apache-2.0

/// Alerts of momenTUM's designer of 2025 against what its own code makes of them:
/// `Recordings/momentum-alerts.txt` holds, for 1,000 studies drawn from a seed, what
/// momenTUM-designer 513e871 (`frontend/src/utils/scheduler.ts`, under node 20 with dayjs
/// 0f6c19e) and momenTUM-dashboard c2453ff (`backend/services/adherence_schedule.py`, under
/// Python 3.11) computed.
@Suite struct MomentumScheduleTests {
    private struct Row {
        /// Times of the designer's calendar, each once, in UTC.
        let designer: [String]
        /// Times at which the dashboard expects an answer, each once, in UTC; nil where it
        /// knows no such alerts.
        let dashboard: [String]?
        /// Minutes from there to the end of what it counts, or `day`: up to 23:59:59.
        let ends: String

        init(_ line: Substring) throws {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            try #require(columns.count == 3)
            designer = Self.times(columns[0])
            dashboard = columns[1] == "-" ? nil : columns[1] == "=" ? designer : Self.times(columns[1])
            ends = String(columns[2])
        }

        /// `2026-03-02 0800 1230;2026-03-03 0800`.
        private static func times(_ text: Substring) -> [String] {
            text.split(separator: ";").flatMap { day in
                let words = day.split(separator: " ")
                return words.dropFirst().map { "\(words[0])T\($0.prefix(2)):\($0.suffix(2))" }
            }
        }
    }

    private static let seed: UInt64 = 2025
    private static let table = #filePath.replacing(
        "MomentumScheduleTests.swift", with: "Recordings/momentum-alerts.txt")

    private static func study(_ alerts: String, allRepeats: Bool = false) throws -> StudyProtocol {
        let text = """
            {"_type":"study","properties":{"_type":"properties","study_id":"S","conditions":[],"post_url":"https://e.org/api/v2"},
            "modules":[{"_type":"module","id":"m","name":"N","condition":"*","unlock_after":[],"graph":{"display":false},
            "alerts":{\(alerts)},"params":{"type":"survey","submit_text":"Go","shuffle":false,"sections":[]}}]}
            """
        var source = StudySource(Array(text.utf8))
        if allRepeats { source.options.makesAllRepeats = true }
        return try SchemaReader().decode(source)
    }

    private static func context(_ enrolled: LocalDateTime, _ zone: Zone) -> ScheduleContext {
        let enrolment = Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: nil,
            instant: zone.resolve(enrolled).instant, local: enrolled, seed: [1])
        return ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Chance(seed: [1], digest: testDigest), facts: StudyFacts())
    }

    private static func occurrences(_ alerts: String, _ context: ScheduleContext, allRepeats: Bool = false) throws
        -> [Occurrence]
    {
        let task = try study(alerts, allRepeats: allRepeats).tasks[0]
        return task.schedule.occurrences(of: task, in: context)
    }

    private static func text(_ instant: Instant) -> String { String(instant.rfc3339(in: .utc).prefix(16)) }

    @Test func aThousandDrawnStudiesAreDueWhenTheDesignerAndTheDashboardHaveThemDue() throws {
        let bytes = try #require(FileBytes.read(Self.table))
        let rows = try String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map(Row.init)
        try #require(rows.count == 1_000)
        var studies = MomentumStudies(seed: Self.seed)
        var compared = (designer: 0, dashboard: 0)
        for (index, row) in rows.enumerated() {
            let drawn = studies.draw()
            let zone = try #require(try? Zone.load(drawn.zone))
            let own = try Self.occurrences(drawn.alerts, Self.context(drawn.enrolled, zone))
            #expect(own.map { Self.text($0.due) } == row.designer, "study \(index): \(drawn.line)")
            compared.designer += own.count
            #expect(
                Set(own.map(\.id)).count == own.count
                    && own.filter { !$0.isHidden }.count == (drawn.isSticky ? min(1, own.count) : own.count))
            guard let dashboard = row.dashboard else { continue }
            compared.dashboard += dashboard.count
            // Of a sticky module it counts one answer a day, from the first time on.
            var days: Set<LocalDate> = []
            let counted = drawn.isSticky ? own.filter { days.insert($0.local.date).inserted } : own
            #expect(counted.map { Self.text($0.due) } == dashboard, "study \(index): \(drawn.line)")
            guard !drawn.isSticky, let first = own.first else { continue }
            let minutes = first.expires.map { ($0 - first.due).nanoseconds / 60_000_000_000 }
            #expect(row.ends == (minutes.map { "\($0)" } ?? "day"), "study \(index): \(drawn.line)")
        }
        #expect(compared.designer > 15_000 && compared.dashboard > 3_500, "\(compared)")
    }

    private static let noon =
        #""title":"t","message":"m","random":false,"randomInterval":0,"sticky":false,"timeout":false,"#

    /// Of 45 days up to `until` the designer's calendar has 30.
    @Test func whatTheDesignerCutsOffIsToldAndCanBeHad() throws {
        let alerts =
            Self.noon + #""startDateTime":"2026-03-02T12:00:00","until":"2026-04-15","repeat":"daily","interval":1"#
        let context = Self.context(LocalDateTime(LocalDate(daysSinceEpoch: 20_514), .midnight), .utc)
        let remarks = try Self.study(alerts).remarks.filter { $0.kind == .warning }
        #expect(remarks.map(\.path) == ["$.modules[0].alerts.until"])
        #expect(remarks.first?.message.contains("the last on 2026-03-31") == true)
        #expect(try Self.occurrences(alerts, context).count == 30)
        let all = try Self.occurrences(alerts, context, allRepeats: true)
        #expect(all.count == 45 && all.last.map { Self.text($0.due) } == "2026-04-15T12:00")
        #expect(try Self.study(alerts, allRepeats: true).remarks.allSatisfy { $0.kind != .warning })
        // Thirty fit: nothing is cut off.
        let fitting = alerts.replacing("04-15", with: "03-31")
        #expect(try Self.occurrences(fitting, context).count == 30)
        #expect(try Self.study(fitting).remarks.allSatisfy { $0.kind != .warning })
    }

    @Test(arguments: [("2026-03-01", true), ("2026-03-02", false)])
    func aLastDayBeforeTheFirstIsTold(until: String, isTold: Bool) throws {
        let alerts =
            Self.noon + #""startDateTime":"2026-03-02T12:00:00","until":"\#(until)","repeat":"daily","interval":1"#
        let warned = try Self.study(alerts).remarks.filter { $0.kind == .warning }
        #expect(warned.map(\.message) == (isTold ? ["the last day is before the first: never due"] : []))
    }

    /// ECMA-262, "Date Time String Format": seconds may be missing; with `Z` or an offset it is a moment.
    @Test(arguments: [
        "2026-03-02T12:00", "2026-03-02T12:00:00", "2026-03-02T12:00Z", "2026-03-02T12:00:00Z",
        "2026-03-02T13:00+01:00", "2026-03-02T13:00:00+01:00",
    ])
    func aStartIsReadAsJavaScriptReadsIt(start: String) throws {
        let alerts = Self.noon + #""startDateTime":"\#(start)","repeat":"never""#
        let context = Self.context(LocalDateTime(LocalDate(daysSinceEpoch: 20_514), .midnight), .utc)
        #expect(try Self.occurrences(alerts, context).map { Self.text($0.due) } == ["2026-03-02T12:00"])
    }

    /// What momenTUM's server refuses (`backend/models/study.py`, `class Alert`), and what would
    /// repeat for ever.
    @Test(arguments: [
        #""scheduleMode":"relative","offsetTime":"09:00","repeat":"never""#,
        #""scheduleMode":"relative","offsetDays":1,"repeat":"never""#,
        #""scheduleMode":"relative","offsetDays":-1,"offsetTime":"09:00","repeat":"never""#,
        #""scheduleMode":"relative","offsetDays":1,"offsetTime":"noon","repeat":"never""#,
        #""scheduleMode":"absolute","repeat":"never","until":"2026-03-02""#,
        #""scheduleMode":"absolute","startDateTime":"tomorrow","repeat":"never""#,
        #""scheduleMode":"absolute","startDateTime":"9999-01-01T00:00:00Z","repeat":"never""#,
        #""scheduleMode":"weekly","startDateTime":"2026-03-02T12:00:00","repeat":"never""#,
        #""scheduleMode":"absolute","startDateTime":"2026-03-02T12:00:00","repeat":"hourly""#,
        #""scheduleMode":"absolute","startDateTime":"2026-03-02T12:00:00","repeat":"daily","interval":0"#,
        #""scheduleMode":"absolute","startDateTime":"2026-03-02T12:00:00","repeat":"daily","until":"soon""#,
    ])
    func alertsThatTheServerRefusesAreRefused(_ alerts: String) throws {
        let error = try #require(throws: StudyFormatError.self) { try Self.study(alerts) }
        #expect(error.problems.allSatisfy { $0.path.hasPrefix("$.modules[0].alerts") }, "\(error)")
    }

    /// Hours and minutes, each a number; what follows them does not count.
    @Test(arguments: [
        ("09:30", true), ("09:30:15", true), ("9:5", true), ("09", false), ("", false), (":30", false), ("09:", false),
        ("09::30", false), ("noon:30", false), ("-1:30", false),
    ])
    func aTimeOfDayHasHoursAndMinutes(_ time: String, _ isOne: Bool) {
        let alerts = #""scheduleMode":"relative","offsetDays":0,"offsetTime":"\#(time)","repeat":"never""#
        #expect(((try? Self.study(alerts)) != nil) == isOne)
    }

    /// As in the app: by a whole number of minutes from -n to n - 1.
    @Test func randomTimesLieAroundTheNamedOne() throws {
        let alerts = #"""
            "scheduleMode":"relative","offsetDays":1,"offsetTime":"12:00","repeat":"daily","interval":1,"repeatCount":399,
            "random":true,"randomInterval":3
            """#
        let context = Self.context(LocalDateTime(LocalDate(daysSinceEpoch: 20_514), .midnight), .utc)
        let minutes = try Self.occurrences(alerts, context).map { $0.local.time.hour * 60 + $0.local.time.minute - 720 }
        #expect(minutes.count == 400 && Set(minutes) == [-3, -2, -1, 0, 1, 2])
    }

    /// Its server writes the hours and minutes of older files as a text; 0 is no time limit, as in
    /// the dashboard; numbers go on in the next module.
    @Test func oldTimesAndNoLimitAreReadAsTheServerAndTheDashboardReadThem() throws {
        let alerts = #"""
            "scheduleMode":"relative","offsetDays":0,"offsetTime":"08:00","repeat":"never","times":[{"hours":9,"minutes":5},"25:30","later"],
            "timeout":true,"timeoutAfter":0,"stickyLabel":"Diary"
            """#
        let context = Self.context(LocalDateTime(LocalDate(daysSinceEpoch: 20_514), .midnight), .utc)
        let study = try Self.study(alerts)
        let own = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
        #expect(own.map { Self.text($0.due) } == ["2026-03-02T08:00", "2026-03-02T09:05", "2026-03-03T01:30"])
        #expect(own.map(\.number) == [101, 102, 103] && own.allSatisfy { $0.expires == nil })
        #expect(study.tasks[0].listLabel == "Diary")
        let warned = study.remarks.filter { $0.kind == .warning }.map(\.path)
        #expect(warned == ["times[1]", "times[2]", "timeoutAfter"].map { "$.modules[0].alerts.\($0)" })
    }

    /// The app counts tasks from 101 through all modules; here a module takes a number for each time of each day,
    /// also where two fall together.
    @Test(arguments: [
        (#""repeat":"never""#, 102), (#""repeat":"never","times":["09:00","10:00"]"#, 104),
        (#""repeat":"daily","interval":1,"repeatCount":4"#, 106),
        (#""repeat":"daily","interval":1,"repeatCount":4,"times":["08:00"]"#, 111),
    ])
    func numbersGoOnInTheNextModule(_ more: String, _ next: Int) throws {
        func module(_ id: String, _ more: String) -> String {
            """
            {"_type":"module","id":"\(id)","name":"N","condition":"*","alerts":{"scheduleMode":"relative","offsetDays":0,\
            "offsetTime":"08:00",\(more)},"params":{"sections":[]}}
            """
        }
        let modules = module("a", more) + "," + module("b", #""repeat":"never""#)
        let text =
            #"{"properties":{"study_id":"S","conditions":[],"post_url":"https://e.org"},"modules":[\#(modules)]}"#
        let study = try SchemaReader().decode(StudySource(Array(text.utf8)))
        let context = Self.context(LocalDateTime(LocalDate(daysSinceEpoch: 20_514), .midnight), .utc)
        let numbers = study.tasks.map { $0.schedule.occurrences(of: $0, in: context).map(\.number) }
        #expect(numbers.map { $0.min() } == [101, next])
    }

    /// Writes the drawn studies, one a line, for the programs that made the table.
    @Test(.enabled(if: getenv("STUDYD_MOMENTUM_STUDIES") != nil, "only to make the table again"))
    func theDrawnStudiesAreWritten() throws {
        let path = String(cString: try #require(getenv("STUDYD_MOMENTUM_STUDIES")))
        var studies = MomentumStudies(seed: Self.seed)
        let text = (0..<1_000).map { _ in studies.draw().line + "\n" }.joined()
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }
}
