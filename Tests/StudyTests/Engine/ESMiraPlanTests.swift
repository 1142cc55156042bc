// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformESMira
import Testing

@testable import Study

/// `schedule_planned` and `schedule_removed`: when the app sets an alarm and when it takes it away,
/// by `Alarm.schedule`, `Alarm.exec`, `Alarm.delete`, `Scheduler.scheduleSignalTime`,
/// `Scheduler.rescheduleFromAlarm`, `EventTrigger.triggerCheck` and `Questionnaire.save` of
/// ESMira-apps f750e58.
@Suite struct ESMiraPlanTests {
    private static let wanted = #""eventUploadSettings":{"schedule_planned":true,"schedule_removed":true},"#

    /// A study of one questionnaire that has that trigger, and is in the list for ten days from 2
    /// March 2026.
    private static func study(
        _ trigger: String, _ more: String = #""durationPeriodDays":10"#, settings: String = wanted
    ) throws -> StudyProtocol {
        let page = #"{"inputs":[{"name":"mood","responseType":"likert"}]}"#
        let text =
            #"{"id":7,"version":1,\#(settings)"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA",\#(more),"pages":[\#(page)],"actionTriggers":[\#(trigger)]}]}"#
        return try ESMiraReader().decode(StudySource(Array(text.utf8)))
    }

    private static func daily(_ signal: String, action: String = "{}") -> String {
        #"{"actions":[\#(action)],"schedules":[{"startDayOne":false,"signalTimes":[\#(signal)]}]}"#
    }

    /// What was reported at each of these minutes after joining at ten: `+` planned, `-` removed,
    /// each with day and time.
    private static func told(
        _ study: StudyProtocol, _ steps: [(minute: Int, event: Scheduler.Event)], from text: String? = nil
    ) -> [String] {
        let planner = Planner(study: study, context: Sample.context())
        var scheduler = Scheduler(plan: planner.plan)
        var watch = PlanWatch(text)
        return steps.map { step in
            let now = Sample.after(step.minute)
            _ = scheduler.handle(step.event, at: now)
            return watch.takeReports(scheduler, at: now).map(spelled).joined(separator: " ")
        }
    }

    private static func spelled(_ report: Report) -> String {
        func time(_ due: Instant) -> String {
            let local = Zone.utc.local(due)
            return "\(local.date.components.day)T" + "\(local.time)".prefix(5)
        }
        switch report {
        case .planned(_, let due): return "+" + time(due)
        case .unplanned(_, let due): return "-" + time(due)
        default: return "?"
        }
    }

    private static func ticks(_ minutes: [Int]) -> [(minute: Int, event: Scheduler.Event)] {
        minutes.map { ($0, .tick) }
    }

