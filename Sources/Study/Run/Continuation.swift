// SPDX-License-Identifier: Apache-2.0

/// Where a participant goes on once a run is submitted.
package struct Continuation: Sendable, Hashable {
    /// The key of the task to be opened.
    package let task: String
    /// The step it begins at; nil = its first.
    package let step: String?

    package init(task: String, step: String? = nil) {
        self.task = task
        self.step = step
    }
}
