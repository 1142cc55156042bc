// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import SystemKit
import Testing

@testable import PlatformMyStudies

struct MyStudiesScheduleTests {
    /// Enrolled on Monday, 2026-03-02 at 10:00.
    static func runs(
        _ frequency: String, more: String = "", start: String = "2026-03-02T08:00:00.000-0400",
        end: String = "2026-03-04T23:59:59.000-0400", policy: StudyOptions.Policy = .ios,
        variables: [String: AnswerValue] = [:]
    ) throws -> [String] {
        let occurrences = try occurrences(
            frequency, more: more, start: start, end: end, policy: policy, variables: variables)
        #expect(occurrences.map(\.number) == Array(1..<(occurrences.count + 1)))
        return occurrences.map { occurrence in
            let end = occurrence.expires.map { Joined.context().zone.local($0) }
            return word(occurrence.local) + " – " + (end.map(word) ?? "open")
        }
    }

    private static func occurrences(
        _ frequency: String, more: String = "", start: String, end: String, policy: StudyOptions.Policy = .ios,
        variables: [String: AnswerValue] = [:], joined base: ScheduleContext = Joined.context()
    ) throws -> [Occurrence] {
        let list = """
            {"message":"SUCCESS","activities":[{"activityId":"A","activityVersion":"1.0","title":"A","type":"questionnaire",
            "startTime":"\(start)","endTime":"\(end)","branching":false,"state":"active","schedulingType":"Regular",
            "frequency":{\(frequency)}\(more)}]}
            """.replacingFirst(more.isEmpty ? "" : "\"Regular\"", by: "\"AnchorDate\"")
        let activity = """
            {"activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"1.0"},"steps":[
            {"type":"question","resultType":"date","key":"q","title":"?","format":{"style":"Date"}}]}}
            """
        var source = StudySource(files: [
            .init(name: "activityList.json", bytes: Array(list.utf8)),
            .init(name: "A_1.0.json", bytes: Array(activity.utf8)),
        ])
        source.options.policy = policy
        let task = try MyStudiesReader().decode(source).tasks[0]
        let context = ScheduleContext(
            enrolment: base.enrolment, zone: base.zone, chance: base.chance, facts: StudyFacts(variables: variables))
        return task.schedule.occurrences(of: task, in: context)
    }

    static func word(_ local: LocalDateTime) -> String {
        let (_, month, day) = local.date.components
        return "\(month)-\(day) " + local.time.text(fractionDigits: 0)
    }

    struct Case: Sendable {
        let name: String
        let frequency: String
        var start = "2026-03-02T08:00:00.000-0400"
        var end = "2026-03-04T23:59:59.000-0400"
        let ios: [String]
        let android: [String]
    }

