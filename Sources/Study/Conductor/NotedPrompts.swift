// SPDX-License-Identifier: Apache-2.0
import Base

/// The prompts that are in the event log: each is noted as due, and as signalled, only once.
package struct NotedPrompts: Sendable {
    /// Ids of occurrences with a prompt that was due.
    package var prompted: Set<String>
    /// Ids of those with a signal that was given.
    package var presented: Set<String>
    /// When those come again that were put off before a restart, by the wall clock.
    package var putOffUntil: [String: Instant]

    /// Nothing yet, unless said otherwise.
    package init(
        prompted: Set<String> = [], presented: Set<String> = [], putOffUntil: [String: Instant] = [:]
    ) {
        self.prompted = prompted
        self.presented = presented
        self.putOffUntil = putOffUntil
    }
}
