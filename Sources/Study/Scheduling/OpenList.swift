// SPDX-License-Identifier: Apache-2.0
import Base

/// What can be started now, in the platform's order: first what is not sticky, newest first; then
/// what is sticky, by time.
package struct OpenList: Sendable, Hashable {
    /// One thing that can be started.
    package struct Entry: Sendable, Hashable {
        /// The task's key.
        package let task: String
        /// Whose time goes to the server; for a sticky task always its first.
        package let occurrence: Occurrence
        /// The occurrence that ends when the run is submitted; nil = the run is self-started.
        package let answers: Occurrence?
        /// Sticky entries stand under their label; the others have none.
        private let label: String
        /// It stays in the list after it was done.
        package let isSticky: Bool
        /// A heading comes before it: the first of the list, the first sticky one, or one whose
        /// label differs from that before.
        package let startsGroup: Bool

        package init(
            task: String, occurrence: Occurrence, answers: Occurrence?, label: String, isSticky: Bool, startsGroup: Bool
        ) {
            self.task = task
            self.occurrence = occurrence
            self.answers = answers
            self.label = label
            self.isSticky = isSticky
            self.startsGroup = startsGroup
        }
    }

    /// In the order in which they are told.
    package let entries: [Entry]
}

extension Scheduler {
    /// What can be started at `now`, whether it is signalled or not. Empty while the
    /// clock is not trusted.
    package func list(at now: Instant) -> OpenList {
        guard clockIsTrusted else { return OpenList(entries: []) }
        return OpenList(entries: recent(at: now) + sticky(at: now))
    }

    /// What a prompt opens: its own task, if that can be opened at `now`; else nil ("no
    /// longer available").
    package func opening(of id: String, at now: Instant) -> OpenList.Entry? {
        guard clockIsTrusted, let index = position[id], entries[index].state == .live else { return nil }
        let occurrence = entries[index].occurrence
        guard isOpen(entries[index], at: now) || occurrence.isHidden && isUnlocked(occurrence.task) else { return nil }
        let first = occurrence.isHidden ? firstSticky(occurrence.task) ?? occurrence : occurrence
        return entry(first, answers: occurrence, startsGroup: true)
    }

    private func isOpen(_ entry: ScheduledEntry, at now: Instant) -> Bool {
        entry.state == .live && !entry.occurrence.isHidden && entry.end.map { now < $0 } ?? true
            && entry.lastOpen.map { now <= $0 } ?? true
            && isUnlocked(entry.occurrence.task)
    }

    private func isSticky(_ occurrence: Occurrence) -> Bool { tasks[occurrence.task]?.isSticky ?? false }

    private func recent(at now: Instant) -> [OpenList.Entry] {
        let open = live.sorted().reversed().map { entries[$0] }.filter {
            !isSticky($0.occurrence) && isOpen($0, at: now)
        }
        return open.enumerated().map { entry($1.occurrence, answers: $1.occurrence, startsGroup: $0 == 0) }
    }

    /// Sticky tasks stay, also after they were done; for ever, or to the end their
    /// schedule gives them.
    private func sticky(at now: Instant) -> [OpenList.Entry] {
        var label: String?
        return lasting.prefix { $0 < next }.map { entries[$0].occurrence }.filter {
            $0.due <= now && isUnlocked($0.task) && !isClosed($0, at: now)
        }.map { occurrence in
            let own = tasks[occurrence.task]?.listLabel ?? ""
            defer { label = own }
            return entry(occurrence, answers: answered(by: occurrence.task), startsGroup: own != label)
        }
    }

    /// Its schedule takes it off the list with its end.
    private func isClosed(_ occurrence: Occurrence, at now: Instant) -> Bool {
        guard tasks[occurrence.task]?.schedule.closesWithOccurrence ?? false else { return false }
        return occurrence.expires.map { $0 <= now } ?? false
    }

    /// The ends of those that have one, in time order.
    var lastingEnds: [Instant] {
        lasting.map { entries[$0].occurrence }.filter { tasks[$0.task]?.schedule.closesWithOccurrence ?? false }
            .compactMap(\.expires).sorted()
    }

    private func entry(_ occurrence: Occurrence, answers: Occurrence?, startsGroup: Bool) -> OpenList.Entry {
        let task = tasks[occurrence.task]
        return OpenList.Entry(
            task: occurrence.task, occurrence: occurrence, answers: answers, label: task?.listLabel ?? "",
            isSticky: task?.isSticky ?? false, startsGroup: startsGroup)
    }

    /// A run from the list answers the newest occurrence of its task that waits.
    private func answered(by task: String) -> Occurrence? {
        live.last { entries[$0].occurrence.task == task && entries[$0].occurrence.notice == nil }.map {
            entries[$0].occurrence
        }
    }

    private func firstSticky(_ task: String) -> Occurrence? {
        lasting.lazy.map { entries[$0].occurrence }.first { $0.task == task }
    }

    /// In time order, as the entries are.
    var lastingEntries: [Int] {
        entries.indices.filter { isSticky(entries[$0].occurrence) && !entries[$0].occurrence.isHidden }
    }
}
