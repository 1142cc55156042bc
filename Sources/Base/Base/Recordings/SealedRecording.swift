// SPDX-License-Identifier: Apache-2.0

/// A file that never changes again. The recorder returns it, and the agent records it in the log and puts it
/// into the outbox.
package struct SealedRecording: Sendable, Hashable {
    package let number: Int
    package let path: String
    package let descriptionPath: String
    package let description: RecordingDescription
    package var bytes: Int { description.bytes }
    /// SHA-256 of the file, 64 hexadecimal digits.
    package var sha256: String { description.sha256 }

    package init(number: Int, path: String, descriptionPath: String, description: RecordingDescription) {
        (self.number, self.path, self.descriptionPath, self.description) = (number, path, descriptionPath, description)
    }
}
