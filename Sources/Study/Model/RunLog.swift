// SPDX-License-Identifier: Apache-2.0

/// What a study's own script said, or what was wrong with it: ESMira's `RunEnding` notes it, and its
/// `ReportWriter` reports it.
package struct RunLog: Sendable, Hashable {
    /// In the platform's word.
    package let kind: String
    /// Which script of the task.
    package let place: String
    package let message: String

    package init(kind: String, place: String, message: String) {
        (self.kind, self.place, self.message) = (kind, place, message)
    }
}
