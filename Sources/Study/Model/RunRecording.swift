// SPDX-License-Identifier: Apache-2.0
import Base

/// What became of one recorder that ran in a run: its files, and what of it was not recorded.
package struct RunRecording: Sendable, Hashable {
    /// A file that never changes again.
    package struct File: Sendable, Hashable {
        /// Within the recordings folder.
        package let path: String
        /// As it lies on the disk.
        package let contentType: String
        package let bytes: Int
        /// CLOCK_MONOTONIC of its first sample, in seconds.
        package let startUptime: Double
        /// UTC of its first sample.
        package let start: Instant

        package init(path: String, contentType: String, bytes: Int, startUptime: Double, start: Instant) {
            self.path = path
            self.contentType = contentType
            self.bytes = bytes
            self.startUptime = startUptime
            self.start = start
        }
    }
    /// Something that was to be recorded and was not.
    package struct Failure: Sendable, Hashable {
        package let kind: TaskRecorder.Kind
        package let message: String
        /// 1 = the device does not measure it, 2 = it failed.
        package let code: Int

        package init(kind: TaskRecorder.Kind, message: String, code: Int) {
            (self.kind, self.message, self.code) = (kind, message, code)
        }
    }

    /// The recorder's identifier in the study.
    package let recorder: String
    package let began: Instant
    package let ended: Instant
    /// In the order of their numbers.
    package let files: [File]
    /// In the order of its kinds.
    package let failures: [Failure]

    package init(recorder: String, began: Instant, ended: Instant, files: [File], failures: [Failure]) {
        self.recorder = recorder
        self.began = began
        self.ended = ended
        self.files = files
        self.failures = failures
    }
}
