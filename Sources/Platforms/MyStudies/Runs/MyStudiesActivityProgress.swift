// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A participant's progress in an activity, as the apps compute it: from the runs of the plan and their
/// outcomes. `MyStudiesAccount` sends it, and `MyStudiesProgress` adds up all activities.
///
/// A run is current from its start until before its end. Ongoing activities have no missed runs and
/// are left out of the study's progress.
package struct MyStudiesActivityProgress: Sendable, Hashable {
    /// The apps' word for it, as the registration server takes it.
    package enum State: String, Sendable { case yetToJoin, inProgress, completed, abandoned, expired }

    package let activity: String
    /// Runs in the plan, and those that ended under numbers of an earlier version.
    package let total: Int
    package let completed: Int
    /// Runs that passed without being submitted.
    package let missed: Int
    /// The number of the current run from 1, else of the one that ended last.
    package let currentRun: Int
    package let state: State
    /// Left out of `MyStudiesProgress`.
    package let isOngoing: Bool

    package init(_ own: TaskRuns, at now: Instant) {
        let (task, runs) = (own.task, own.runs)
        activity = task.key
        isOngoing = task.isSticky
        total = runs.count
        let current = runs.firstIndex { Self.isCurrent($0.occurrence, at: now) }
        let ended = runs.count { $0.occurrence.expires.map { $0 <= now } ?? false }
        completed = task.isSticky ? own.submissions : runs.count { $0.outcome == .completed }
        let isOpen = current.map { runs[$0].outcome != .completed } ?? false
        let reached = current.map { $0 + 1 } ?? ended
        // Before come runs with numbers of an earlier version; left out are those that were over by then.
        let shift = (runs.last?.occurrence.number ?? 0) - runs.count
        currentRun = task.isSticky ? own.submissions + 1 : max(0, reached + shift)
        let passed = reached - completed - (isOpen ? 1 : 0)
        missed = task.isSticky ? 0 : max(0, passed)
        if let current {
            let isDone = runs[current].outcome == .completed && !task.isSticky
            state = isDone ? .completed : own.isBegun ? .inProgress : .yetToJoin
        } else if let last = runs.last(where: { $0.occurrence.due <= now }) {
            // Between two runs the earlier one decides; after the final one, whether any was missed.
            let isOver = last.occurrence.id == runs.last?.occurrence.id
            let isDone = isOver ? missed == 0 : last.outcome == .completed
            state = isDone ? .completed : .abandoned
        } else {
            state = runs.isEmpty ? .expired : .yetToJoin
        }
    }

    var json: JSONText {
        .object([
            .init("activity", .string(activity)), .init("state", .string(state.rawValue)),
            .init("currentRun", .integer(Int64(currentRun))), .init("total", .integer(Int64(total))),
            .init("completed", .integer(Int64(completed))), .init("missed", .integer(Int64(missed))),
        ])
    }

    private static func isCurrent(_ run: Occurrence, at now: Instant) -> Bool {
        run.due <= now && run.expires.map { now < $0 } ?? true
    }
}
