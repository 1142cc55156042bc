// SPDX-License-Identifier: Apache-2.0
import Base

/// Prompts that closed unanswered before the time-out of their last signal (`silentFrom`). That they were
/// unanswered is reported only at the time-out; `Scheduler` adds them and takes those that are due.
struct UnansweredWatch: Sendable {
    private var waiting: [Occurrence] = []

    /// When the next is to be reported.
    var next: Instant? { waiting.compactMap(\.silentFrom).min() }

    mutating func add(_ occurrence: Occurrence) { waiting.append(occurrence) }

    /// Drops those with a time-out up to `past`: they were reported before a restart.
    mutating func remove(through past: Instant) { waiting.removeAll { $0.silentFrom.map { $0 <= past } ?? true } }

    mutating func removeAll() { waiting.removeAll() }

    /// Removes and returns the prompts with a time-out up to `now`, and those without one.
    mutating func takeDue(at now: Instant) -> [Occurrence] {
        let due = waiting.filter { $0.silentFrom.map { $0 <= now } ?? true }
        waiting.removeAll { due.contains($0) }
        return due
    }
}
