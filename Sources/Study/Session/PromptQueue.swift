// SPDX-License-Identifier: Apache-2.0
import Base

/// Prompts that wait for the participant, in the order in which they came. Pure.
struct PromptQueue: Sendable {
    struct Waiting: Sendable {
        let item: PromptItem
        /// How often it was signalled, but at most 1 once it was put off.
        fileprivate(set) var told = 0
        /// When it is signalled next; nil = only its light is shown with the signs of life.
        fileprivate(set) var nextTelling: MonotonicTime?
        fileprivate(set) var putOffUntil: MonotonicTime?
    }

    private(set) var all: [Waiting] = []
    private let limits: SessionLimits

    init(_ limits: SessionLimits) { self.limits = limits }

    private var currentIndex: Int? { all.firstIndex { $0.putOffUntil == nil } }

    /// The one that a press would take up.
    var current: PromptItem? { currentIndex.map { all[$0].item } }

    /// The current one was signalled before.
    var isCurrentTold: Bool { currentIndex.map { all[$0].told > 0 } ?? false }

    /// When the current one is signalled; nil = not again by itself.
    var nextTelling: MonotonicTime? { currentIndex.flatMap { all[$0].nextTelling } }

    /// When the next one that was put off comes again.
    var nextReturn: MonotonicTime? { all.lazy.compactMap { $0.putOffUntil }.min() }

    /// Nothing happens where it waits already.
    mutating func add(_ item: PromptItem, at now: MonotonicTime) {
        guard !all.contains(where: { $0.item.id == item.id }) else { return }
        all.append(Waiting(item: item, nextTelling: now))
    }

    mutating func remove(_ id: String) { all.removeAll { $0.item.id == id } }

    mutating func removeAll() { all = [] }

    /// False where it does not wait any more.
    mutating func putOff(_ id: String, at now: MonotonicTime) -> Bool {
        guard let index = all.firstIndex(where: { $0.item.id == id }) else { return false }
        all[index].putOffUntil = now + limits.putOff
        all[index].told = min(all[index].told, 1)
        return true
    }

    /// Those that were put off come again: signalled at once, and repeated as after a first signal.
    mutating func bringBack(at now: MonotonicTime) {
        for index in all.indices {
            guard let due = all[index].putOffUntil, due <= now else { continue }
            (all[index].putOffUntil, all[index].nextTelling) = (nil, now)
        }
    }

    /// The current one is signalled then.
    mutating func tellCurrent(at time: MonotonicTime) { if let currentIndex { all[currentIndex].nextTelling = time } }

    /// The current one, if it is due, and whether it is signalled for the first time; it counts as
    /// signalled.
    mutating func takeDue(at now: MonotonicTime) -> (item: PromptItem, isFirst: Bool)? {
        guard let index = currentIndex, let due = all[index].nextTelling, due <= now else { return nil }
        let told = all[index].told
        let repeats = limits.promptRepeats
        all[index].nextTelling = told < repeats.count ? now + repeats[told] : nil
        all[index].told = told + 1
        return (all[index].item, told == 0)
    }
}
