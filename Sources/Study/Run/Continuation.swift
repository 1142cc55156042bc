// SPDX-License-Identifier: Apache-2.0

/// Where a participant goes on once a run is submitted: `Navigator` knows it, and `PanelSession` opens that
/// task.
package struct Continuation: Sendable, Hashable {
    /// The key of the task to be opened.
    package let task: String
    package let start: RunStart
}