    static let daily =
        #""type":"Daily","runs":[{"startTime":"09:00:00","endTime":"17:59:59"},{"startTime":"18:00:00","endTime":"23:59:59"}]"#
    static let cases: [Case] = [
        Case(
            name: "once, from the enrolment on", frequency: #""type":"One time","runs":[]"#,
            ios: ["3-2 10:00:00 – 3-4 23:59:59"], android: ["3-2 08:00:00 – 3-4 23:59:59"]),
        // setOneTimeRun of both apps (GoogleCloudPlatform/fda-mystudies 7f3ea838:
        // SurveyScheduler.java, Schedule.swift; FDA-MyStudies/Android 371f2a2d the same): iOS
        // begins with the later of the two, Android with the activity, though the participant
        // joined after that.
        Case(
            name: "once, from a month before the enrolment on", frequency: #""type":"One time","runs":[]"#,
            start: "2026-02-01T08:00:00.000-0400", end: "", ios: ["3-2 10:00:00 – open"],
            android: ["2-1 08:00:00 – open"]),
        Case(
            name: "once, over before it begins", frequency: #""type":"One time","runs":[]"#,
            start: "2026-03-05T08:00:00.000-0400", end: "2026-03-04T23:59:59.000-0400",
            ios: ["3-5 08:00:00 – 3-4 23:59:59"], android: []),
        Case(
            name: "once, not begun yet", frequency: #""type":"One time","runs":[]"#,
            start: "2026-03-03T08:00:00.000-0400",
            end: "", ios: ["3-3 08:00:00 – open"], android: ["3-3 08:00:00 – open"]),
        Case(
            name: "over before the enrolment", frequency: #""type":"One time","runs":[]"#,
            start: "2026-02-01T08:00:00.000-0400", end: "2026-03-01T23:59:59.000-0400", ios: [], android: []),
        Case(
            name: "over at the moment of the enrolment", frequency: #""type":"One time","runs":[]"#,
            start: "2026-02-01T08:00:00.000-0400", end: "2026-03-02T10:00:00.000-0400",
            ios: ["3-2 10:00:00 – 3-2 10:00:00"], android: ["2-1 08:00:00 – 3-2 10:00:00"]),
        Case(
            name: "over a second before the enrolment", frequency: #""type":"One time","runs":[]"#,
            start: "2026-02-01T08:00:00.000-0400", end: "2026-03-02T09:59:59.000-0400", ios: [], android: []),
        Case(
            name: "twice a day", frequency: daily,
            ios: [
                "3-2 09:00:00 – 3-2 17:59:59", "3-2 18:00:00 – 3-2 23:59:59", "3-3 09:00:00 – 3-3 17:59:59",
                "3-3 18:00:00 – 3-3 23:59:59", "3-4 09:00:00 – 3-4 17:59:59", "3-4 18:00:00 – 3-4 23:59:59",
            ],
            android: [
                "3-2 10:00:00 – 3-2 17:59:59", "3-2 18:00:00 – 3-2 23:59:59", "3-3 09:00:00 – 3-3 17:59:59",
                "3-3 18:00:00 – 3-3 23:59:59", "3-4 09:00:00 – 3-4 17:59:59", "3-4 18:00:00 – 3-4 23:59:59",
            ]),
        // Once its time is over an activity cannot be begun (iOS, `getActivityAvailabilityStatus`).
        Case(
            name: "twice a day, over within a run", frequency: daily, start: "2026-03-03T08:00:00.000-0400",
            end: "2026-03-03T18:00:01.000-0400",
            ios: ["3-3 09:00:00 – 3-3 17:59:59", "3-3 18:00:00 – 3-3 18:00:01"],
            android: ["3-3 09:00:00 – 3-3 17:59:59", "3-3 18:00:00 – 3-3 18:00:01"]),
        Case(
            name: "twice a day, over within the first run", frequency: daily, start: "2026-03-03T08:00:00.000-0400",
            end: "2026-03-03T11:00:00.000-0400", ios: ["3-3 09:00:00 – 3-3 11:00:00"],
            android: ["3-3 09:00:00 – 3-3 11:00:00"]),
        Case(
            name: "within a day",
            frequency:
                #""type":"Within a day","runs":[{"startTime":"08:00:00","endTime":"09:59:59"},{"startTime":"12:00:00","endTime":"23:59:59"}]"#,
            end: "2026-03-02T23:59:59.000-0400", ios: ["3-2 12:00:00 – 3-2 23:59:59"],
            android: ["3-2 12:00:00 – 3-2 23:59:59"]),
        // The schedule's weekday is Saturday, 2026-02-28: in the week of the enrolment
        // that is 7 March.
        Case(
            name: "weekly", frequency: #""type":"Weekly","runs":[]"#, start: "2026-02-28T08:00:00.000-0400",
            end: "2026-03-20T23:59:59.000-0400",
            ios: ["3-7 10:00:00 – 3-14 09:59:59", "3-14 10:00:00 – 3-20 23:59:59"],
            android: ["3-2 10:00:00 – 3-7 07:59:59", "3-7 08:00:00 – 3-14 07:59:59", "3-14 08:00:00 – 3-20 23:59:59"]),
        // Sunday, 2026-03-01: the first run begins before the enrolment.
        Case(
            name: "weekly, from before the enrolment", frequency: #""type":"Weekly","runs":[]"#,
            start: "2026-03-01T08:00:00.000-0400", end: "2026-03-09T23:59:59.000-0400",
            ios: ["3-1 10:00:00 – 3-8 09:59:59", "3-8 10:00:00 – 3-9 23:59:59"],
            android: ["3-2 10:00:00 – 3-8 07:59:59", "3-8 08:00:00 – 3-9 23:59:59"]),
        Case(
            name: "monthly", frequency: #""type":"Monthly","runs":[]"#, start: "2026-01-31T08:00:00.000-0400",
            end: "2026-05-10T23:59:59.000-0400",
            ios: ["3-2 10:00:00 – 4-2 09:59:59", "4-2 10:00:00 – 5-2 09:59:59", "5-2 10:00:00 – 5-10 23:59:59"],
            android: ["3-2 10:00:00 – 4-30 07:59:59", "4-30 08:00:00 – 5-10 23:59:59"]),
        Case(
            name: "by hand",
            frequency:
                #""type":"Manually Schedule","runs":[{"startTime":"2026-03-01T08:00:00.000-0400","endTime":"2026-03-01T20:00:00.000-0400"},{"startTime":"2026-03-02T08:00:00.000-0400","endTime":"2026-03-02T20:00:00.000-0400"},{"startTime":"2026-03-04T08:00:00.000-0400","endTime":"2026-03-04T20:00:00.000-0400"}]"#,
            start: "2026-03-01T08:00:00.000-0400",
            ios: ["3-2 08:00:00 – 3-2 20:00:00", "3-4 08:00:00 – 3-4 20:00:00"],
            android: ["3-2 10:00:00 – 3-2 20:00:00", "3-4 08:00:00 – 3-4 20:00:00"]),
    ]

