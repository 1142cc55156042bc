// SPDX-License-Identifier: Apache-2.0
import Base

/// All planned occurrences in time order, each with its state, and lists of indices by which `Scheduler`
/// finds what concerns it now. An index into `entries` is valid until the next `adopt`, `insert` or `bringBack`.
struct Timeline: Sendable {
    private var entries: [ScheduledEntry]
    /// The index of each entry, by its occurrence's id.
    private var position: [String: Int]
    /// Live entries in time order.
    private(set) var live: [Int] = []
    /// Live entries that end by themselves.
    private var ending: [Int] = []
    /// Live entries that have not had their turn of being presented.
    private(set) var fresh: [Int] = []
    /// First occurrences of sticky tasks, which stay in the list after they were done.
    private var lasting: [Int]
    /// Every entry before this index has fallen due; `bringBack`, `adopt` and `insert` set it back.
    private var next = 0
    /// Counts up whenever what is to come changes, other than by falling due.
    private(set) var revision = 0

    init(_ entries: [ScheduledEntry]) {
        self.entries = entries.inTimeOrder(\.occurrence.due)
        (position, lasting) = Self.indices(of: self.entries)
    }

    private static func indices(of entries: [ScheduledEntry]) -> (position: [String: Int], lasting: [Int]) {
        let position = Dictionary(entries.enumerated().map { ($1.occurrence.id, $0) }) { first, _ in first }
        return (position, entries.indices.filter { entries[$0].isLasting })
    }

    subscript(index: Int) -> ScheduledEntry {
        _read { yield entries[index] }
        _modify { yield &entries[index] }
    }

    subscript(id: String) -> ScheduledEntry? { position[id].map { entries[$0] } }

    /// nil where it has not fallen due, or has ended.
    func liveIndex(_ id: String) -> Int? { position[id].flatMap { entries[$0].state == .live ? $0 : nil } }

    var all: some Sequence<ScheduledEntry> { entries }

    /// Those of the plan, and what an earlier plan had in this process.
    var occurrences: [Occurrence] { entries.filter { !$0.isFormer }.map(\.occurrence) }

    /// What has not fallen due, in time order.
    var toCome: some Sequence<ScheduledEntry> { entries[next...].lazy.filter { $0.state == .future } }

    /// What stays in the list and has fallen due, in time order.
    var listed: some Sequence<ScheduledEntry> { lasting.lazy.prefix { $0 < next }.map { entries[$0] } }

    /// The first occurrence of a sticky task; nil for others.
    func lasting(of task: String) -> Occurrence? {
        lasting.lazy.map { entries[$0].occurrence }.first { $0.task == task }
    }

    /// When something falls due, ends, signals again or leaves the list.
    func nextChange(after now: Instant) -> Instant? {
        let due = entries[next...].first { $0.state == .future }?.occurrence.due
        let end = ending.lazy.compactMap { entries[$0].isRunning ? nil : entries[$0].end }.min()
        let call = live.lazy.compactMap { entries[$0].nextCall }.min()
        // An entry may still be opened at `lastOpen` itself, so it leaves the list a millisecond later.
        let shut = live.lazy.compactMap { entries[$0].lastOpen.map { $0 + .milliseconds(1) } }.filter { $0 > now }.min()
        let closing = lasting.lazy.compactMap { entries[$0].closes }.filter { $0 > now }.min()
        return [due, end, call, shut, closing].compactMap(\.self).min()
    }

    /// Makes every entry live that is due by `now`.
    mutating func fallDue(until now: Instant) {
        while next < entries.count, entries[next].occurrence.due <= now {
            if entries[next].fallDue() { join(next) }
            next += 1
        }
    }

    /// Live entries whose time has run out.
    func over(at now: Instant) -> [Int] { ending.filter { entries[$0].isOver(at: now) } }

    /// Ends an entry, and takes it off the lists of live ones.
    mutating func end(_ index: Int, _ outcome: Outcome) {
        entries[index].end(outcome)
        live.removeAll { $0 == index }
        ending.removeAll { $0 == index }
        fresh.removeAll { $0 == index }
    }

    /// These live entries will be presented again.
    mutating func renewTurn(of indices: [Int]) {
        for index in indices { entries[index].renewTurn() }
        fresh = (fresh + indices).sorted()
    }

