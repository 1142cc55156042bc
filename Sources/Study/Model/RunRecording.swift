// SPDX-License-Identifier: Apache-2.0
import Base

/// What became of one recorder that ran in a run: its files, and what of it was not recorded. `RunResult` makes
/// it, for Sage's writer.
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
        /// False where the device does not measure it.
        package let isMeasured: Bool
        package let message: String
        /// For results: 1 = the device does not measure it, 2 = it failed.
        package var code: Int { isMeasured ? 2 : 1 }

        package init(kind: TaskRecorder.Kind, isMeasured: Bool, message: String) {
            (self.kind, self.isMeasured, self.message) = (kind, isMeasured, message)
        }

        package static func notMeasured(_ kind: TaskRecorder.Kind) -> Self {
            Self(
                kind: kind, isMeasured: false,
                message: kind == .steps
                    ? "this device does not count steps"
                    : "this device is not configured to measure \(kind.rawValue); add a [[measure]] with this channel")
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
