// SPDX-License-Identifier: Apache-2.0

/// A file to be sent: `RecordingRegistration` queues it, and destinations send it. The names of its properties
/// are the log's format, as of every `LoggedRecord`.
package struct FileReference: LoggedRecord {
    /// Relative to the recordings directory.
    package var path: String
    /// SHA-256 of the file, in hexadecimal; the receipt is checked against it.
    package var sha256: String
    /// Length of the file; a file of another length is not the one that was sealed.
    package var bytes: Int64
    /// `audio/flac`, `application/json`.
    package var contentType: String
    /// The recording it belongs to; nil for a file that belongs to none.
    package var recording: String?
    /// Sent to the server with the file: study, participant, enrolment, measure.
    package var metadata: [String: String]

    package init(
        path: String, sha256: String, bytes: Int64, contentType: String, recording: String?,
        metadata: [String: String] = [:]
    ) {
        self.path = path
        self.sha256 = sha256
        self.bytes = bytes
        self.contentType = contentType
        self.recording = recording
        self.metadata = metadata
    }
}
