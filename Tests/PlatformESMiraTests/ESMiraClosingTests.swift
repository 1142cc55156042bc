// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// When a study is left by itself: `Study.leaveAfterCheck` and `Questionnaire.isActive` of
/// ESMira-apps f750e58, for who joined on 2 March 2026.
@Suite struct ESMiraClosingTests {
    private static func end(
        _ questionnaire: String, study more: String = "", group: String? = nil, done: Set<String> = [],
        lastDone: String? = nil
    ) throws -> String? {
        let study = try ESMiraSample.study("\(ESMiraSample.pages)\(questionnaire)", more)
        let joined = Joined.context(group)
        let context = ScheduleContext(
            enrolment: joined.enrolment, zone: joined.zone, chance: joined.chance,
            facts: StudyFacts(completedTasks: done))
        let last = try lastDone.map { try Instant(rfc3339: $0) }
        return study.leaving.closing?.end(in: context, lastDone: last).map { $0.rfc3339Zulu(fractionDigits: 3) }
    }

    @Test func itIsOverWhenNothingIsActiveAnyMore() throws {
        #expect(try Self.end("") == nil)
        // N days are open on N + 1 dates.
        #expect(try Self.end(#","durationPeriodDays":3"#)?.hasPrefix("2026-03-06T00:00:00") == true)
        // 10 March 2026, noon.
        #expect(try Self.end(#","durationEnd":1773144000000"#)?.hasPrefix("2026-03-10T12:00:00.001") == true)
    }

    @Test func whatWasDoneOnThatDayKeepsItUntilMidnightAndForTheDaysThatAreAdded() throws {
        let (question, last) = (#","durationEnd":1773144000000"#, "2026-03-10T11:00:00Z")
        #expect(try Self.end(question, lastDone: last)?.hasPrefix("2026-03-11T00:00:00") == true)
        let added = #","additionalDaysActive":2"#
        #expect(try Self.end(question, study: added, lastDone: last)?.hasPrefix("2026-03-13T00:00:00") == true)
        #expect(try Self.end(question, study: added)?.hasPrefix("2026-03-10T12:00:00.001") == true)
    }

    @Test func whatIsDoneOnceOrForAnotherGroupIsNotActive() throws {
        let once = #","completableOnce":true"#
        #expect(try Self.end(once) == nil)
        #expect(
            try Self.end(once, done: ["50001"], lastDone: "2026-03-04T08:00:00Z")?.hasPrefix("2026-03-05T00:00:00")
                == true)
        let groups = #","randomGroups":2"#
        #expect(try Self.end(#","limitToGroup":2"#, study: groups, group: "2") == nil)
        #expect(
            try Self.end(#","limitToGroup":2"#, study: groups, group: "1")?.hasPrefix("2026-03-02T10:00:00") == true)
    }
}