    /// Removes from `fresh` what has had its turn; `Scheduler` calls it after each pass through `fresh`.
    mutating func dropPresented() { fresh.removeAll { entries[$0].hadItsTurn } }

    /// Of all entries, in whatever state, those due later than `limit`.
    func due(after limit: Instant) -> [Int] { entries.indices.filter { entries[$0].occurrence.due > limit } }

    /// These entries will fall due again; those that the plan does not have any more are gone.
    mutating func bringBack(_ indices: [Int]) {
        guard !indices.isEmpty else { return }
        for index in indices { entries[index].bringBack() }
        replaceEntries(with: entries.filter { !$0.isFormer || $0.state != .future })
    }

    /// After a restart: the signals of what was presented or withheld and timed out before the device
    /// went off were reported then, and are not reported again.
    mutating func silence(timedOutBy off: Instant, _ wasWithheld: (ScheduledEntry) -> Bool) {
        for index in entries.indices where entries[index].hasTimedOut(by: off) {
            if entries[index].isPresented || wasWithheld(entries[index]) { entries[index].endSignals() }
        }
    }

    /// After another version of the study was read; to be called before the first `fallDue`.
    mutating func keepTurns(of old: Timeline) {
        for index in entries.indices { entries[index].keepTurn(of: old[entries[index].occurrence.id]) }
    }

    /// Takes a new plan: occurrences that both plans have keep their state; what is live or has ended
    /// and is no longer planned stays.
    mutating func adopt(_ plan: Plan) {
        let issued = entries.filter { $0.state != .future }
        let over = Set(issued.lazy.filter { $0.state != .live }.map(\.occurrence.id))
        let plan = plan.keeping(issued.lazy.map(\.occurrence), over: over)
        let planned = Set(plan.occurrences.map(\.id))
        let kept = issued.filter { !planned.contains($0.occurrence.id) }
        let renewed = ScheduledEntry.entries(of: plan).map { $0.carrying(self[$0.occurrence.id]) }
        replaceEntries(with: (renewed + kept).inTimeOrder(\.occurrence.due))
    }

    /// Takes entries in time order, and makes the lists of them again.
    private mutating func replaceEntries(with others: [ScheduledEntry]) {
        entries = others
        (position, lasting) = Self.indices(of: entries)
        (live, ending, fresh) = ([], [], [])
        for index in entries.indices where entries[index].state == .live { join(index) }
        next = 0
        revision += 1
    }

    /// Adds one occurrence, with the same result as `adopt` of a plan that has it; earlier ones of its
    /// task may end with it.
    mutating func insert(_ occurrence: Occurrence, of task: StudyTask?) {
        let place = entries.partitioningIndex { $0.occurrence.due > occurrence.due }
        let next = entries[place...].first { $0.isFollowing(task: occurrence.task) }?.occurrence.due
        entries.insert(ScheduledEntry(occurrence, of: task, following: next), at: place)
        if entries[place].isFollowing(task: occurrence.task) { endBefore(place, of: task) }
        for index in place..<entries.count { position[entries[index].occurrence.id] = index }
        func moved(_ indices: [Int]) -> [Int] { indices.map { $0 < place ? $0 : $0 + 1 } }
        lasting = moved(lasting)
        if entries[place].isLasting { lasting.insert(place, at: lasting.firstIndex { $0 > place } ?? lasting.count) }
        live = moved(live).sorted()
        ending = live.filter { entries[$0].end != nil }
        fresh = live.filter { !entries[$0].hadItsTurn }
        self.next = min(self.next, place)
        revision += 1
    }

    /// Recomputes the ends of the task's occurrences before the one at `place`, back to the one it
    /// directly follows.
    private mutating func endBefore(_ place: Int, of task: StudyTask?) {
        let following = entries[place].occurrence
        for index in entries.indices[..<place].reversed() where entries[index].occurrence.task == following.task {
            let entry = entries[index]
            entries[index] = ScheduledEntry(entry.occurrence, of: task, following: following.due).carrying(entry)
            if entry.isFollowing(task: following.task) { return }
        }
    }

    /// Adds an entry that is live to the lists of live ones.
    private mutating func join(_ index: Int) {
        live.append(index)
        if entries[index].end != nil { ending.append(index) }
        if !entries[index].hadItsTurn { fresh.append(index) }
    }
}
