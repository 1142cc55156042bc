// SPDX-License-Identifier: Apache-2.0
import Base

/// What became of one recording of a task.
package struct TaskRecorded: Sendable {
    /// Something that was to be recorded and was not.
    package struct Failure: Sendable, Hashable {
        /// What was to be recorded.
        package let kind: TaskRecorder.Kind
        /// False where the device does not measure it.
        package let isMeasured: Bool
        package let message: String

        package init(kind: TaskRecorder.Kind, isMeasured: Bool, message: String) {
            (self.kind, self.isMeasured, self.message) = (kind, isMeasured, message)
        }
    }

    package let recording: TaskRecording
    /// Sealed, in the order of their numbers; a file may belong to several recordings of one run.
    package let files: [SealedRecording]
    /// In the order of the recorder's kinds.
    package let failures: [Failure]

    package init(recording: TaskRecording, files: [SealedRecording], failures: [Failure]) {
        (self.recording, self.files, self.failures) = (recording, files, failures)
    }
}

extension TaskRecorded {
    package static func notMeasured(_ recording: TaskRecording) -> TaskRecorded {
        TaskRecorded(
            recording: recording, files: [], failures: recording.recorder.kinds.map { .notMeasured($0) })
    }
}

extension TaskRecorded.Failure {
    package static func notMeasured(_ kind: TaskRecorder.Kind) -> Self {
        .init(
            kind: kind, isMeasured: false,
            message: kind == .steps
                ? "this device does not count steps"
                : "this device is not configured to measure \(kind.rawValue); add a [[measure]] with this channel")
    }
}
