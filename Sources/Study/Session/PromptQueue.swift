// SPDX-License-Identifier: Apache-2.0
import Base

/// Prompts that wait for the participant, in the order in which they came. `PanelSession` keeps them. Pure.
struct PromptQueue: Sendable {
    struct Waiting: Sendable {
        let item: PromptItem
        /// How often it was signalled, but at most 1 once it was put off.
        fileprivate(set) var signals = 0
        /// When it is signalled next; nil = only its light is shown with the signs of life.
        fileprivate(set) var nextSignal: MonotonicTime?
        /// nil = it was not put off, or has come again.
        fileprivate(set) var putOffUntil: MonotonicTime?
    }

    private(set) var all: [Waiting] = []
    private let limits: SessionLimits

    init(_ limits: SessionLimits) { self.limits = limits }

    private var currentIndex: Int? { all.firstIndex { $0.putOffUntil == nil } }

    /// The one that a press would take up.
    var current: PromptItem? { currentIndex.map { all[$0].item } }

    /// The current one was signalled before.
    var wasCurrentSignalled: Bool { currentIndex.map { all[$0].signals > 0 } ?? false }

    /// When the current one is signalled; nil = not again by itself.
    var nextSignal: MonotonicTime? { currentIndex.flatMap { all[$0].nextSignal } }

    /// When the next one that was put off comes again.
    var nextReturn: MonotonicTime? { all.lazy.compactMap { $0.putOffUntil }.min() }

    /// Adds a prompt, to be signalled at once, or when it comes again where a restart forgot that it was put off;
    /// nothing happens where it waits already.
    mutating func add(_ item: PromptItem, putOffUntil: MonotonicTime? = nil, at now: MonotonicTime) {
        guard !all.contains(where: { $0.item.id == item.id }) else { return }
        // Until later than a press puts it off: the wall clock has gone back since, and every restart would put it off.
        let until = putOffUntil.flatMap { $0 > now && $0 <= now + limits.putOffDelay ? $0 : nil }
        all.append(Waiting(item: item, nextSignal: now, putOffUntil: until))
    }

    mutating func remove(_ id: String) { all.removeAll { $0.item.id == id } }

    mutating func removeAll() { all = [] }

    /// False where it does not wait any more.
    mutating func putOff(_ id: String, at now: MonotonicTime) -> Bool {
        guard let index = all.firstIndex(where: { $0.item.id == id }) else { return false }
        all[index].putOffUntil = now + limits.putOffDelay
        all[index].signals = min(all[index].signals, 1)
        return true
    }

    /// Those that were put off come again: signalled at once, and repeated as after a first signal.
    mutating func bringBack(at now: MonotonicTime) {
        for index in all.indices {
            guard let due = all[index].putOffUntil, due <= now else { continue }
            (all[index].putOffUntil, all[index].nextSignal) = (nil, now)
        }
    }

    /// Sets when the current prompt is signalled next.
    mutating func signalCurrent(at time: MonotonicTime) { if let currentIndex { all[currentIndex].nextSignal = time } }

    /// The current prompt if its signal is due, which counts as given; `isFirst` = it is the prompt's
    /// first.
    mutating func takeDue(at now: MonotonicTime) -> (item: PromptItem, isFirst: Bool)? {
        guard let index = currentIndex, let due = all[index].nextSignal, due <= now else { return nil }
        let signals = all[index].signals
        let repeats = limits.promptRepeats
        all[index].nextSignal = signals < repeats.count ? now + repeats[signals] : nil
        all[index].signals = signals + 1
        return (all[index].item, signals == 0)
    }
}
