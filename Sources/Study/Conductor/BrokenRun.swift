// SPDX-License-Identifier: Apache-2.0

/// A run that a restart broke off, as the event log tells it.
package struct BrokenRun: Sendable, Hashable {
    package let task: String
    /// Which opening of the task it was, from 1.
    package let opening: Int
    /// The occurrence it answers; nil = self-started.
    package let occurrence: String?
    /// How far it had come.
    package let progress: BrokenPerformance

    package init(task: String, opening: Int, occurrence: String?, progress: BrokenPerformance) {
        self.task = task
        self.opening = opening
        self.occurrence = occurrence
        self.progress = progress
    }
}
