// SPDX-License-Identifier: Apache-2.0

/// A run that a restart broke off, as the event log tells it.
package struct BrokenRun: Sendable, Hashable {
    /// The task's key.
    package let task: String
    /// Which opening of the task it was, from 1.
    package let opening: Int
    /// The occurrence it answers; nil = self-started.
    package let occurrence: String?
    /// How far it had come.
    package let progress: BrokenPerformance

    package init(task: String, opening: Int, occurrence: String?, progress: BrokenPerformance) {
        self.task = task
        self.opening = opening
        self.occurrence = occurrence
        self.progress = progress
    }
}

extension StudyConductor {
    /// Goes on with a run where it was; nothing happens where its task is gone or can no
    /// longer be opened.
    package mutating func resume(_ broken: BrokenRun, at now: Moment) -> [Effect] {
        guard let task = planner.study.task(broken.task), let entry = entry(of: broken, task) else { return [] }
        if let answers = entry.answers { schedule(.opened(answers.id), at: now) }
        run = OpenRun(entry: entry, opening: broken.opening)
        let id = entry.answers?.id ?? entry.occurrence.id
        panel(
            .resumed(
                id, OpenedTask(task, opening: broken.opening, chance: planner.context.chance), facts: scheduler.facts,
                run: runName(of: task, opening: broken.opening),
                now: planner.context.zone.local(now.instant), broken.progress), at: now)
        defer { effects = [] }
        return effects
    }

    /// Not from the list, which is empty while the clock is not trusted.
    private func entry(of broken: BrokenRun, _ task: StudyTask) -> OpenList.Entry? {
        let answers = broken.occurrence.flatMap(scheduler.occurrence)
        let first = planner.plan.occurrences.first { $0.task == task.key }
        guard let occurrence = task.isSticky ? first : answers ?? first else { return nil }
        return OpenList.Entry(
            task: task.key, occurrence: occurrence, answers: answers, label: task.listLabel, isSticky: task.isSticky,
            startsGroup: true)
    }
}
