// SPDX-License-Identifier: Apache-2.0
import Base

extension Scheduler {
    /// The planned occurrence of that id, nil where there is none.
    package func occurrence(_ id: String) -> Occurrence? { position[id].map { entries[$0].occurrence } }

    /// The next occurrences that will be signalled, soonest first; none while the study is paused,
    /// since nobody knows when it goes on.
    package func upcoming(_ count: Int) -> [Occurrence] {
        guard !isPaused else { return [] }
        return Array(
            entries[next...].lazy.filter { $0.state == .future && $0.occurrence.isSignalled }.map(\.occurrence).prefix(
                count))
    }

    /// What has not fallen due yet, in time order.
    var toCome: some Sequence<Occurrence> { entries[next...].lazy.filter { $0.state == .future }.map(\.occurrence) }

    /// The next reminder of each prompt that is out.
    var reminders: [PlanWatch.Alarm] {
        live.compactMap { index in
            entries[index].nextReminder.map { PlanWatch.Alarm(task: entries[index].occurrence.task, due: $0) }
        }
    }

    /// Every occurrence with how it ended, in time order; nil = it has not.
    package var endings: [(occurrence: Occurrence, outcome: Outcome?)] {
        entries.map { entry in
            if case .ended(let outcome) = entry.state { return (entry.occurrence, outcome) }
            return (entry.occurrence, nil)
        }
    }
}
