// SPDX-License-Identifier: Apache-2.0
import Base

/// What the participant and the device do. Ids that are not live are ignored: an answer may
/// cross an expiry.
extension Scheduler {
    private func liveIndex(_ id: String) -> Int? {
        position[id].flatMap { entries[$0].state == .live ? $0 : nil }
    }

    mutating func open(_ id: String) -> [Effect] {
        guard let index = liveIndex(id) else { return [] }
        entries[index].isRunning = true
        entries[index].isBegun = true
        return silence(index)
    }

    mutating func leave(_ id: String) -> [Effect] {
        guard let index = liveIndex(id) else { return [] }
        entries[index].isRunning = false
        return retired.contains(entries[index].occurrence.task) ? finish(index, .interrupted) : []
    }

    mutating func complete(_ id: String) -> [Effect] {
        guard let index = liveIndex(id) else { return [] }
        facts.completedTasks.insert(entries[index].occurrence.task)
        return finish(index, .completed)
    }

    mutating func end(_ id: String, _ outcome: Outcome) -> [Effect] {
        liveIndex(id).map { finish($0, outcome) } ?? []
    }

    mutating func delay(_ id: String) -> [Effect] {
        guard let index = liveIndex(id) else { return [] }
        entries[index].isPresented = false
        entries[index].obstacle = .busy
        return []
    }

    mutating func present(_ id: String) -> [Effect] {
        guard let index = liveIndex(id) else { return [] }
        entries[index].isPresented = true
        entries[index].obstacle = nil
        return []
    }

    /// Off ends every signal; on signals only what falls due from then on, as the
    /// platforms' apps do.
    mutating func setPrompts(_ on: Bool) -> [Effect] {
        promptsAreOn = on
        return on ? [] : live.flatMap { silence($0) }
    }

    /// A pause ends every signal; what was signalled and is still open afterwards is
    /// signalled again.
    mutating func pause(_ paused: Bool) -> [Effect] {
        guard paused != isPaused else { return [] }
        isPaused = paused
        guard paused else { return [] }
        let waiting = live.filter { entries[$0].isSignalling }
        for index in waiting {
            entries[index].hadItsTurn = false
            fresh.append(index)
        }
        fresh.sort()
        return waiting.flatMap { silence($0) }
    }

    /// Ends what is open of these tasks, and forgets what is to come; a run that is
    /// under way goes on.
    mutating func retire(_ tasks: Set<String>) -> [Effect] {
        let news = tasks.subtracting(retired)
        guard !news.isEmpty else { return [] }
        retired.formUnion(news)
        let over = live.filter { news.contains(entries[$0].occurrence.task) && !entries[$0].isRunning }
        let effects = over.flatMap { finish($0, entries[$0].isBegun ? .interrupted : .missed(.deleted)) }
        return effects + adopt(Plan(tasks: Array(self.tasks.values), occurrences: entries.map(\.occurrence)))
    }

    /// Adds what something that happened has made due; what is there already stays as it is.
    mutating func raise(_ occurrences: [Occurrence]) -> [Effect] {
        let news = occurrences.filter { position[$0.id] == nil }
        guard !news.isEmpty else { return [] }
        let all = (entries.map(\.occurrence) + news).enumerated().sorted {
            ($0.element.due, $0.offset) < ($1.element.due, $1.offset)
        }
        return adopt(Plan(tasks: Array(tasks.values), occurrences: all.map(\.element)))
    }

    /// Takes a new plan: what it has in common with the old one keeps its state, what is live or
    /// ended and no longer planned is kept to its end.
    mutating func adopt(_ plan: Plan) -> [Effect] {
        let issued = entries.filter { $0.state != .future }
        let over = Set(issued.filter { $0.state != .live }.map(\.occurrence.id))
        let plan = plan.without(retired).keeping(issued.lazy.map(\.occurrence), over: over)
        let planned = Set(plan.occurrences.map(\.id))
        let kept = entries.filter { $0.state != .future && !planned.contains($0.occurrence.id) }
        var renewed = ScheduledEntry.entries(of: plan)
        for index in renewed.indices {
            guard let old = position[renewed[index].occurrence.id].map({ entries[$0] }) else { continue }
            renewed[index].carry(old)
        }
        entries = (renewed + kept).enumerated().sorted {
            ($0.element.occurrence.due, $0.offset) < ($1.element.occurrence.due, $1.offset)
        }.map(\.element)
        tasks.merge(plan.tasks) { $1 }
        opensByClock = tasks.values.contains(where: \.opensByClock)
        position = Dictionary(entries.enumerated().map { ($1.occurrence.id, $0) }) { first, _ in first }
        lasting = lastingEntries
        closings = lastingEnds
        (live, ending, fresh) = ([], [], [])
        for index in entries.indices where entries[index].state == .live { join(index) }
        next = 0
        plans += 1
        return []
    }
}

extension ScheduledEntry {
    /// Takes over the state of the same occurrence in an older plan.
    fileprivate mutating func carry(_ old: ScheduledEntry) {
        state = old.state
        isPresented = old.isPresented
        isSignalling = old.isSignalling
        isBegun = old.isBegun
        isRunning = old.isRunning
        hadItsTurn = old.hadItsTurn
        obstacle = old.obstacle
        former = old.former
        (reminded, isSilenced) = (old.reminded, old.isSilenced)
    }
}
