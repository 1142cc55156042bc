// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import SystemKit
import Testing

@testable import PlatformESMira

/// Expected days follow `Scheduler.kt`, `Schedule.kt` and `Questionnaire.kt` of the app
/// (ESMira-apps f750e58), reckoned by hand on the calendar of March 2026, where the second day is a
/// Monday.
@Suite struct ESMiraScheduleTests {
    /// Until the 20th.
    static let period = #","durationPeriodDays":18"#

    @Test(arguments: [
        // startDayOne is true unless the study says otherwise.
        ("", ["2026-03-03", "2026-03-04"]),
        (#","startDayOne":false"#, ["2026-03-02", "2026-03-03"]),
        (#","startDayOne":false,"skipFirstInLoop":true"#, ["2026-03-03", "2026-03-04"]),
        (#","dailyRepeatRate":3"#, ["2026-03-03", "2026-03-06"]),
        (#","dailyRepeatRate":3,"skipFirstInLoop":true"#, ["2026-03-06", "2026-03-09"]),
        (#","dailyRepeatRate":0"#, ["2026-03-03", "2026-03-04"]),
        // Sunday and Wednesday.
        (#","weekdays":9"#, ["2026-03-04", "2026-03-08"]),
        (#","dayOfMonth":15"#, ["2026-03-15"]),
        // Moved to the 15th, a Sunday, and from there to the next Friday.
        (#","dayOfMonth":15,"weekdays":32"#, ["2026-03-20"]),
    ])
    func daysFollowTheRules(schedule: String, days: [String]) throws {
        let prompts = try ESMiraSample.prompts(
            #"{"startTimeOfDay":32400000}"#, schedule: schedule, questionnaire: Self.period)
        #expect(prompts.prefix(2).map { String($0.prefix(10)) } == days)
        #expect(prompts.allSatisfy { $0.hasPrefix("2026-03-") && $0.contains("09:00") })
    }

    @Test func aPeriodOfNDaysHasOneMoreDay() throws {
        let prompts = try ESMiraSample.prompts(
            #"{"startTimeOfDay":32400000}"#, questionnaire: #","durationPeriodDays":3"#)
        #expect(prompts.map { String($0.prefix(10)) } == ["2026-03-03", "2026-03-04", "2026-03-05"])
    }

    /// The app plans as it goes, and knows no last day but the study's.
    @Test(arguments: [("", 729), (#","durationPeriodDays":1000"#, 1000), (#","durationPeriodDays":36500"#, 3652)])
    func aPeriodIsPlannedToItsEndAndOneWithoutAnEndForTwoYears(period: String, days: Int) throws {
        let prompts = try ESMiraSample.prompts(#"{"startTimeOfDay":32400000}"#, questionnaire: period)
        let first = try LocalDate(parsing: String(prompts.first?.prefix(10) ?? ""))
        let last = try LocalDate(parsing: String(prompts.last?.prefix(10) ?? ""))
        #expect(prompts.count == days && last == first.adding(days: days - 1), "\(prompts.count) \(last)")
    }

    @Test func itBeginsOnTheDayOnWhichItBecomesActive() throws {
        let prompts = try ESMiraSample.prompts(
            #"{"startTimeOfDay":32400000}"#, questionnaire: #","durationStartingAfterDays":7,"durationPeriodDays":8"#)
        #expect(prompts.map { String($0.prefix(10)) } == ["2026-03-09", "2026-03-10"])
    }

    /// Prompts come at nine, and the participant joined at ten on 2 March.
    @Test(arguments: [
        // 3 March 2026, 9:00 UTC; a millisecond before it, and one after it; noon.
        ("", 1_772_528_400_000, "2026-03-03"), ("", 1_772_528_399_999, "2026-03-03"),
        ("", 1_772_528_400_001, "2026-03-04"), ("", 1_772_539_200_000, "2026-03-04"),
        // What has passed on the day of joining is due at once, but not what lies before the start.
        (#","startDayOne":false"#, 1_772_442_000_000, "2026-03-02"),
        (#","startDayOne":false"#, 1_772_442_000_001, "2026-03-03"),
    ])
    func noPromptComesBeforeTheStart(schedule: String, start: Int, first: String) throws {
        let prompts = try ESMiraSample.prompts(
            #"{"startTimeOfDay":32400000}"#, schedule: schedule,
            questionnaire: #","durationStart":\#(start)"# + Self.period)
        #expect(prompts.first?.hasPrefix(first) == true, "\(prompts.first ?? "none")")
    }

    /// Prompts come at nine; the life of a questionnaire has both its ends.
    @Test(arguments: [
        // 3 March 2026, 9:00 UTC, and the day after it.
        (1_772_528_399_999, 0), (1_772_528_400_000, 1), (1_772_614_799_999, 1), (1_772_614_800_000, 2),
    ])
    func aPromptAtTheVeryEndComesAndNoneAfterIt(end: Int, count: Int) throws {
        let prompts = try ESMiraSample.prompts(
            #"{"startTimeOfDay":32400000}"#, questionnaire: #","durationEnd":\#(end)"#)
        #expect(prompts.count == count, "\(prompts)")
    }

    @Test(arguments: [
        // From ten to twelve, over at ten on 3 March, and a millisecond later.
        (36_000_000, 43_200_000, 1_772_532_000_000, 1), (36_000_000, 43_200_000, 1_772_532_000_001, 2),
        // From eight until just before the moment of joining, and until it; over at nine on 3 March.
        (28_800_000, 35_999_999, 1_772_528_400_000, 1), (28_800_000, 36_000_000, 1_772_528_400_000, 2),
    ])
    func aStretchWithoutLengthIsNotInTheList(start: Int, end: Int, over: Int, count: Int) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationEnd":\#(over),"completableAtSpecificTime":true,"completableAtSpecificTimeStart":\#(start),"completableAtSpecificTimeEnd":\#(end)"#
        )
        let offers = ESMiraSample.occurrences(study).filter { $0.id.hasPrefix("50001/open/") }
        #expect(offers.count == count, "\(offers.map(\.id))")
    }

    /// A new version with another start gives no day the id of another day, which may have been answered.
    @Test func aDayInTheListIsCalledTheSameWhateverTheStart() throws {
        func offers(_ more: String) throws -> [String: LocalDate] {
            let study = try ESMiraSample.study(
                #"\#(ESMiraSample.pages),"durationPeriodDays":5,"completableAtSpecificTime":true,"completableAtSpecificTimeStart":28800000,"completableAtSpecificTimeEnd":72000000\#(more)"#
            )
            let offers = ESMiraSample.occurrences(study).filter { $0.id.hasPrefix("50001/open/") }
            return Dictionary(offers.map { ($0.id, $0.local.date) }) { $1 }
        }
        let (early, late) = (try offers(""), try offers(#","durationStartingAfterDays":3"#))
        #expect(early.count == 6 && late.count == 3)
        #expect(late.allSatisfy { early[$0.key] == $0.value }, "\(early) \(late)")
    }

    /// `SignalTime.kt`: an hour where the study names none.
    @Test(arguments: [(7_199_999, 0), (7_200_000, 2)])
    func withoutMinutesBetweenThereIsAnHour(end: Int, count: Int) throws {
        let prompts = try ESMiraSample.prompts(
            #"{"random":true,"frequency":2,"startTimeOfDay":0,"endTimeOfDay":\#(end)}"#,
            questionnaire: #","durationPeriodDays":1"#)
        #expect(prompts.count == count, "\(prompts)")
    }

    @Test func randomPromptsLieInTheirBlocksAndKeepTheirDistance() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":300,"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"random":true,"frequency":4,"minutesBetween":120,"startTimeOfDay":36000000,"endTimeOfDay":72000000}]}]}]"#
        )
        let prompts = ESMiraSample.occurrences(study).filter(\.isSignalled)
        #expect(prompts.count == 1_200)
        for (index, day) in stride(from: 0, to: prompts.count, by: 4).map({ prompts[$0..<$0 + 4] }).enumerated() {
            let times = day.map { Int($0.local.time.nanoseconds / 1_000_000) }
            #expect(Set(day.map(\.local.date)).count == 1)
            for (block, time) in times.enumerated() {
                // A late one moves the beginning of the next, never its end.
                #expect(
                    (36_000_000 + block * 9_000_000..<36_000_000 + (block + 1) * 9_000_000).contains(time), "\(index)")
            }
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 7_200_000 }, "\(times)")
        }
    }

    @Test func aFixedRandomTimeIsThatOfTheFirstDay() throws {
        let prompts = try ESMiraSample.prompts(
            #"{"random":true,"randomFixed":true,"startTimeOfDay":36000000,"endTimeOfDay":72000000}"#,
            questionnaire: Self.period)
        #expect(Set(prompts.map { $0.dropFirst(10) }).count == 1)
        #expect(prompts.count == 18)
    }

    @Test(arguments: [
        // The app's own cases (`SchedulerTest.scheduleFilteredSignalTime`), in hours.
        (2, 20, 7, 21, 7, 20), (8, 20, 7, 21, 8, 20), (8, 22, 7, 21, 8, 21), (1, 23, 7, 21, 7, 21),
        (8, 9, 18, 9, 8, 9),
        // What it does once a time is saved (`SignalTime.correctStartEndPeriod`), seen by running
        // it: 24:00 ends what can be filled out.
        (22, 2, 20, 1, 22, 24), (22, 2, 20, 24, 22, 24), (20, 23, 22, 2, 22, 23), (10, 12, 12, 14, 12, 12),
        (0, 24, 0, 24, 0, 24),
    ])
    func promptsLieWhereTheQuestionnaireCanBeFilledOut(
        start: Int, end: Int, from: Int, until: Int, first: Int, last: Int
    ) {
        let hour = 3_600_000
        let cut = ESMiraDayWindow(start * hour, end * hour).cut(to: OpenHours(start: from * hour, end: until * hour))
        #expect(cut?.start == first * hour)
        #expect(cut?.end == last * hour)
    }

    @Test func twoStretchesOrNoneGiveNoPrompts() throws {
        // 12:00 to 8:00 and 4:00 to 16:00 meet twice.
        let hours = OpenHours(start: 43_200_000, end: 28_800_000)
        #expect(ESMiraDayWindow(14_400_000, 57_600_000).cut(to: hours) == nil)
        #expect(ESMiraDayWindow(32_400_000, 36_000_000).cut(to: hours) == nil)
        // Both touch: 4:00 to 20:00 and 20:00 to 4:00. And 22:00 to 2:00 has nothing of 0:00 to
        // 6:00: the app looks at one day.
        let night = OpenHours(start: 72_000_000, end: 14_400_000)
        #expect(ESMiraDayWindow(14_400_000, 72_000_000).cut(to: night) == nil)
        #expect(ESMiraDayWindow(79_200_000, 7_200_000).cut(to: OpenHours(start: 0, end: 21_600_000)) == nil)
        let prompts = try ESMiraSample.prompts(#"{"random":true,"frequency":3,"endTimeOfDay":7200000}"#)
        #expect(prompts.isEmpty)
    }

    @Test func remindersFollowAndTheSignalEndsAfterTheLast() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"completableOncePerNotification":true,"completableMinutesAfterNotification":30,"durationPeriodDays":5,"actionTriggers":[{"actions":[{"timeout":20,"reminder_count":2}],"schedules":[{"signalTimes":[{"startTimeOfDay":32400000}]}]}]"#
        )
        let prompt = try #require(ESMiraSample.occurrences(study).first)
        #expect(prompt.reminders == [prompt.due + .seconds(300), prompt.due + .seconds(600)])
        #expect(prompt.silentFrom == prompt.due + .seconds(1_800))
        #expect(prompt.expires == prompt.due + .seconds(2_400))
    }

    @Test(arguments: [(43_200_000, ["second"]), (43_260_000, ["first", "second"])])
    func promptsOfOneMomentAreOneWithTheLastMessage(_ later: Int, _ messages: [String]) throws {
        func trigger(_ text: String, _ time: Int) -> String {
            #"{"actions":[{"msgText":"\#(text)"}],"schedules":[{"signalTimes":[{"startTimeOfDay":\#(time)}]}]}"#
        }
        let triggers = trigger("first", 43_200_000) + "," + trigger("second", later)
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":1,"actionTriggers":[\#(triggers)]"#)
        let prompts = ESMiraSample.occurrences(study).filter(\.isSignalled)
        #expect(prompts.map { $0.message ?? study.tasks[0].prompt.message } == messages)
    }

    /// A message asks nothing.
    @Test(arguments: [(nil, true), (#"{"type":2,"msgText":"m"}"#, true), ("{}", false)] as [(String?, Bool)])
    func whatOnlyAPromptOpensNeedsOne(_ action: String?, _ isSaid: Bool) throws {
        let trigger = action.map {
            #","actionTriggers":[{"actions":[\#($0)],"schedules":[{"signalTimes":[{"startTimeOfDay":43200000}]}]}]"#
        }
        for isByPrompt in [true, false] {
            let study = try ESMiraSample.study(
                #"\#(ESMiraSample.pages),"completableOncePerNotification":\#(isByPrompt)\#(trigger ?? "")"#)
            let said = study.remarks.contains { $0.message.contains("it can be filled out only after a prompt") }
            #expect(said == (isByPrompt && isSaid))
        }
    }

    /// The editor saves -1 where a time was emptied, and keeps that of an end that is not looked at
    /// (`TimeTransformer`, `BindObservable.tsx:99`, ESMira-web 0750ca3). By `Scheduler.scheduleSignalTime` and
    /// `Interval` of the app (ESMira-apps f750e58) such a time is a millisecond before midnight.
    @Test(arguments: [
        (#""startTimeOfDay":-1"#, "2026-03-03T23:59:59.999", 86_399_999, 86_399_999),
        (#""startTimeOfDay":32400000,"endTimeOfDay":-1"#, "2026-03-03T09:00:00", 32_400_000, 32_400_000),
        (#""startTimeOfDay":86399000,"endTimeOfDay":-1,"random":true"#, "2026-03-03T23:59:59", 86_399_000, 86_399_999),
    ])
    func aTimeThatWasEmptiedIsTheEndOfTheDay(_ signal: String, _ first: String, _ start: Int, _ end: Int) throws {
        let prompts = try ESMiraSample.prompts("{\(signal)}", questionnaire: Self.period)
        #expect(prompts.first?.hasPrefix(first) == true && prompts.count == 18, "\(prompts)")
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{\#(signal)}]}]}]"#)
        let schedule = try #require(study.tasks[0].schedule as? ESMiraSchedule)
        #expect(schedule.times.map(\.window.start) == [start] && schedule.times.map(\.window.end) == [end])
        #expect(study.remarks.contains { $0.message.hasPrefix("no time was entered") } == (start != 32_400_000))
    }

    /// The editor takes 0 for the delay (`triggerEdit.tsx:144`, ESMira-web 0750ca3), and keeps it where there are no
    /// reminders; of 0 the app gives them all together with the invitation (`Scheduler.addReminder`, ESMira-apps
    /// f750e58).
    @Test(arguments: [(0, 0, 0, false), (0, 5, 0, false), (2, 0, 0, true), (2, 1, 2, false)])
    func remindersWithoutADelayAreNone(_ count: Int, _ delay: Int, _ reminders: Int, _ isSaid: Bool) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":1,"actionTriggers":[{"actions":[{"timeout":20,"reminder_count":\#(count),"reminder_delay_minu":\#(delay)}],"schedules":[{"signalTimes":[{"startTimeOfDay":32400000}]}]}]"#
        )
        let prompt = try #require(ESMiraSample.occurrences(study).first { $0.isSignalled })
        #expect(prompt.reminders.count == reminders)
        #expect(prompt.silentFrom == prompt.due + .seconds(60 * (20 + reminders * delay)))
        #expect(study.remarks.contains { $0.path.hasSuffix(".reminder_delay_minu") } == isSaid)
    }

    /// The editor sets no limit; a plan holds every reminder of thousands of prompts.
    @Test(arguments: [(100, 100, false), (101, 100, true)])
    func aHundredRemindersAreGiven(_ count: Int, _ reminders: Int, _ isSaid: Bool) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":3,"actionTriggers":[{"actions":[{"reminder_count":\#(count),"reminder_delay_minu":1}],"schedules":[{"signalTimes":[{"startTimeOfDay":32400000}]}]}]"#
        )
        let prompt = try #require(ESMiraSample.occurrences(study).first { $0.isSignalled })
        #expect(prompt.reminders.count == reminders)
        #expect(study.remarks.contains { $0.path.hasSuffix(".reminder_count") } == isSaid)
    }

    /// The light goes out when it cannot be followed any more; `invitation_missed` is sent at the
    /// time-out (`ESMiraAppTests` has the app's).
    @Test func aSignalEndsWithItsWindowAndItsTimeoutIsStillTold() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"completableOncePerNotification":true,"completableMinutesAfterNotification":30,"durationPeriodDays":2,"actionTriggers":[{"actions":[{"timeout":90}],"schedules":[{"signalTimes":[{"startTimeOfDay":32400000}]}]}]"#
        )
        let context = Joined.context()
        let plan = Planner(study: study, context: context).plan
        var scheduler = Scheduler(plan: plan, facts: context.facts)
        let due = try #require(plan.occurrences.first { $0.isSignalled }).due
        var seen: [String] = []
        _ = scheduler.handle(.tick, at: context.enrolment.instant)
        while let now = scheduler.wake, now <= due + .seconds(7_200) {
            for effect in scheduler.handle(.tick, at: now) {
                let minutes = (now - due).components.seconds / 60
                switch effect {
                case .prompt: seen.append("prompt \(minutes)")
                case .withdraw: seen.append("dark \(minutes)")
                case .unanswered: seen.append("missed \(minutes)")
                case .outcome(_, let outcome): seen.append("\(outcome.name) \(minutes)")
                default: break
                }
            }
        }
        #expect(seen == ["prompt 0", "dark 30", "expired 30", "missed 90"])
    }

    @Test func whatHappenedToTheNamedQuestionnaireRaisesAPromptWithinItsDelay() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"completableOncePerNotification":true,"actionTriggers":[{"actions":[{}],"eventTriggers":[{"cueCode":"questionnaire","specificQuestionnaireInternalId":50002,"randomDelay":true,"delayMinimumSec":60,"delaySec":120},{"cueCode":"joined","delaySec":60}]}]"#
        )
        let task = study.tasks[0]
        let context = Joined.context()
        let planned = task.schedule.occurrences(of: task, in: context)
        #expect(planned.map(\.due) == [context.enrolment.instant + .seconds(60)])
        let later = context.enrolment.instant + .seconds(5_000)
        for task in ["50001", "50003"] {
            let other = StudyHappening(.submitted, task: task, at: later)
            #expect(study.tasks[0].schedule.raised(by: other, of: study.tasks[0], in: context).isEmpty)
        }
        let happening = StudyHappening(.submitted, task: "50002", at: later)
        let raised = task.schedule.raised(by: happening, of: task, in: context)
        #expect(raised.count == 1)
        #expect((60...120).contains((raised[0].due - later).components.seconds))
        #expect(raised == task.schedule.raised(by: happening, of: task, in: context))
    }

    /// `EventTrigger.triggerCheck` of ESMira-apps f750e58: without a `delaySec` there is no delay, whatever is
    /// least, and what is least counts for a random delay alone. In seconds.
    @Test(
        arguments: [
            (#""randomDelay":true,"delayMinimumSec":600,"delaySec":0"#, 0...0),
            (#""randomDelay":true,"delayMinimumSec":600"#, 0...0),
            (#""randomDelay":false,"delayMinimumSec":600,"delaySec":700"#, 700...700),
            (#""delayMinimumSec":600,"delaySec":700"#, 700...700),
            (#""randomDelay":true,"delaySec":700"#, 0...699),
            (#""randomDelay":true,"delayMinimumSec":700,"delaySec":700"#, 700...700),
            (#""randomDelay":true,"delayMinimumSec":1000000,"delaySec":1"#, 2...1_000_000),
        ] as [(String, ClosedRange<Int64>)])
    func aDelayIsRandomWhereThereIsOneAndItIsAskedFor(fields: String, range: ClosedRange<Int64>) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"actionTriggers":[{"actions":[{}],"eventTriggers":[{"cueCode":"questionnaire","specificQuestionnaireInternalId":50002,\#(fields)}]}]"#
        )
        let (task, context) = (study.tasks[0], Joined.context())
        let later = context.enrolment.instant + .seconds(5_000)
        let raised = task.schedule.raised(
            by: StudyHappening(.submitted, task: "50002", at: later), of: task, in: context)
        let delays = raised.map { $0.due - later }
        #expect(delays.count == 1 && delays.allSatisfy { range.contains($0.components.seconds) }, "\(delays)")
        if range.count == 1 { #expect(delays == [.seconds(range.lowerBound)]) }
    }

    /// `Scheduler.considerDayOptions` reads day and weekday from a time in UTC and adds
    /// `ONE_DAY_MS` (ESMira-apps f750e58).
    @Test func thatDaysAreLocalAndNotTheAppsIsSaidOnce() throws {
        let signal = #""signalTimes":[{"startTimeOfDay":32400000}]"#
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":5,"actionTriggers":[{"actions":[{}],"schedules":[{\#(signal)},{\#(signal),"dayOfMonth":31},{\#(signal),"dayOfMonth":28}]}]"#
        )
        let schedules = "$.questionnaires[0].actionTriggers[0].schedules"
        #expect(
            study.remarks.filter { $0.message.contains("days in UTC") }.map(\.path) == ["\(schedules)[0]"])
        #expect(
            study.remarks.filter { $0.message.contains("passed over") }.map(\.path) == ["\(schedules)[1].dayOfMonth"])
        let without = try ESMiraSample.study(ESMiraSample.pages)
        #expect(without.remarks.allSatisfy { !$0.message.contains("UTC") })
    }

    /// All of `DataSet.EventTypes`; `DbLogic.triggerEventTrigger` compares the very name
    /// (ESMira-apps f750e58).
    private static let events: [String: StudyHappening.Name?] = [
        "joined": nil, "questionnaire": .submitted, "quit": nil, "invitation": .prompted, "reminder": .reminded,
        "invitation_missed": .unanswered, "message": .noticed("message"), "notification": .noticed("notification"),
        "schedule_changed": .timesMoved, "study_message": .message, "study_updated": .updated, "rejoined": nil,
        "schedule_planned": nil, "schedule_removed": nil, "actions_executed": nil, "statistic_viewed": nil,
        "requested_reward_code": nil, "language_changed": nil,
    ]

    @Test(arguments: events.keys.sorted()) func anEventRaisesItsPromptAndNoOtherOrItIsSaidWhyNot(_ cue: String) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":5,"completableOncePerNotification":true,"actionTriggers":[{"actions":[{}],"eventTriggers":[{"cueCode":"\#(cue)","delaySec":60}]}]"#
        )
        let (task, context) = (study.tasks[0], Joined.context())
        let raising = Self.events.values.compactMap(\.self).filter { name in
            let happening = StudyHappening(name, at: context.enrolment.instant + .seconds(500))
            return !task.schedule.raised(by: happening, of: task, in: context).isEmpty
        }
        #expect(raising == (Self.events[cue] ?? nil).map { [$0] } ?? [])
        #expect(task.schedule.occurrences(of: task, in: context).count == (cue == "joined" ? 1 : 0))
        let isNamed = study.remarks.contains { $0.kind == .unsupported && $0.message.contains("\"\(cue)\"") }
        #expect(isNamed == (raising.isEmpty && cue != "joined"))
    }

    /// `Questionnaire.saveQuestionnaire` takes away what it raised itself; messages were given by then.
    @Test(arguments: [
        ("questionnaire", "50001", 0, 1, 0), ("questionnaire", "50001", 1, 1, 1),
        ("questionnaire", "50002", 0, 1, 1), ("questionnaire", "50001", 0, 2, 1),
        ("schedule_changed", "50001", 0, 1, 1),
    ])
    func anInvitationThatIsRaisedAtOnceGoesWithItsOwnAnswers(
        _ cue: String, _ happened: String, _ delay: Int, _ type: Int, _ count: Int
    ) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":5,"actionTriggers":[{"actions":[{"type":\#(type)}],"eventTriggers":[{"cueCode":"\#(cue)","delaySec":\#(delay)}]}]"#
        )
        let (task, context) = (study.tasks[0], Joined.context())
        let name: StudyHappening.Name = cue == "questionnaire" ? .submitted : .timesMoved
        let happening = StudyHappening(name, task: happened, at: context.enrolment.instant + .seconds(500))
        #expect(task.schedule.raised(by: happening, of: task, in: context).count == count)
    }

    /// The prompts that `signal` gives somebody who joined then; `more` are further members of the questionnaire.
    private static func prompts(
        _ signal: String, schedule: String = "", more: String, joined: String, in zone: Zone, seed: UInt8 = 1
    ) throws -> [Occurrence] {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages)\#(more),"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[\#(signal)]\#(schedule)}]}]"#
        )
        let context = try Joined.context(at: joined, in: zone, seed: seed)
        return study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context).filter(\.isSignalled)
    }

    private static let nightly =
        #"{"random":true,"frequency":3,"minutesBetween":45,"startTimeOfDay":0,"endTimeOfDay":14400000}"#

    /// `Scheduler.scheduleSignalTime` adds the milliseconds that it draws to a moment (`baseTimestamp + randomBlock`,
    /// ESMira-apps f750e58), so that four hours from midnight are four hours in any night. Joined two days before it.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29"), ("America/St_Johns", "2026-03-08"), ("Australia/Lord_Howe", "2026-10-04"),
        ("Europe/Berlin", "2026-10-25"), ("UTC", "2026-03-29"),
    ])
    func randomPromptsKeepTheirDistanceWhereClocksChangeAsInTheApp(_ name: String, _ night: String) throws {
        let zone = try #require(try? Zone.load(name), "needs tzdata")
        let night = try LocalDate(parsing: night)
        let midnight = zone.resolve(LocalDateTime(night, .midnight)).instant
        for seed in UInt8(1)...59 {
            func drawn(_ zone: Zone) throws -> [Occurrence] {
                try Self.prompts(
                    Self.nightly, more: #","durationPeriodDays":3"#, joined: "\(night.adding(days: -2))T12:00",
                    in: zone, seed: seed)
            }
            let (all, elsewhere) = (try drawn(zone), try drawn(.utc))
            let own = all.filter { $0.local.date == night }.map(\.due)
            #expect(all.count == 9 && own.count == 3)
            #expect(own.allSatisfy { (midnight..<midnight + .seconds(14_400)).contains($0) })
            #expect(zip(own, own.dropFirst()).allSatisfy { $1 - $0 >= .seconds(45 * 60) }, "\(seed)")
            // As long after midnight as where clocks never change; the nights beside it by the wall clock, too.
            let start = Zone.utc.resolve(LocalDateTime(night, .midnight)).instant
            let draws = elsewhere.filter { $0.local.date == night }.map { $0.due - start }
            #expect(own.map { $0 - midnight } == draws)
            func others(_ all: [Occurrence]) -> [LocalDateTime] { all.map(\.local).filter { $0.date != night } }
            #expect(others(all) == others(elsewhere))
            #expect(all.map(\.id) == elsewhere.map(\.id) && all.allSatisfy { zone.local($0.due) == $0.local })
        }
    }

    /// `Scheduler.rescheduleFromSignalTime` repeats the moment of the first day (ESMira-apps f750e58); here by the wall
    /// clock. That day is the one on which clocks go forward, then the one on which they go back.
    @Test(arguments: ["2026-03-28T12:00", "2026-10-24T12:00"])
    func aFixedRandomTimeIsWhatClocksShowedOnTheFirstDay(_ joined: String) throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        for seed in UInt8(1)...20 {
            let all = try Self.prompts(
                #"{"random":true,"randomFixed":true,"startTimeOfDay":0,"endTimeOfDay":14400000}"#,
                more: #","durationPeriodDays":3"#, joined: joined, in: berlin, seed: seed)
            #expect(all.count == 3 && Set(all.map(\.local.time)).count == 1, "\(all.map(\.local))")
        }
    }

    /// Samoa left out 30 December 2011, a Friday (IANA's tz database). `Scheduler.scheduleSignalTime` adds `ONE_DAY_MS`
    /// for each day (ESMira-apps f750e58), which leads to the 31st. Joined on the 26th.
    @Test(arguments: [
        ("", 6, ["2011-12-27", "2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01"]),
        (#","dailyRepeatRate":3"#, 9, ["2011-12-27", "2011-12-31", "2012-01-03"]),
        (#","weekdays":32"#, 11, ["2012-01-06"]),
    ])
    func aDayThatIsLeftOutHasNoPrompts(_ schedule: String, _ period: Int, _ days: [String]) throws {
        let apia = try #require(try? Zone.load("Pacific/Apia"), "needs tzdata")
        for signal in [#"{"startTimeOfDay":43200000}"#, #"{"random":true,"endTimeOfDay":7200000}"#] {
            let all = try Self.prompts(
                signal, schedule: schedule, more: #","durationPeriodDays":\#(period)"#, joined: "2011-12-26T12:00",
                in: apia)
            #expect(all.map { "\(apia.local($0.due).date)" } == days)
        }
    }

    /// In Berlin clocks go from 2:00 to 3:00 on 29 March 2026, and from 3:00 back to 2:00 on 25 October. The app opens a
    /// questionnaire by the time since midnight (`Questionnaire.canBeFilledOut`, ESMira-apps f750e58): all that is after
    /// the change is an hour later there, and here what the change is in.
    @Test(
        arguments: [
            ("2026-03-29", 150, 165, "03:30", "03:45"), ("2026-03-29", 150, 190, "03:30", "04:10"),
            ("2026-03-29", 150, 270, "03:30", "05:30"), ("2026-03-29", 60, 300, "01:00", "06:00"),
            ("2026-03-29", 60, 150, "01:00", "03:30"), ("2026-03-29", 180, 240, "03:00", "04:00"),
            ("2026-03-28", 150, 165, "02:30", "02:45"), ("2026-10-25", 60, 300, "01:00", "05:00"),
        ])
    func itIsOpenForItsTimeAlsoWhereClocksGoForward(
        _ day: String, _ start: Int, _ end: Int, _ from: String, _ until: String
    ) throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let (begin, close) = (start * 60_000, end * 60_000)
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":3,"completableAtSpecificTime":true,"completableAtSpecificTimeStart":\#(begin),"completableAtSpecificTimeEnd":\#(close)"#
        )
        let first = try LocalDate(parsing: day).adding(days: -1)
        let context = try Joined.context(at: "\(first)T12:00", in: berlin)
        let offers = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
        let offer = try #require(offers.first { "\(berlin.local($0.due).date)" == day })
        let times = [offer.due, try #require(offer.expires)].map { berlin.local($0).time.text(fractionDigits: 0) }
        #expect(times == [from + ":00", until + ":00"])
        let hours = try #require(study.tasks[0].hours)
        let last = try #require(offer.expires) - .milliseconds(1)
        #expect(hours.contains(offer.due, in: berlin) && hours.contains(last, in: berlin))
        #expect(!hours.contains(offer.due - .milliseconds(1), in: berlin))
        #expect(!hours.contains(last + .milliseconds(1), in: berlin))
        #expect(hours.nextChange(after: offer.due - .milliseconds(1), in: berlin) == offer.due)
        #expect(hours.nextChange(after: offer.due, in: berlin) == offer.expires)
    }

    @Test func aDayThatIsLeftOutIsNotInTheList() throws {
        let apia = try #require(try? Zone.load("Pacific/Apia"), "needs tzdata")
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":2,"completableAtSpecificTime":true,"completableAtSpecificTimeStart":28800000,"completableAtSpecificTimeEnd":72000000"#
        )
        let context = try Joined.context(at: "2011-12-29T07:00", in: apia)
        let offers = study.tasks[0].schedule.occurrences(of: study.tasks[0], in: context)
        #expect(offers.map { "\($0.local)" } == ["2011-12-29T08:00:00", "2011-12-31T08:00:00"])
    }

    /// In Berlin it is 2:30 twice on 25 October 2026.
    @Test func whatIsRaisedInTheRepeatedHourIsNotDueBeforeItsCause() throws {
        let berlin = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"actionTriggers":[{"actions":[{}],"eventTriggers":[{"cueCode":"questionnaire","specificQuestionnaireInternalId":50002}]}]"#
        )
        let task = study.tasks[0]
        let context = try Joined.context(at: "2026-10-24T12:00", in: berlin)
        let second = berlin.resolve(try LocalDateTime(parsing: "2026-10-25T03:30")).instant - .seconds(3_600)
        for moment in [second - .seconds(3_600), second] {
            let called = ESMiraTrigger.call(50_001, "m", minutes: 0, at: moment)
            for cause in [StudyHappening(.submitted, task: "50002", at: moment), called] {
                #expect(task.schedule.raised(by: cause, of: task, in: context).map(\.due) == [moment])
            }
        }
    }

    @Test func aTimeOfDayStaysWhereTheClocksAreSetAndIsNotMovedByAnHour() throws {
        // Of 86 400 000 ms a day it would come at 10:00 from 29 March 2026 on.
        let zone = try #require(try? Zone.load("Europe/Berlin"), "needs tzdata")
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"durationPeriodDays":60,"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":32400000}]}]}]"#
        )
        let prompts = ESMiraSample.occurrences(study, zone: zone).filter(\.isSignalled)
        #expect(prompts.allSatisfy { zone.local($0.due).time.hour == 9 })
        #expect(prompts.count == 60)
    }
}
