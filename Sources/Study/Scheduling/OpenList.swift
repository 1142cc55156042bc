// SPDX-License-Identifier: Apache-2.0
import Base

/// What can be started now, in the platform's order: first what is not sticky, newest first; then what is
/// sticky, by time. `Scheduler` makes it, for the panel's list.
package struct OpenList: Sendable, Hashable {
    /// One thing that can be started.
    package struct Entry: Sendable, Hashable {
        package let task: String
        /// The occurrence with the time that goes to the server; for a sticky task always its
        /// first.
        package let occurrence: Occurrence
        /// The occurrence that ends when the run is submitted; nil = the run is self-started.
        package let answers: Occurrence?
        /// It stays in the list after it was done.
        package let isSticky: Bool
        /// A heading comes before it: it is the first of the list, the first sticky one, or one whose
        /// `StudyTask.listLabel` differs from that of the entry before.
        package let startsGroup: Bool

        init(_ occurrence: Occurrence, of task: StudyTask?, answers: Occurrence?, startsGroup: Bool) {
            self.task = occurrence.task
            self.occurrence = occurrence
            self.answers = answers
            isSticky = task?.isSticky ?? false
            self.startsGroup = startsGroup
        }
    }

    /// In the order in which they are said.
    package let entries: [Entry]
}

extension OpenList {
    init(_ timeline: Timeline, _ access: TaskAccess, at now: Instant) {
        entries = Self.recent(timeline, access, at: now) + Self.sticky(timeline, access, at: now)
    }

    private static func recent(_ timeline: Timeline, _ access: TaskAccess, at now: Instant) -> [Entry] {
        let open = timeline.live.sorted().reversed().lazy.map { timeline[$0] }.filter {
            !$0.isSticky && $0.isOpen(at: now) && access.isUnlocked($0.occurrence.task)
        }.map(\.occurrence)
        return open.enumerated().map { Entry($1, of: access.tasks[$1.task], answers: $1, startsGroup: $0 == 0) }
    }

    /// Sticky tasks stay, also after they were done; for ever, or to the end their
    /// schedule gives them.
    private static func sticky(_ timeline: Timeline, _ access: TaskAccess, at now: Instant) -> [Entry] {
        let listed = timeline.listed.filter {
            $0.occurrence.due <= now && access.isUnlocked($0.occurrence.task) && $0.closes.map { now < $0 } ?? true
        }
        var label: String?
        return listed.map { entry in
            let task = access.tasks[entry.occurrence.task]
            defer { label = task?.listLabel ?? "" }
            return Entry(
                entry.occurrence, of: task, answers: newest(of: entry.occurrence.task, timeline),
                startsGroup: task?.listLabel ?? "" != label)
        }
    }

    /// A run from the list answers the newest live occurrence of its task; a notice cannot be answered.
    private static func newest(of task: String, _ timeline: Timeline) -> Occurrence? {
        timeline.live.lazy.map { timeline[$0].occurrence }.last { $0.task == task && $0.notice == nil }
    }
}