    /// Samoa left out 30 December 2011 (IANA's tz database), from whose midnight the 31st began. Runs of that day alone
    /// are over at once and keep their numbers; of what lasts longer the rest can be done.
    @Test(
        arguments: [
            (
                daily, "2011-12-31T23:59:59.000-0400",
                [
                    "12-29 09:00:00 – 12-29 17:59:59", "12-29 18:00:00 – 12-29 23:59:59",
                    "12-31 00:00:00 – 12-31 00:00:00", "12-31 00:00:00 – 12-31 00:00:00",
                    "12-31 09:00:00 – 12-31 17:59:59", "12-31 18:00:00 – 12-31 23:59:59",
                ]
            ),
            (
                #""type":"Manually Schedule","runs":[{"startTime":"2011-12-29T09:00:00.000-0400","endTime":"2011-12-30T21:00:00.000-0400"},{"startTime":"2011-12-30T09:00:00.000-0400","endTime":"2011-12-31T21:00:00.000-0400"}]"#,
                "2012-01-02T23:59:59.000-0400",
                ["12-29 09:00:00 – 12-31 00:00:00", "12-31 00:00:00 – 12-31 21:00:00"]
            ),
        ])
    func runsOfADayThatIsLeftOutAreOverAtOnce(_ frequency: String, _ end: String, _ runs: [String]) throws {
        let apia = try #require(try? Zone.load("Pacific/Apia"), "needs tzdata")
        let all = try Self.occurrences(
            frequency, start: "2011-12-29T08:00:00.000-0400", end: end,
            joined: Joined.context(at: "2011-12-29T07:00", in: apia))
        let words = all.map { run in
            Self.word(apia.local(run.due)) + " – " + (run.expires.map { Self.word(apia.local($0)) } ?? "open")
        }
        #expect(words == runs && all.map(\.number) == Array(1...runs.count), "\(words)")
    }

