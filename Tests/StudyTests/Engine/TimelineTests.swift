// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Held against the slow way: a new plan of everything.
@Suite struct TimelineTests {
    private struct Ending: Schedule {
        var endsWithNextPrompt = false
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    private static func task(_ key: String, _ schedule: Ending = Ending(), isSticky: Bool = false) -> StudyTask {
        StudyTask(
            key: key, index: 0, wireName: key, name: key, prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: schedule, isSticky: isSticky, content: Sample.task(key, at: []).content)
    }

    private static let tasks = [
        "plain": task("plain"), "ending": task("ending", Ending(endsWithNextPrompt: true)),
        "sticky": task("sticky", isSticky: true),
    ]
    private static let start = LocalDateTime(LocalDate(year: 2026, month: 2, day: 27)!, .midnight)

    private static func moment(_ minutes: Int) -> Instant { Instant(seconds: 1_772_150_400 + 60 * Int64(minutes)) }

    private static func occurrence(_ number: Int, _ random: inout SplitMix64) -> Occurrence {
        let key = ["plain", "ending", "sticky"][random.below(3)]
        let minutes = random.below(40)
        var made = Occurrence(
            id: "\(key)/\(number)", task: key, taskIndex: 0, number: number, local: start.adding(minutes: minutes),
            due: moment(minutes), expires: random.below(3) == 0 ? nil : moment(minutes + 1 + random.below(20)),
            isHidden: key == "sticky" && random.below(2) == 0)
        if random.below(5) == 0 { made.purpose = .offer }
        return made
    }

    private static func plan(_ occurrences: [Occurrence]) -> Plan {
        Plan(tasks: Array(tasks.values), occurrences: occurrences.inTimeOrder())
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func oneMoreIsThereAsInAPlanOfAll(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let planned = (0..<random.below(14)).map { Self.occurrence($0, &random) }
        var timeline = Timeline(ScheduledEntry.entries(of: Self.plan(planned)))
        let now = Self.moment(random.below(45))
        timeline.fallDue(until: now)
        for index in timeline.live where random.below(3) == 0 { timeline.end(index, .completed) }
        var (inserted, adopted) = (timeline, timeline)
        for number in 100..<103 {
            let new = Self.occurrence(number, &random)
            inserted.insert(new, of: Self.tasks[new.task])
            adopted.adopt(Self.plan(adopted.occurrences + [new]))
            for isLooked in [false, true] {
                #expect("\(Array(inserted.all))" == "\(Array(adopted.all))")
                #expect(inserted.live == adopted.live && inserted.fresh == adopted.fresh)
                for look in [Self.moment(0), now, Self.moment(50)] {
                    #expect(inserted.over(at: look) == adopted.over(at: look))
                    #expect(inserted.nextChange(after: look) == adopted.nextChange(after: look))
                }
                #expect(inserted[new.id]?.occurrence == new && inserted.liveIndex(new.id) == adopted.liveIndex(new.id))
                inserted.fallDue(until: now)
                adopted.fallDue(until: now)
                // A new plan does not know before it is looked at what has fallen due of it.
                guard isLooked else { continue }
                #expect(inserted.listed.map(\.occurrence.id) == adopted.listed.map(\.occurrence.id))
            }
        }
    }

    /// At the last moment of `openFor` it can still be opened, and a millisecond later it is off the list.
    @Test func whatCanNoLongerBeOpenedLeavesTheListOnce() {
        var made = Occurrence(
            id: "plain/1", task: "plain", taskIndex: 0, number: 1, local: Self.start, due: Self.moment(0), expires: nil)
        made.calls.openFor = .seconds(300)
        var timeline = Timeline(ScheduledEntry.entries(of: Self.plan([made])))
        timeline.fallDue(until: Self.moment(0))
        let (last, shut) = (Self.moment(5), Self.moment(5) + .milliseconds(1))
        let looks = [Self.moment(0), last, shut - .nanoseconds(1), shut]
        #expect(looks.map { timeline.nextChange(after: $0) } == [shut, shut, shut, nil])
        #expect(looks.map { timeline["plain/1"]?.isOpen(at: $0) } == [true, true, false, false])
    }
}
