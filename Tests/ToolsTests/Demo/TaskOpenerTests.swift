// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import studyd_tools

/// Which task a person means who gives a part of its name.
@Suite struct TaskOpenerTests {
    private struct NeverDue: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    private struct NoReports: ReportWriter {
        func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] { [] }
        func answers(_ submission: Submission, in context: WireContext) -> JSONText { .object([]) }
    }

    private static let study = StudyProtocol(
        platform: PlatformName(rawValue: "schema"), studyID: "S", texts: StudyTexts(), conditions: [],
        tasks: [("k1", "Morning"), ("k2", "Evening mood"), ("k3", "Mood"), ("k4", "Evening walk")].map { key, name in
            StudyTask(
                key: key, index: 0, wireName: key, name: name, prompt: PromptText(title: "", message: ""),
                condition: nil, schedule: NeverDue(),
                content: Questionnaire(sections: [], shufflesSections: false, submitText: ""))
        }, postURL: nil, writer: NoReports())

    @Test(
        arguments: [
            ("k2", "k2"), ("K2", "k2"), ("Morning", "k1"), ("morn", "k1"), ("mood", "k3"), ("g mood", "k2"),
            ("walk", "k4"),
            ("evening", nil), ("k", nil), ("noon", nil),
        ] as [(String, String?)])
    func aTaskIsFoundByWhatNoOtherIsCalled(name: String, key: String?) {
        #expect(TaskOpener.key(of: name, in: Self.study) == key)
    }

    /// "c" waits for "b", which waits for "a"; "x" and "y" wait for each other, "z" for what is not in the study.
    @Test(
        arguments: [
            ("c", [], "a"), ("c", ["a"], "b"), ("c", ["a", "b"], "c"), ("c", ["b"], "c"), ("a", [], "a"),
            ("x", ["y"], "x"), ("z", [], "z"), ("none", [], "none"),
        ] as [(String, Set<String>, String)])
    func whatATaskWaitsForComesFirst(task: String, done: Set<String>, next: String) {
        let waits: [(String, [String])] = [
            ("a", []), ("b", ["a"]), ("c", ["b"]), ("x", ["y"]), ("y", ["x"]), ("z", ["elsewhere"]),
        ]
        let tasks = waits.map { DemoBench.task($0.0, [], unlocked: Completed($0.1)) }
        let study = StudyProtocol(
            platform: PlatformName(rawValue: "schema"), studyID: "S", texts: StudyTexts(), conditions: [],
            tasks: tasks, postURL: nil, writer: NoReports())
        #expect(TaskOpener.next(for: task, in: study, StudyFacts(completedTasks: done)) == next)
    }

    /// ESMira's questionnaires without a signal and Sage's activities are offered, and signal nothing.
    @Test func anOfferedTaskHasATimeToGoToToo() throws {
        let due = try Instant(rfc3339: "2026-03-02T18:00:00Z")
        func occurrence(_ task: String, _ purpose: Occurrence.Purpose, at time: Instant) -> Occurrence {
            var occurrence = Occurrence(
                id: "\(task)/1", task: task, taskIndex: 0, number: 1, local: Zone.utc.local(time), due: time,
                expires: nil, isSignalled: purpose == .prompt)
            occurrence.purpose = purpose
            return occurrence
        }
        let plan = Plan(
            tasks: Self.study.tasks,
            occurrences: [
                occurrence("k3", .notice(StudyNotice(kind: "n", text: "t", record: nil)), at: due - .seconds(7200)),
                occurrence("k1", .prompt, at: due - .seconds(3600)), occurrence("k2", .offer, at: due),
            ])
        let scheduler = Scheduler(plan: plan)
        #expect(TaskOpener.nextTime(of: "k1", in: scheduler) == due - .seconds(3600))
        #expect(TaskOpener.nextTime(of: "k2", in: scheduler) == due)
        #expect(TaskOpener.nextTime(of: "k3", in: scheduler) == nil, "a notice opens nothing")
        #expect(TaskOpener.nextTime(of: "k4", in: scheduler) == nil, "a rule or an event opens it")
        #expect(TaskOpener.nextTime(of: "k2", in: Scheduler(plan: plan, isPaused: true)) == nil)
    }
}
