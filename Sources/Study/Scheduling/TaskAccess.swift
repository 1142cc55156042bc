// SPDX-License-Identifier: Apache-2.0
import Base

/// Which tasks can be opened, as the facts and the clock were when it was last looked. Pure.
struct TaskAccess: Sendable {
    private(set) var tasks: [String: StudyTask]
    /// Taken out of the study while it runs.
    private(set) var retired: Set<String>
    /// What conditions look at, kept up with what was completed here.
    var facts: StudyFacts
    var isPaused: Bool
    /// When it was last looked.
    private(set) var now = Instant.epoch
    /// A task rests after it was done, or is open for a part of the day only.
    private var opensByClock: Bool

    init(_ tasks: [String: StudyTask], retired: Set<String>, facts: StudyFacts, isPaused: Bool) {
        (self.tasks, self.retired, self.facts, self.isPaused) = (tasks, retired, facts, isPaused)
        opensByClock = tasks.values.contains(where: \.opensByClock)
    }

    mutating func look(at now: Instant) {
        self.now = now
        facts.setting?.now = now
    }

    mutating func adopt(_ plan: Plan) {
        tasks.merge(plan.tasks) { $1 }
        opensByClock = tasks.values.contains(where: \.opensByClock)
    }

    /// Takes tasks out of the study; those of them that were still in it.
    mutating func retire(_ tasks: Set<String>) -> Set<String> {
        defer { retired.formUnion(tasks) }
        return tasks.subtracting(retired)
    }

    /// The study has it, and it was not taken out.
    func has(_ task: String) -> Bool { tasks[task] != nil && !retired.contains(task) }

    func isUnlocked(_ task: String) -> Bool {
        !isPaused && !retired.contains(task) && tasks[task]?.unlocked.holds(facts) ?? true && !isResting(task)
            && isWithinHours(task)
    }

    /// A notice is given whether or not its task can be opened, until the task is over.
    func admits(_ occurrence: Occurrence) -> Bool {
        guard occurrence.notice != nil else { return isUnlocked(occurrence.task) }
        return tasks[occurrence.task]?.lives.holds(facts) ?? true
    }

    func waitsWhileLocked(_ task: String) -> Bool { tasks[task]?.schedule.waitsWhileLocked ?? true }

    /// When the next task opens or closes by the clock.
    var nextOpening: Instant? {
        guard opensByClock else { return nil }
        let rested = tasks.keys.compactMap(restEnd).filter { $0 > now }.min()
        let hours = facts.setting.flatMap { setting in
            tasks.values.compactMap { $0.hours?.nextChange(after: now, in: setting.zone) }.min()
        }
        return earliest(rested, hours)
    }

    private func isWithinHours(_ task: String) -> Bool {
        guard let hours = tasks[task]?.hours, let zone = facts.setting?.zone else { return true }
        return hours.contains(zone.local(now).time)
    }

    /// It was done so short a time ago that it is not offered again yet.
    private func isResting(_ task: String) -> Bool { restEnd(task).map { now < $0 } ?? false }

    /// Done at a time that is still to come, it was done by a clock that was wrong.
    private func restEnd(_ task: String) -> Instant? {
        guard let rest = tasks[task]?.rest, let done = facts.lastDone(task), done <= now else { return nil }
        return done + rest
    }
}

extension StudyTask {
    /// Whether it can be opened depends on the time alone, too.
    fileprivate var opensByClock: Bool { rest != nil || hours != nil }
}
