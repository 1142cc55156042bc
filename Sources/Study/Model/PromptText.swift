// SPDX-License-Identifier: Apache-2.0

/// What a prompt says, as plain text: platforms' readers make it for each `StudyTask`, and the panel says it
/// (`PromptItem`).
package struct PromptText: Sendable, Hashable {
    /// Heading of the prompt; empty where the platform gives none.
    package let title: String
    /// What is said after the heading; may be empty.
    package let message: String

    package init(title: String, message: String) { (self.title, self.message) = (title, message) }
}