    /// In Berlin clocks go from 2:00 to 3:00 on 29 March 2026.
    @Test(
        arguments: [
            ("02:00:00", "02:29:59", "03:00:00", "03:00:00"), ("02:15:00", "03:10:00", "03:00:00", "03:10:00"),
            ("01:30:00", "02:29:59", "01:30:00", "03:00:00"), ("02:00:00", "03:00:00", "03:00:00", "03:00:00"),
            ("01:30:00", "03:10:00", "01:30:00", "03:10:00"), ("03:00:00", "03:29:59", "03:00:00", "03:29:59"),
        ])
    func aRunIsOpenWhileTheClockShowsItsTime(_ from: String, _ to: String, _ due: String, _ end: String) throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let all = try Self.occurrences(
            #""type":"Daily","runs":[{"startTime":"\#(from)","endTime":"\#(to)"}]"#,
            start: "2026-03-28T00:00:00.000-0400", end: "2026-03-30T23:59:59.000-0400",
            joined: Joined.context(at: "2026-03-28T00:00", in: berlin))
        let words = all.map { run in
            Self.word(berlin.local(run.due)) + " – " + (run.expires.map { Self.word(berlin.local($0)) } ?? "open")
        }
        #expect(words == ["3-28 \(from) – 3-28 \(to)", "3-29 \(due) – 3-29 \(end)", "3-30 \(from) – 3-30 \(to)"])
    }

    @Test(arguments: cases) func runsFollowTheApp(_ item: Case) throws {
        #expect(try Self.runs(item.frequency, start: item.start, end: item.end) == item.ios, "\(item.name) on iOS")
        #expect(
            try Self.runs(item.frequency, start: item.start, end: item.end, policy: .android) == item.android,
            "\(item.name) on Android")
    }

    /// FDA-MyStudies/Android 371f2a2d, NotificationModuleSubscriber.java:67-99, and FDA-MyStudies/iOS
    /// 9091edbe, LocalNotification.swift:108-215: 24 hours before a one-time or weekly run ends, 72 before a
    /// monthly one does, and not before it begins.
    @Test(
        arguments: [
            (#""type":"One time","runs":[]"#, "2026-03-04T23:59:59", ["3-3 23:59:59"]),
            (#""type":"One time","runs":[]"#, "2026-03-03T10:00:01", ["3-2 10:00:01"]),
            (#""type":"One time","runs":[]"#, "2026-03-03T10:00:00", []),
            (#""type":"One time","runs":[]"#, "", []),
            (#""type":"Ongoing","runs":[]"#, "2026-03-04T23:59:59", []),
            (#""type":"Weekly","runs":[]"#, "2026-03-12T23:59:59", ["3-8 09:59:59", "3-11 23:59:59"]),
            (#""type":"Monthly","runs":[]"#, "2026-04-05T10:00:00", ["3-30 09:59:59"]),
            (#""type":"Monthly","runs":[]"#, "2026-04-05T10:00:01", ["3-30 09:59:59", "4-2 10:00:01"]),
            (daily, "2026-03-04T23:59:59", []),
        ] as [(String, String, [String])]) func whoHasNotBegunIsRemindedBeforeARunEnds(
            _ frequency: String, _ end: String, _ expected: [String]
        ) throws
    {
        let runs = try Self.occurrences(
            frequency, start: "2026-03-02T08:00:00.000-0400", end: end.isEmpty ? "" : end + ".000-0400")
        #expect(runs.flatMap(\.reminders).map { Self.word(Joined.context().zone.local($0)) } == expected)
    }

    /// What Android's own `setMonthlyRun` and `setWeeklyRun` (SurvayScheduler.java,
    /// FDA-MyStudies/Android 371f2a2d) gave when they were compiled and run with a participant who
    /// joined on 2026-03-02 at 10:00: the first run lasts to the following month's day.
    static let androidsOwn: [(frequency: String, start: String, end: String, runs: [String])] = [
        (
            "Monthly", "2026-01-10T08:00:00", "2026-06-20T23:59:59",
            [
                "3-2 10:00:00 – 4-10 07:59:59", "4-10 08:00:00 – 5-10 07:59:59", "5-10 08:00:00 – 6-10 07:59:59",
                "6-10 08:00:00 – 6-20 23:59:59",
            ]
        ),
        (
            "Monthly", "2026-01-31T08:00:00", "2026-05-10T23:59:59",
            ["3-2 10:00:00 – 4-30 07:59:59", "4-30 08:00:00 – 5-10 23:59:59"]
        ),
        (
            "Monthly", "2026-02-02T12:00:00", "2026-05-10T23:59:59",
            ["3-2 10:00:00 – 4-2 11:59:59", "4-2 12:00:00 – 5-2 11:59:59", "5-2 12:00:00 – 5-10 23:59:59"]
        ),
        (
            "Monthly", "2026-03-05T08:00:00", "2026-05-10T23:59:59",
            ["3-5 08:00:00 – 4-5 07:59:59", "4-5 08:00:00 – 5-5 07:59:59", "5-5 08:00:00 – 5-10 23:59:59"]
        ),
        (
            "Weekly", "2026-02-23T12:00:00", "2026-03-20T23:59:59",
            ["3-2 10:00:00 – 3-9 11:59:59", "3-9 12:00:00 – 3-16 11:59:59", "3-16 12:00:00 – 3-20 23:59:59"]
        ),
        (
            "Weekly", "2026-02-23T08:00:00", "2026-03-20T23:59:59",
            ["3-2 10:00:00 – 3-9 07:59:59", "3-9 08:00:00 – 3-16 07:59:59", "3-16 08:00:00 – 3-20 23:59:59"]
        ),
        (
            "Weekly", "2026-03-01T08:00:00", "2026-03-09T23:59:59",
            ["3-2 10:00:00 – 3-8 07:59:59", "3-8 08:00:00 – 3-9 23:59:59"]
        ),
    ]

    @Test(arguments: androidsOwn.indices) func androidsWeeksAndMonthsAreThoseOfItsOwnClass(_ index: Int) throws {
        let (frequency, start, end, expected) = Self.androidsOwn[index]
        let runs = try Self.runs(
            #""type":"\#(frequency)","runs":[]"#, start: start + ".000-0400", end: end + ".000-0400", policy: .android)
        #expect(runs == expected)
    }

    @Test func anchoredToTheEnrolment() throws {
        let anchor =
            #","anchorDate":{"sourceType":"EnrollmentDate","start":{"anchorDays":1,"time":"08:00:00"},"end":{"repeatInterval":2,"time":"23:59:59"}}"#
        #expect(
            try Self.runs(
                #""type":"Daily","runs":[{"startTime":"08:00:00","endTime":"23:59:59"}]"#, more: anchor, start: "",
                end: "")
                == ["3-3 08:00:00 – 3-3 23:59:59", "3-4 08:00:00 – 3-4 23:59:59", "3-5 08:00:00 – 3-5 23:59:59"])
    }

    /// FDA-MyStudies/iOS 9091edbe, DBHandler.swift:1045-1103 (`getLifeTime`), and Activity.swift, `updateLifeTime`: days,
    /// weeks or months after the start for what repeats, days after the anchor for a one-time activity.
    /// FDA-MyStudies/WCP-WS 0b4ae92f, ActivityMetaDataDao.java:5886-5905, sends both.
    @Test(arguments: [
        (#""type":"One time","runs":[]"#, "3-6 20:00:00"),
        (#""type":"Daily","runs":[{"startTime":"08:00:00","endTime":"19:59:59"}]"#, "3-10 19:59:59"),
        (#""type":"Weekly","runs":[]"#, "4-21 20:00:00"),
        (#""type":"Monthly","runs":[]"#, "10-3 20:00:00"),
    ]) func onlyWhatRepeatsEndsAfterItsInterval(_ frequency: String, _ end: String) throws {
        let anchor =
            #","anchorDate":{"sourceType":"EnrollmentDate","start":{"anchorDays":1,"time":"08:00:00"},"end":{"anchorDays":4,"repeatInterval":7,"time":"20:00:00"}}"#
        let runs = try Self.runs(frequency, more: anchor, start: "", end: "")
        #expect(runs.last?.hasSuffix(" – " + end) == true, "\(runs)")
    }

    @Test func anchoredToAnAnswerItIsHiddenUntilThatIsKnown() throws {
        let anchor =
            #","anchorDate":{"sourceType":"ActivityResponse","sourceActivityId":"A","sourceKey":"q","start":{"anchorDays":-1,"time":"08:00:00"},"end":{"anchorDays":3,"time":"20:00:00"}}"#
        let frequency = #""type":"One time","runs":[]"#
        #expect(try Self.runs(frequency, more: anchor, start: "", end: "").isEmpty)
        let day = LocalDateTime(LocalDate(year: 2026, month: 3, day: 10)!, .midnight)
        let known = [MyStudiesAnchors.variable(activity: "A", key: "q"): AnswerValue.dateTime(day)]
        #expect(
            try Self.runs(frequency, more: anchor, start: "", end: "", variables: known)
                == ["3-9 08:00:00 – 3-13 20:00:00"])
    }

    /// Of an activity that was deleted the answers that are known count.
    @Test func anAnchorIsAQuestionOfTheStudy() throws {
        func study(_ activity: String, _ key: String) throws -> StudyProtocol {
            let anchor =
                #","anchorDate":{"sourceType":"ActivityResponse","sourceActivityId":"\#(activity)","sourceKey":"\#(key)","start":{"anchorDays":0,"time":"08:00:00"},"end":{"anchorDays":3,"time":"20:00:00"}}"#
            let list = MyStudiesBadInputTests.listed("A", "1.0", anchor)
                .replacing(#""schedulingType":"Regular""#, with: #""schedulingType":"AnchorDate""#)
                .replacing("2026-01-01T00:00:00.000-0400", with: "")
            return try MyStudiesReader().decode(
                MyStudiesBadInputTests.folder(
                    list: list + "," + MyStudiesBadInputTests.deleted("B"),
                    MyStudiesBadInputTests.file(
                        "A", "1.0", MyStudiesBadInputTests.question("date", #""style":"Date""#, key: "day"))))
        }
        #expect(try !study("A", "day").remarks.contains { $0.message.contains("counts from an answer") })
        for (activity, key) in [("A", "night"), ("Z", "day")] {
            let error = #expect(throws: StudyFormatError.self) { try study(activity, key) }
            #expect(
                error?.problems.map(\.expected) == ["a question of this study as the source of the anchor of A"])
        }
        let said = try study("B", "day").remarks.filter { $0.message.contains("counts from an answer to B") }
        #expect(said.count == 1)
    }

    /// FDA-MyStudies/WCP-WS 0b4ae92f, ActivityMetaDataDao.java:6010: of a property that was deactivated the server says
    /// nothing, and ActivityAnchorDateBean is sent as it begins.
    @Test(arguments: [
        #""sourceType":"","sourceActivityId":"","sourceKey":"","sourceFormKey":"","propertyMetadata":{},"#, "",
    ])
    func onlyWhatCountsFromNothingIsNeverDue(_ source: String) throws {
        typealias Folder = MyStudiesBadInputTests
        let anchor =
            #","anchorDate":{\#(source)"start":{"anchorDays":0,"time":"08:00:00"},"end":{"anchorDays":3,"time":"20:00:00"}}"#
        let list = Folder.listed("A", "1.0", anchor)
            .replacing(#""schedulingType":"Regular""#, with: #""schedulingType":"AnchorDate""#)
        let study = try MyStudiesReader().decode(
            Folder.folder(
                list: list + "," + Folder.listed("B", "1.0"), Folder.file("A", "1.0", Folder.boolean),
                Folder.file("B", "1.0", Folder.boolean)))
        let runs = study.tasks.map { $0.schedule.occurrences(of: $0, in: Joined.context()).count }
        #expect(study.tasks.map(\.key) == ["A", "B"] && runs == [0, 1])
        // Runs that were given out stay when what they count from moves.
        #expect(study.tasks.map { $0.schedule.keepsIssuedRuns } == [true, false])
        #expect(study.remarks.filter { $0.message.contains("names nothing to count from") }.count == 1)
        #expect(study.anchors?.server.isEmpty ?? true, "no server is asked for it")
    }

    @Test func anchoredRunsCountFromTheAnchor() throws {
        let anchor = #","anchorDate":{"sourceType":"EnrollmentDate"}"#
        #expect(
            try Self.runs(
                #""type":"Manually Schedule","runs":[],"anchorRuns":[{"startDays":-3,"endDays":-1,"time":"08:00:00"},{"startDays":0,"endDays":2,"time":"08:00:00"},{"startDays":5,"endDays":6,"time":""}]"#,
                more: anchor, start: "", end: "")
                == ["3-2 08:00:00 – 3-4 08:00:00", "3-7 00:00:00 – 3-8 23:59:59"])
    }

    /// GoogleCloudPlatform/fda-mystudies 7f3ea838, study-datastore ActivityMetaDataDao.java:4230-4278, sends a time for
    /// each end; an absent one is 00:00:00, or 23:59:59 (iOS Schedule.swift:342-352).
    @Test(arguments: [
        (#""startTime":"09:00:00","endTime":"17:30:00""#, "3-3 09:00:00 – 3-4 17:30:00"),
        (#""startTime":"09:00:00","endTime":"""#, "3-3 09:00:00 – 3-4 23:59:59"),
        (#""startTime":null,"endTime":"17:30:00""#, "3-3 00:00:00 – 3-4 17:30:00"),
        (#""startTime":":00","endTime":":00""#, "3-3 00:00:00 – 3-4 23:59:59"),
        (#""time":":00""#, "3-3 00:00:00 – 3-4 23:59:59"),
    ]) func anAnchoredRunHasATimeForEachEnd(_ times: String, _ run: String) throws {
        let anchor = #","anchorDate":{"sourceType":"EnrollmentDate"}"#
        #expect(
            try Self.runs(
                #""type":"Manually Schedule","runs":[],"anchorRuns":[{"startDays":1,"endDays":2,\#(times)}]"#,
                more: anchor, start: "", end: "") == [run])
    }

    /// The same server, lines 4119 and 4139, gives the anchor the times of the first run and the last.
    @Test func blankTimesOfAnAnchorRefuseNothing() throws {
        let anchor =
            #","anchorDate":{"sourceType":"EnrollmentDate","start":{"anchorDays":1,"time":":00"},"end":{"anchorDays":2,"time":":00"}}"#
        #expect(
            try Self.runs(
                #""type":"Manually Schedule","runs":[],"anchorRuns":[{"startDays":1,"endDays":2,"startTime":"","endTime":""}]"#,
                more: anchor, start: "", end: "") == ["3-3 00:00:00 – 3-4 23:59:59"])
    }

    /// As in the iOS app: where another external value came, a run is added that overlaps none and ends after
    /// `lastModified`. Runs are of two days.
    @Test(arguments: [
        (["2026-03-03"], "2026-03-30T00:00:00", ["3-3"]), (["2026-03-03", "2026-03-10"], "", ["3-3", "3-10"]),
        (["2026-03-03", "2026-03-10"], "2026-03-11T23:59:58", ["3-3", "3-10"]),
        (["2026-03-03", "2026-03-10"], "2026-03-11T23:59:59", ["3-3"]),
        (["2026-03-03", "2026-03-04"], "", ["3-3"]), (["2026-03-03", "2026-03-05"], "", ["3-3", "3-5"]),
        (["2026-03-10", "2026-03-09"], "", ["3-10"]), (["2026-03-10", "2026-03-08"], "", ["3-8", "3-10"]),
    ])
    func anotherDateOfAPropertyAddsItsRuns(_ days: [String], _ modified: String, _ starts: [String]) throws {
        let anchor =
            #","anchorDate":{"sourceType":"ParticipantProperty","propertyMetadata":{"propertyId":"P","externalPropertyId":"E"}},"lastModified":"\#(modified)""#
        let variable = MyStudiesAnchors.variable(property: "P")
        let last = LocalDateTime(try LocalDate(parsing: days[days.count - 1]), .midnight)
        let runs = try Self.runs(
            #""type":"Manually Schedule","runs":[],"addNewRuns":true,"anchorRuns":[{"startDays":0,"endDays":1,"time":""}]"#,
            more: anchor, start: "", end: "",
            variables: [variable: .dateTime(last), MyStudiesAnchors.all(of: variable): .choices(days)])
        #expect(runs.map { String($0.prefix { $0 != " " }) } == starts, "\(runs)")
    }

    @Test(arguments: [
        #""type":"Hourly""#, #""type":"Daily","runs":[]"#,
        #""type":"Daily","runs":[{"startTime":"25:00:00","endTime":"26:00:00"}]"#,
        #""type":"Daily","runs":[{"startTime":":30","endTime":"10:00:00"}]"#,
        #""type":"Daily","runs":[{"startTime":"18:00:00","endTime":"19:00:00"},{"startTime":"09:00:00","endTime":"10:00:00"}]"#,
        #""type":"Manually Schedule","runs":[{"startTime":"2026-03-02T08:00:00.000-0400","endTime":"2026-03-01T08:00:00.000-0400"}]"#,
    ])
    func contradictionsAreRefused(_ frequency: String) {
        #expect(throws: StudyFormatError.self) { try Self.runs(frequency) }
    }
}

extension String {
    func replacingFirst(_ text: String, by other: String) -> String {
        guard !text.isEmpty, let range = firstRange(of: text) else { return self }
        return replacingCharacters(in: range, by: other)
    }

    private func replacingCharacters(in range: Range<String.Index>, by other: String) -> String {
        self[..<range.lowerBound] + other + self[range.upperBound...]
    }

    private func firstRange(of text: String) -> Range<String.Index>? {
        indices.lazy.map { $0..<(index($0, offsetBy: text.count, limitedBy: endIndex) ?? endIndex) }
            .first { self[$0] == text }
    }
}
