// SPDX-License-Identifier: Apache-2.0
import Base

/// How a task numbers its runs (`Schedule.numbersRuns`) since a version of the study gave its numbers to
/// other runs: ids carry `count`, so that each names one run only, and runs that were over by then do
/// not exist.
///
/// Until the first such version ids are `<task>/<number>`, and a task has none of this.
package struct RunNumbering: Sendable, Hashable {
    /// From 2.
    package let count: Int
    /// When it began, on the wall clock that the schedule reads.
    package let since: LocalDateTime

    package func id(of task: String, _ number: Int) -> String { "\(head(of: task))\(number)" }

    /// Whether an id of the task is of this numbering; else it is of an earlier one, or a rule's.
    package func has(_ id: String, of task: String) -> Bool { id.hasPrefix(head(of: task)) }

    private func head(of task: String) -> String { "\(task)/v\(count)/" }
}

extension StudyFacts {
    // Names of variables in the event log: never changed.
    private static let countHead = "runs/count/"
    private static let sinceHead = "runs/since/"

    /// Whether any task has one.
    package var hasRunNumberings: Bool { variables.keys.contains { $0.hasPrefix(Self.sinceHead) } }

    /// nil while its runs have the numbers of the enrolment.
    package func runNumbering(of task: String) -> RunNumbering? {
        guard case .number(let number)? = variables[Self.countHead + task], let count = Int(exactly: number),
            case .dateTime(let since)? = variables[Self.sinceHead + task]
        else { return nil }
        return RunNumbering(count: count, since: since)
    }

    /// The variables with which these tasks number their runs again from `since`.
    func renumbering(_ tasks: Set<String>, since: LocalDateTime) -> [String: AnswerValue] {
        tasks.reduce(into: [:]) { variables, task in
            variables[Self.countHead + task] = .number(Double((runNumbering(of: task)?.count ?? 1) + 1))
            variables[Self.sinceHead + task] = .dateTime(since)
        }
    }

    /// The variables of numberings that begin after `latest`, which then begin at it.
    func numberings(beginningBy latest: LocalDateTime) -> [String: AnswerValue] {
        variables.filter { name, value in
            guard name.hasPrefix(Self.sinceHead), case .dateTime(let since) = value else { return false }
            return since > latest
        }.mapValues { _ in .dateTime(latest) }
    }
}

extension Plan {
    /// Tasks whose runs cannot go on under the ids of this plan, which is another version's than `old`: an
    /// id that was given out would name another run that can still be done, or a run was over before this
    /// plan came. `issued` is what has fallen due, with how it ended. No version numbers the prompts of rules.
    func renumbered(
        since old: Plan, _ issued: [(occurrence: Occurrence, outcome: Outcome?)], at now: Instant
    ) -> Set<String> {
        let before = Dictionary(old.occurrences.map { ($0.id, $0) }) { first, _ in first }
        let given = Dictionary(issued.map { ($0.occurrence.id, $0) }) { first, _ in first }
        let broken = occurrences.filter { run in
            guard tasks[run.task]?.schedule.numbersRuns == true, !StudyEvent.isOfRule(run.id) else { return false }
            guard let earlier = given[run.id] else { return run.isOver(at: now) }
            let isChanged = before[run.id].map { $0.local != run.local || $0.expires != run.expires } ?? true
            return isChanged && !run.isOver(at: now) && !run.goesOn(earlier.occurrence, earlier.outcome)
        }
        return Set(broken.map(\.task))
    }

    /// The ids of what is due or still to come.
    func notOver(at now: Instant) -> Set<String> {
        Set(occurrences.lazy.filter { !$0.isOver(at: now) }.map(\.id))
    }
}

extension Occurrence {
    /// It was due and its time has run out; a window that ends before it begins is not over before it is due.
    fileprivate func isOver(at now: Instant) -> Bool { due <= now && expires.map { $0 <= now } ?? false }

    /// Whether it is the run that an earlier version had under its number: open since the same time, or done
    /// in a time that it shares. MyStudies' app of iOS keeps the state of the current number, too (9091edbe,
    /// `DBHandler.saveActivities` and `getActivityFromDBActivity`).
    fileprivate func goesOn(_ earlier: Occurrence, _ outcome: Outcome?) -> Bool {
        switch outcome {
        case nil: earlier.local == local
        case .completed: earlier.expires.map { due < $0 } ?? true && expires.map { earlier.due < $0 } ?? true
        default: false
        }
    }
}
