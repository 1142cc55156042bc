// SPDX-License-Identifier: Apache-2.0

/// Figures that an active task (the kick counter) keeps so that it can go on after a restart. Each report of
/// them becomes a row of the event log.
package struct TaskProgress: Sendable, Hashable {
    /// What the task calls these rows.
    package let name: String
    /// Only the task itself reads them.
    package let values: [String: Double]
    /// The step that performs it; the run sets it.
    package internal(set) var step: String?

    package init(name: String, values: [String: Double], step: String? = nil) {
        (self.name, self.values, self.step) = (name, values, step)
    }
}

/// What the event log has of a performance that a restart broke off: `StudyCore` reads it, and the task's step
/// goes on from it.
package struct BrokenPerformance: Sendable, Hashable {
    /// What it reported so far, the oldest first.
    package let rows: [[String: Double]]
    /// How long since the last report; nil where no clock can say.
    package let off: Duration?
}
