// SPDX-License-Identifier: Apache-2.0

/// Where a participant goes on once a run is submitted.
public struct Continuation: Sendable, Hashable {
    /// The key of the task to be opened.
    public let task: String
    /// The step it begins at; nil = its first.
    public let step: String?

    /// That task, from that step on.
    public init(task: String, step: String? = nil) {
        self.task = task
        self.step = step
    }
}
