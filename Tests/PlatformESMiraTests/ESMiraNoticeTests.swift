// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// Actions of type 2 and 3: `Action.kt` and `DataSet.EventTypes` of the app (ESMira-apps f750e58).
@Suite struct ESMiraNoticeTests {
    static func study(_ questionnaire: String = "") throws -> StudyProtocol {
        try ESMiraSample.study(
            #"\#(ESMiraSample.pages)\#(questionnaire),"durationPeriodDays":2,"actionTriggers":[{"actions":[{"type":2,"msgText":"<b>Read</b> me"},{"type":3,"msgText":"Drink"},{"type":1,"msgText":"Answer"}],"schedules":[{"signalTimes":[{"startTimeOfDay":32400000}]}],"eventTriggers":[{"cueCode":"questionnaire","delaySec":60}]}]"#,
            #","eventUploadSettings":{"message":true}"#)
    }

    @Test(arguments: ["", #","completableOncePerNotification":true"#])
    func theyAreToldAtTheirTimeAndAreNothingToBeFilledOut(questionnaire: String) throws {
        let study = try Self.study(questionnaire)
        let all = ESMiraSample.occurrences(study)
        let notices = all.compactMap(\.notice)
        #expect(notices.map(\.kind) == ["message", "notification", "message", "notification"])
        #expect(notices.prefix(2).map(\.text) == ["Read me", "Drink"] && notices[1].record == nil)
        #expect(Int(StudyMessage.id(in: notices[0].record ?? "") ?? "") == nil)
        #expect(all.allSatisfy { $0.notice == nil || $0.isHidden })
        #expect(all.filter { $0.notice == nil && $0.isSignalled }.count == 2)
        let done = StudyHappening(.submitted, task: "50001", at: Joined.context().enrolment.instant)
        let raised = study.tasks[0].schedule.raised(by: done, of: study.tasks[0], in: Joined.context())
        #expect(raised.map { $0.notice?.kind } == ["message", "notification", nil])
    }

    @Test func theirEventsAreSentWhereTheStudySaysSo() throws {
        let study = try Self.study()
        let context = WireContext(
            study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "https://s.example/")
        let sent = ESMiraSample.occurrences(study).filter { $0.notice != nil }.flatMap {
            study.writer.requests(for: .noticed($0), at: $0.due, in: context)
        }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(sent.count == 2 && sent.allSatisfy { $0.contains(#""eventType":"message""#) })
        #expect(sent[0].contains(#""actionScheduledTo":"1772528400000""#))
    }

    /// A new event of the editor has no delay (`EventTrigger.ts`, ESMira-web 0750ca3). What the app gives of these two
    /// kinds is an event `message` or `notification` (`ActionTrigger.execActions`, ESMira-apps f750e58), so that only
    /// an invitation, or one of them raised by one of them, raises itself without end.
    @Test(arguments: [
        ("invitation_missed", 2, true), ("invitation_missed", 3, true), ("invitation_missed", 1, false),
        ("invitation", 2, true), ("reminder", 3, true), ("reminder", 1, false), ("message", 3, false),
        ("notification", 2, false),
    ])
    func aNoticeMayFollowAPromptAtOnce(_ cue: String, _ type: Int, _ isRead: Bool) throws {
        let text = ESMiraSample.text(
            #"\#(ESMiraSample.pages),"durationPeriodDays":2,"actionTriggers":[{"actions":[{"type":\#(type),"msgText":"Missed"}],"eventTriggers":[{"cueCode":"\#(cue)"}]}]"#
        )
        let triggers = "$.questionnaires[0].actionTriggers[0].eventTriggers[0]"
        #expect(ESMiraSample.problems(text).map(\.path) == (isRead ? [] : [triggers]))
        guard isRead else { return }
        let study = try ESMiraReader().decode(StudySource(Array(text.utf8)))
        let names: [String: StudyHappening.Name] = [
            "invitation": .prompted, "reminder": .reminded, "invitation_missed": .unanswered,
        ]
        let context = Joined.context()
        let now = context.enrolment.instant + .seconds(500)
        let happening = StudyHappening(try #require(names[cue]), task: "50001", at: now)
        let raised = study.tasks[0].schedule.raised(by: happening, of: study.tasks[0], in: context)
        #expect(raised.map(\.due) == [now] && raised.first?.notice?.text == "Missed")
    }
}
