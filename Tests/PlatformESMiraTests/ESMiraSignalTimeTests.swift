// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// Times that the participant moves: `SignalTime.kt`, `Schedule.kt`, `ActionTrigger.kt` and their
/// own tests in ESMira-apps f750e58.
@Suite struct ESMiraSignalTimeTests {
    private static func study(_ signals: String, schedule: String = "", more: String = "") throws -> StudyProtocol {
        try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":30\#(more),"actionTriggers":[{"actions":[{}],"schedules":[{"startDayOne":false,"signalTimes":[\#(signals)]\#(schedule)}]}]"#
        )
    }

    /// Joined on 2 March 2026 at ten; the moment is `hours` later.
    private static func move(
        _ study: StudyProtocol, _ start: Int, _ end: Int? = nil, number: Int = 0, after hours: Int = 0,
        knowing variables: [String: AnswerValue] = [:]
    ) throws -> (moved: MovedTimes, prompts: [String]) {
        var facts = StudyFacts()
        facts.variables = variables
        let joined = Joined.context()
        func context() -> ScheduleContext {
            ScheduleContext(enrolment: joined.enrolment, zone: joined.zone, chance: joined.chance, facts: facts)
        }
        let task = try #require(study.tasks.first)
        var time = try #require(task.schedule.promptTimes(of: task, in: context()).dropFirst(number).first)
        (time.start, time.end) = (start, end)
        let moved = try task.schedule.moving(
            [time], of: task, in: context(), at: joined.enrolment.instant + .seconds(3_600 * hours))
        facts.variables.merge(moved.variables) { $1 }
        let prompts = task.schedule.occurrences(of: task, in: context()).filter(\.isSignalled)
        return (moved, prompts.map { String("\($0.local)".dropFirst(5).prefix(11)) })
    }

    private static let hour = 3_600_000

    /// `SignalTime.isFaulty`; the first two and the last are the cases of the app's
    /// `SignalTimeTest`; its fourth expects an older rule than the app's code has.
    @Test(arguments: [
        (1, 180_000, false), (1, 179_999, true), (3, 420_000, false), (3, 419_999, true), (3, 540_000, false),
    ])
    func aStretchThatIsTooShortIsFaulty(frequency: Int, end: Int, isFaulty: Bool) throws {
        let study = try Self.study(
            #"{"random":true,"frequency":\#(frequency),"minutesBetween":2,"startTimeOfDay":0,"endTimeOfDay":80000000}"#)
        if isFaulty {
            #expect(throws: PromptTimeError.self) { try Self.move(study, 60_000, end) }
        } else {
            #expect(try Self.move(study, 60_000, end).moved.lines.count == 1)
        }
    }

    @Test(arguments: [
        (#"{"startTimeOfDay":43200000}"#, "", "every day"),
        (#"{"startTimeOfDay":43200000}"#, #","dailyRepeatRate":1"#, "every day"),
        (#"{"startTimeOfDay":43200000}"#, #","dailyRepeatRate":7"#, "every 7 days"),
        (#"{"startTimeOfDay":43200000,"frequency":3}"#, "", "every day"),
        (#"{"random":true,"endTimeOfDay":72000000}"#, "", "at random, once every day"),
        (#"{"random":true,"frequency":0,"endTimeOfDay":72000000}"#, "", "at random, once every day"),
        (#"{"random":true,"frequency":1,"endTimeOfDay":72000000}"#, "", "at random, once every day"),
        (
            #"{"random":true,"frequency":2,"endTimeOfDay":72000000}"#, #","dailyRepeatRate":2"#,
            "at random, 2 times every 2 days"
        ),
    ])
    func aTimeSaysHowOftenItComes(signal: String, schedule: String, rhythm: String) throws {
        let task = try #require(try Self.study(signal, schedule: schedule).tasks.first)
        #expect(task.schedule.promptTimes(of: task, in: Joined.context()).map(\.rhythm) == [rhythm])
    }

    /// `ScheduleTest.saveTimeFrames`: what comes within 24 hours stays, and the time is another
    /// from the next day on.
    @Test func whatComesWithinADayStays() throws {
        let (moved, prompts) = try Self.move(try Self.study(#"{"startTimeOfDay":43200000}"#), 15 * Self.hour)
        #expect(prompts.prefix(3) == ["03-02T12:00", "03-03T15:00", "03-04T15:00"])
        #expect(moved.lines == ["EMA: 15:00 from 2026-03-03 on"])
    }

    /// As well: what comes later than that is at the new time at once. Its days stay.
    @Test func whatComesLaterIsMovedAtOnce() throws {
        let study = try Self.study(#"{"startTimeOfDay":43200000}"#, schedule: #","dailyRepeatRate":7"#)
        let prompts = try Self.move(study, 15 * Self.hour, after: 24).prompts
        #expect(prompts.prefix(3) == ["03-02T12:00", "03-09T15:00", "03-16T15:00"])
    }

    @Test func allPromptsOfADayThatHasBegunStay() throws {
        let study = try Self.study(
            #"{"random":true,"frequency":3,"minutesBetween":30,"startTimeOfDay":36000000,"endTimeOfDay":72000000}"#)
        let before = ESMiraSample.occurrences(study).filter(\.isSignalled).map {
            String("\($0.local)".dropFirst(5).prefix(11))
        }
        let prompts = try Self.move(study, 6 * Self.hour, 8 * Self.hour, after: 4).prompts
        #expect(prompts.prefix(3) == before.prefix(3))
        #expect(prompts[3...5].allSatisfy { $0 >= "03-03T06:00" && $0 < "03-03T08:00" }, "\(prompts.prefix(6))")
    }

    @Test func aSecondMoveTakesThePlaceOfTheFirst() throws {
        let study = try Self.study(#"{"startTimeOfDay":43200000}"#)
        let first = try Self.move(study, 15 * Self.hour).moved
        let second = try Self.move(study, 17 * Self.hour, after: 25, knowing: first.variables)
        #expect(second.prompts.prefix(4) == ["03-02T12:00", "03-03T15:00", "03-04T17:00", "03-05T17:00"])
    }

    /// The file has an end of a fixed time too, which the app never shows.
    @Test(arguments: [0, 61_200_000]) func aTimeThatIsMovedBackIsTheStudysOwn(end: Int) throws {
        let study = try Self.study(#"{"startTimeOfDay":43200000,"endTimeOfDay":\#(end)}"#)
        #expect(try Self.move(study, 12 * Self.hour).moved.lines.isEmpty)
        let first = try Self.move(study, 15 * Self.hour).moved
        var facts = StudyFacts()
        facts.variables = try Self.move(study, 12 * Self.hour, after: 25, knowing: first.variables).moved.variables
        let (task, joined) = (try #require(study.tasks.first), Joined.context())
        let context = ScheduleContext(
            enrolment: joined.enrolment, zone: joined.zone, chance: joined.chance, facts: facts)
        #expect(!facts.variables.isEmpty)
        #expect(task.schedule.promptTimes(of: task, in: context).map(\.isMoved) == [false])
    }

    /// `Schedule.toDescString`, with the times of all its signals;
    /// `DataSet.createScheduleChangedDataSet`.
    @Test func theServerIsToldTheWholeSchedule() throws {
        let study = try Self.study(
            #"{"startTimeOfDay":43200000},{"random":true,"startTimeOfDay":32400000,"endTimeOfDay":61200000}"#)
        let moved = try Self.move(study, 30 * 60_000, 22 * Self.hour, number: 1).moved
        guard case .timesMoved("50001", let text)? = moved.reports.first else {
            Issue.record("no report")
            return
        }
        #expect(text == "EMA: 12:00 PM, EMA: 12:30 AM-10:00 PM, ")
        let context = WireContext(study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "http://s/")
        let request = try #require(
            study.writer.requests(for: moved.reports[0], at: Instant(milliseconds: 1), in: context).first)
        let dataset = try #require(try JSONNode(request.body)["dataset"]?.first)
        #expect(dataset["eventType"]?.written == "schedule_changed")
        #expect(dataset["questionnaireInternalId"]?.written == "50001")
        #expect(dataset["responses"]?["newSchedule"]?.written == text)
    }

    /// As Java writes a short time of American English.
    @Test(arguments: [
        (0, "12:00 AM"), (59_999, "12:00 AM"), (60_000, "12:01 AM"), (3_599_999, "12:59 AM"), (3_600_000, "1:00 AM"),
        (43_199_999, "11:59 AM"), (43_200_000, "12:00 PM"), (46_799_999, "12:59 PM"), (46_800_000, "1:00 PM"),
        (86_399_999, "11:59 PM"), (86_400_000, "12:00 AM"),
    ])
    func noonIsTwelvePMAndMidnightTwelveAM(_ milliseconds: Int, _ clock: String) {
        let window = ESMiraDayWindow(milliseconds, milliseconds)
        let time = ESMiraSignalTime(
            id: "0.0.0", schedule: "0.0", fingerprint: "", window: window, isRandom: false, frequency: 1, between: 0,
            isEditable: true, rhythm: "")
        #expect(time.text(window, title: "Q") == "Q: \(clock), ")
    }

    /// `ActionTrigger.save`: where a schedule of the study is another, the app makes its times
    /// again; whatever else is new leaves them.
    @Test func aNewScheduleOfTheStudyTakesBackWhatWasMoved() throws {
        let old = try Self.study(#"{"startTimeOfDay":43200000}"#)
        let moved = try Self.move(old, 15 * Self.hour).moved
        func times(_ study: StudyProtocol) throws -> [String] {
            var facts = StudyFacts()
            facts.variables = moved.variables
            let task = try #require(study.tasks.first)
            let joined = Joined.context()
            let context = ScheduleContext(
                enrolment: joined.enrolment, zone: joined.zone, chance: joined.chance, facts: facts)
            return task.schedule.promptTimes(of: task, in: context).map(\.text)
        }
        #expect(try times(old) == ["15:00"])
        #expect(try times(Self.study(#"{"startTimeOfDay":43200000}"#, more: #","completableOnce":true"#)) == ["15:00"])
        // `Schedule.isDifferent`: a default that is written out is none, nor is what the app does not read.
        for same in [#"{"random":false,"startTimeOfDay":43200000}"#, #"{"startTimeOfDay":43200000,"label":"noon"}"#] {
            #expect(try times(Self.study(same, schedule: #","userEditable":true,"weekdays":0"#)) == ["15:00"])
        }
        #expect(try times(Self.study(#"{"startTimeOfDay":43200000}"#, schedule: #","weekdays":2"#)) == ["12:00"])
        #expect(try times(Self.study(#"{"startTimeOfDay":46800000}"#)) == ["13:00"])
    }

    @Test func whatTheStudyDoesNotLetBeMovedIsNotListed() throws {
        let study = try Self.study(#"{"startTimeOfDay":43200000}"#, schedule: #","userEditable":false"#)
        let task = try #require(study.tasks.first)
        #expect(task.schedule.promptTimes(of: task, in: Joined.context()).isEmpty)
    }

    @Test func aTimeAtWhichItCannotBeFilledOutIsRefused() throws {
        let study = try Self.study(
            #"{"startTimeOfDay":43200000}"#,
            more:
                #","completableAtSpecificTime":true,"completableAtSpecificTimeStart":36000000,"completableAtSpecificTimeEnd":72000000"#
        )
        #expect(throws: PromptTimeError.self) { try Self.move(study, 5 * Self.hour) }
        #expect(try Self.move(study, 11 * Self.hour).prompts.dropFirst().first == "03-03T11:00")
    }
}

extension JSONNode {
    fileprivate var first: JSONNode? { if case .array(let all) = content { all.first } else { nil } }
    /// A text or a number as it is spelled.
    fileprivate var written: String? {
        switch content {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}
