// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A player that opens the task that `Demo` was given, with the buttons as a participant would, and before it
/// those that must be done first. What they ask, and everything after, is left to `player`.
final class TaskOpener: DemoPlayer {
    private let task: String
    private let player: (any DemoPlayer)?
    private let finder: PressFinder
    private let buttons: DemoButtons
    /// The task is open, or never will be.
    private var isOver = false
    private var busyUntil = MonotonicTime.zero
    /// The task that must be done first and was named so.
    private var named: String?
    var jumpsByItself: Bool { player?.jumpsByItself ?? true }

    init(_ task: String, panel: Panel, buttons: DemoButtons, then player: (any DemoPlayer)?) {
        (self.task, self.buttons, self.player) = (task, buttons, player)
        finder = PressFinder(panel)
    }

    /// The key of the task with that name: its key, its name, or a part of either that no other
    /// task has.
    static func key(of name: String, in study: StudyProtocol) -> String? {
        let wanted = name.lowercased()
        let names = study.tasks.map { (key: $0.key, words: [$0.key.lowercased(), $0.name.lowercased()]) }
        if let exact = names.first(where: { $0.words.contains(wanted) }) { return exact.key }
        let similar = names.filter { task in task.words.contains { $0.contains(wanted) } }
        return similar.count == 1 ? similar[0].key : nil
    }

    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoRequest {
        let request = isOver ? .nothing : open(conductor, at: now)
        return request == .nothing ? try player?.play(conductor, at: now) ?? .nothing : request
    }

    private func open(_ conductor: StudyConductor?, at now: Moment) -> DemoRequest {
        guard let conductor, busyUntil < now.monotonic else { return .busy }
        let study = conductor.planner.study
        let next = Self.next(for: task, in: study, conductor.scheduler.facts)
        let open = conductor.session.run?.opened.task.key
        isOver = open == task
        if isOver || open == next { return .nothing }
        if next != task, next != named {
            named = next
            return .opensFirst(study.task(next)?.name ?? next)
        }
        guard let goal = goal(next, conductor, at: now) else {
            let due = Self.nextTime(of: next, in: conductor.scheduler)
            isOver = due == nil
            return due.map(DemoRequest.jumpTo) ?? .neverOpens
        }
        guard let press = conductor.session.press(towards: goal),
            let edges = finder.edges(press, at: now.monotonic + .milliseconds(600)), let last = edges.last
        else { return .busy }
        buttons.press(edges)
        busyUntil = last.time + .milliseconds(300)
        return .busy
    }

    /// The task to open now: the first of those that must be done before `task` and were not, else itself.
    static func next(for task: String, in study: StudyProtocol, _ facts: StudyFacts) -> String {
        var (wanted, seen) = (task, Set<String>())
        while seen.insert(wanted).inserted, let before = firstNeeded(for: wanted, in: study, facts) { wanted = before }
        return wanted
    }

    /// A task without which `task` stays locked, whatever else is done.
    private static func firstNeeded(for task: String, in study: StudyProtocol, _ facts: StudyFacts) -> String? {
        guard let lock = study.task(task)?.unlocked else { return nil }
        var all = facts
        all.completedTasks.formUnion(study.tasks.map(\.key))
        guard lock.holds(all) else { return nil }
        return study.tasks.map(\.key).first { key in
            var others = all
            others.completedTasks.remove(key)
            return !facts.completedTasks.contains(key) && !lock.holds(others)
        }
    }

    /// When a task can be opened next by the clock alone, whether or not it is signalled then.
    static func nextTime(of task: String, in scheduler: Scheduler) -> Instant? {
        guard !scheduler.isPaused else { return nil }
        return scheduler.toCome.first { $0.task == task && $0.notice == nil }?.due
    }

    /// Nil while the task cannot be opened.
    private func goal(_ task: String, _ conductor: StudyConductor, at now: Moment) -> PanelGoal? {
        let entry = conductor.scheduler.list(at: now.instant).entries.first { $0.occurrence.task == task }
        return entry.map { entry in
            conductor.session.currentPrompt?.id == entry.occurrence.id ? .takePrompt : .openItem(entry.occurrence.id)
        }
    }
}
