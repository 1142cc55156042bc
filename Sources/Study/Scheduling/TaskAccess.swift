// SPDX-License-Identifier: Apache-2.0
import Base

/// Which tasks can be opened, by the facts and by the time of the last `setNow`: for `Scheduler`. Pure.
struct TaskAccess: Sendable {
    private(set) var tasks: [String: StudyTask]
    /// Taken out of the study while it runs.
    private(set) var retired: Set<String>
    /// What conditions look at, kept up with what was completed here.
    var facts: StudyFacts
    var isPaused: Bool
    /// The time for which everything below answers.
    private(set) var now = Instant.epoch
    /// Some task rests after it was done, or is open for a part of the day only.
    private var opensByClock: Bool

    init(_ tasks: [String: StudyTask], retired: Set<String>, facts: StudyFacts, isPaused: Bool) {
        (self.tasks, self.retired, self.facts, self.isPaused) = (tasks, retired, facts, isPaused)
        opensByClock = tasks.values.contains(where: \.opensByClock)
    }

    mutating func setNow(_ now: Instant) {
        self.now = now
        facts.setting?.now = now
    }

    /// Tasks that the new plan does not have stay known, for what is still open of them.
    mutating func adopt(_ plan: Plan) {
        tasks.merge(plan.tasks) { $1 }
        opensByClock = tasks.values.contains(where: \.opensByClock)
    }

    /// Takes tasks out of the study; returns those of them that were still in it.
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

    /// Whether an occurrence may be presented: its task is unlocked. A notice may be given while its
    /// task is locked, until the task is over for good.
    func admits(_ occurrence: Occurrence) -> Bool {
        guard occurrence.notice != nil else { return isUnlocked(occurrence.task) }
        return tasks[occurrence.task]?.aliveWhile.holds(facts) ?? true
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
        return hours.contains(now, in: zone)
    }

    /// It was done so short a time ago that it is not offered again yet.
    private func isResting(_ task: String) -> Bool { restEnd(task).map { now < $0 } ?? false }

    /// nil = the task does not rest. A time in the future was written by a clock that was wrong, and
    /// does not count.
    private func restEnd(_ task: String) -> Instant? {
        guard let rest = tasks[task]?.rest, let done = facts.lastDone(task), done <= now else { return nil }
        return done + rest
    }
}

extension StudyTask {
    /// Whether it can be opened depends on the time alone, too.
    fileprivate var opensByClock: Bool { rest != nil || hours != nil }
}
