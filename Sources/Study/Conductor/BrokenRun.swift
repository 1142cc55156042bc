// SPDX-License-Identifier: Apache-2.0

/// A run that a restart broke off, as the event log tells it. `StudyCore` makes it at a start, for
/// `StudyConductor.resume`.
package struct BrokenRun: Sendable, Hashable {
    package let task: String
    /// Which opening of the task it was, from 1.
    package let opening: Int
    /// The occurrence it answers; nil = self-started.
    package let occurrence: String?
    /// The key of progress whose rows name no step, as old logs have them: it is that of the first performance.
    static let unnamed = ""
    /// How far its performances had come, by the keys of their steps.
    package let progress: [String: BrokenPerformance]
}