    @Test func eachAlarmIsPlannedWhenTheOneBeforeHasCome() throws {
        let study = try Self.study(Self.daily(#"{"startTimeOfDay":43200000}"#))
        #expect(
            Self.told(study, Self.ticks([0, 119, 120, 121, 1_560]))
                == ["+2T12:00", "", "-2T12:00 +3T12:00", "", "-3T12:00 +4T12:00"])
    }

    /// `Alarm.canBeRescheduled`: of several a day the last plans those of the next.
    @Test func theAlarmsOfADayArePlannedTogetherOnceTheLastOfTheDayBeforeHasCome() throws {
        let study = try Self.study(
            Self.daily(
                #"{"random":true,"frequency":3,"minutesBetween":30,"startTimeOfDay":43200000,"endTimeOfDay":54000000}"#)
        )
        let told = Self.told(study, Self.ticks([0, 180, 300, 1_440]))
        func counts(_ text: String) -> [Int] {
            ["+", "-"].map { mark in text.split(separator: " ").count { $0.hasPrefix(mark) } }
        }
        #expect(counts(told[0]) == [3, 0])
        #expect(counts(told[1])[0] == 0 && counts(told[1])[1] >= 1, "\(told)")
        #expect(counts(told[2])[0] == 3 && counts(told[1])[1] + counts(told[2])[1] == 3, "\(told)")
        #expect(told[3].isEmpty)
    }

    /// `ActionTrigger.issueInvitationNotification` sets the alarm of one reminder;
    /// `Questionnaire.save` takes it away.
    @Test func aReminderIsPlannedWithTheSignalBeforeItAndRemovedWhenSomebodyHasCome() throws {
        let action = #"{"timeout":30,"reminder_count":2,"reminder_delay_minu":5}"#
        let study = try Self.study(Self.daily(#"{"startTimeOfDay":43200000}"#, action: action))
        #expect(
            Self.told(study, Self.ticks([0, 120, 125, 130]))
                == ["+2T12:00", "-2T12:00 +2T12:05 +3T12:00", "-2T12:05 +2T12:10", "-2T12:10"])
        let id = try #require(
            Planner(study: study, context: Sample.context()).plan.occurrences.first { $0.isSignalled }?.id)
        let steps: [(minute: Int, event: Scheduler.Event)] = [
            (0, .tick), (120, .tick), (121, .opened(id)), (122, .completed(id)), (125, .tick),
        ]
        #expect(Self.told(study, steps)[2...].joined(separator: "|") == "-2T12:05||")
    }

    /// `EventTrigger.triggerCheck`: only what is delayed has an alarm.
    @Test func whatAnEventRaisesIsPlannedWhereItIsDelayed() throws {
        func trigger(_ delay: Int) -> String {
            #"{"actions":[{}],"eventTriggers":[{"cueCode":"joined","delaySec":\#(delay)}]}"#
        }
        #expect(Self.told(try Self.study(trigger(3_600)), Self.ticks([0, 60])) == ["+2T11:00", "-2T11:00"])
        #expect(Self.told(try Self.study(trigger(0)), Self.ticks([0, 60])) == ["", ""])
    }

    @Test func afterARestartNothingIsToldTwiceAndWhatHasComeMeanwhileIsRemoved() throws {
        let study = try Self.study(Self.daily(#"{"startTimeOfDay":43200000}"#))
        let planner = Planner(study: study, context: Sample.context())
        var scheduler = Scheduler(plan: planner.plan)
        var watch = PlanWatch(nil)
        _ = scheduler.handle(.tick, at: Sample.start)
        _ = watch.takeReports(scheduler, at: Sample.start)
        #expect(Self.told(study, Self.ticks([60, 200]), from: watch.text) == ["", "-2T12:00 +3T12:00"])
        #expect(PlanWatch.end(watch.text).map(Self.spelled) == ["-2T12:00"])
        #expect(PlanWatch.end(nil).isEmpty && PlanWatch.end("nonsense\n@\n71@x").isEmpty)
    }

    @Test func nothingIsToldByAClockThatIsNotTrusted() throws {
        let planner = Planner(
            study: try Self.study(Self.daily(#"{"startTimeOfDay":43200000}"#)), context: Sample.context())
        let now = Moment(instant: Sample.start, monotonic: .zero)
        var conductor = StudyConductor(
            planner: planner, scheduler: Scheduler(plan: planner.plan, clockIsTrusted: false), panel: .reference,
            at: now)
        func told(_ event: StudyConductor.Event) -> [String] {
            conductor.handle(event, at: now).compactMap { effect in
                if case .report(let report) = effect { Self.spelled(report) } else { nil }
            }.filter { $0 != "?" }
        }
        #expect(told(.tick).isEmpty)
        #expect(told(.clock(trusted: true)) == ["+2T12:00"])
    }

    @Test func theServerIsToldByDatasetsOfTheQuestionnaireWhereTheStudyWantsIt() throws {
        let trigger = Self.daily(#"{"startTimeOfDay":43200000}"#)
        for (settings, expected) in [
            (Self.wanted, ["schedule_planned"]), ("", []),
            (#""eventUploadSettings":{"schedule_removed":true},"#, []),
        ] {
            let study = try Self.study(trigger, settings: settings)
            #expect(study.remarks.allSatisfy { !$0.path.contains("eventUploadSettings") })
            let planner = Planner(study: study, context: Sample.context())
            let now = Moment(instant: Sample.start, monotonic: .zero)
            var conductor = StudyConductor(
                planner: planner, scheduler: Scheduler(plan: planner.plan), panel: .reference, at: now)
            let context = WireContext(
                study: study, enrolment: Sample.enrolment(), zone: .utc, postURL: "https://s.example/")
            let requests = conductor.handle(.tick, at: now).flatMap { effect -> [WireRequest] in
                guard case .report(let report) = effect else { return [] }
                return study.writer.requests(for: report, at: now.instant, in: context)
            }
            let bodies = requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies.count == expected.count)
            for (body, type) in zip(bodies, expected) {
                // 2026-03-02T12:00Z.
                #expect(
                    body.contains(#""questionnaireName":"EMA","questionnaireInternalId":71,"eventType":"\#(type)""#))
                #expect(body.contains(#""responses":{"actionScheduledTo":"1772452800000","#), "\(body)")
            }
            #expect((conductor.planned == nil) == settings.isEmpty)
        }
    }
}
