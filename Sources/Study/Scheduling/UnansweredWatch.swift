// SPDX-License-Identifier: Apache-2.0
import Base

/// Prompts that closed unanswered before the time-out of their last signal, which is still
/// reported when it comes.
struct UnansweredWatch: Sendable {
    private var waiting: [Occurrence] = []

    /// When the next is to be reported.
    var next: Instant? { waiting.compactMap(\.silentFrom).min() }

    mutating func add(_ occurrence: Occurrence) { waiting.append(occurrence) }

    /// Drops those with a time-out up to `past`: they were reported before a restart.
    mutating func remove(through past: Instant) { waiting.removeAll { $0.silentFrom.map { $0 <= past } ?? true } }

    mutating func removeAll() { waiting.removeAll() }

    mutating func takeDue(at now: Instant) -> [Occurrence] {
        let due = waiting.filter { $0.silentFrom.map { $0 <= now } ?? true }
        waiting.removeAll { due.contains($0) }
        return due
    }
}
