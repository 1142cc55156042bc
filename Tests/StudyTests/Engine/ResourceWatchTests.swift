// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct ResourceWatchTests {
    static func resource(_ id: String, _ window: StudyResource.Window, _ announcement: String = "Read it")
        -> StudyResource
    {
        StudyResource(id: id, title: id, text: "", announcement: announcement, window: window)
    }

    static func days(_ from: Int, _ to: Int, _ variable: String? = nil) -> StudyResource.Window {
        .anchored(
            variable: variable, from: .init(days: from, time: .midnight), to: .init(days: to, time: .midnight))
    }

    static func context(_ variables: [String: AnswerValue] = [:]) -> ScheduleContext {
        let base = Sample.context()
        return ScheduleContext(
            enrolment: base.enrolment, zone: base.zone, chance: base.chance, facts: StudyFacts(variables: variables))
    }

    @Test func announcesEachTextOnceWhenItOpens() {
        var watch = ResourceWatch(
            [
                Self.resource("now", Self.days(0, 3)), Self.resource("later", Self.days(2, 5)),
                Self.resource("over", Self.days(-9, -5)), Self.resource("silent", Self.days(1, 2), ""),
                Self.resource("always", .always),
            ], announced: [])
        #expect(watch.takeOpened(at: Sample.start, in: Self.context()).map(\.id) == ["now"])
        #expect(watch.takeOpened(at: Sample.start, in: Self.context()).isEmpty)
        let opening = Sample.instant(2026, 3, 4, 0, 0)
        #expect(watch.next(in: Self.context()) == opening)
        #expect(watch.takeOpened(at: opening, in: Self.context()).map(\.id) == ["later"])
        #expect(watch.next(in: Self.context()) == nil)
    }

    @Test func aTextWaitsForItsAnchorAndARestartAnnouncesNothingTwice() throws {
        let texts = [Self.resource("birth", Self.days(1, 10, "anchor")), Self.resource("old", Self.days(0, 9))]
        var watch = ResourceWatch(texts, announced: ["old"])
        #expect(watch.next(in: Self.context()) == nil)
        let known = Self.context(["anchor": .dateTime(Zone.utc.local(Sample.start))])
        #expect(watch.next(in: known) == Sample.instant(2026, 3, 3, 0, 0))
        #expect(watch.takeOpened(at: Sample.instant(2026, 3, 3, 0, 0), in: known).map(\.id) == ["birth"])
    }
}
