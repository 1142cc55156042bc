// SPDX-License-Identifier: Apache-2.0
import Base

/// What was reported as planned to those who run a study, for studies that want such reports
/// (`ReportWriter.tellsPlans`). `StudyConductor` keeps it. Pure.
///
/// An occurrence is planned from `plannedFrom` until it is due; of an invitation that is out, the
/// next of its reminders until it comes or the participant has reacted.
package struct PlanWatch: Sendable {
    /// A prompt or a reminder of a task; several at the same time are one.
    struct Alarm: Sendable, Hashable {
        let task: String
        let due: Instant
    }

    /// What was sent and not taken back.
    private(set) var sent: Set<Alarm>
    /// `Scheduler.planRevision` for which `current` and `coming` were made.
    private var revision: Int?
    /// What is to be reported as planned now, without reminders.
    private var current: Set<Alarm> = []
    /// What will be reported from a later time on, latest first.
    private var coming: [(from: Instant, alarm: Alarm)] = []

    /// Goes on from what `text` says; nil = nothing was sent.
    init(_ text: String?) { sent = Set((text ?? "").split(separator: "\n").compactMap(Alarm.init)) }

    /// As it is kept in the log.
    var text: String { Self.sorted(sent).map { "\($0.task)@\($0.due.milliseconds)" }.joined(separator: "\n") }

    /// The reports to be sent now, which count as sent: first of what is planned no more, then of what
    /// is newly planned.
    mutating func takeReports(_ scheduler: Scheduler, at now: Instant) -> [Report] {
        if revision != scheduler.planRevision { readPlan(scheduler) }
        while let next = coming.last, next.from <= now {
            current.insert(next.alarm)
            coming.removeLast()
        }
        current = current.filter { $0.due > now }
        let planned = current.union(scheduler.reminders.filter { $0.due > now })
        guard planned != sent else { return [] }
        defer { sent = planned }
        return Self.sorted(sent.subtracting(planned)).map(\.removed)
            + Self.sorted(planned.subtracting(sent)).map { .planned(task: $0.task, due: $0.due) }
    }

    /// The reports that take back all that `text` says was sent, for the end of the study.
    package static func end(_ text: String?) -> [Report] { sorted(PlanWatch(text).sent).map(\.removed) }

    private mutating func readPlan(_ scheduler: Scheduler) {
        revision = scheduler.planRevision
        current = []
        coming = scheduler.toCome.compactMap { occurrence in
            occurrence.calls.plannedFrom.map { (from: $0, alarm: Alarm(task: occurrence.task, due: occurrence.due)) }
        }.sorted { $0.from > $1.from }
    }

    private static func sorted(_ alarms: Set<Alarm>) -> [Alarm] {
        alarms.sorted { ($0.due, $0.task) < ($1.due, $1.task) }
    }
}

extension PlanWatch.Alarm {
    /// `50001@1795245120000`.
    init?(_ line: Substring) {
        guard let mark = line.lastIndex(of: "@"), let due = Int64(line[line.index(after: mark)...]) else { return nil }
        self.init(task: String(line[..<mark]), due: Instant(milliseconds: due))
    }

    var removed: Report { .unplanned(task: task, due: due) }
}
