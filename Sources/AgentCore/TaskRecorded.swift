// SPDX-License-Identifier: Apache-2.0
import Recording
import StudyModel

/// What became of one recording of a task.
public struct TaskRecorded: Sendable {
    /// Something that was to be recorded and was not.
    public struct Failure: Sendable, Hashable {
        /// What was to be recorded.
        public let kind: TaskRecorder.Kind
        /// False where the device does not measure it.
        public let isMeasured: Bool
        /// In words.
        public let message: String

        public init(kind: TaskRecorder.Kind, isMeasured: Bool, message: String) {
            self.kind = kind
            self.isMeasured = isMeasured
            self.message = message
        }
    }

    /// Which it was.
    public let recording: TaskRecording
    /// Sealed, in the order of their numbers; a file may belong to several recordings of one run.
    public let files: [SealedRecording]
    /// In the order of the recorder's kinds.
    public let failures: [Failure]

    public init(recording: TaskRecording, files: [SealedRecording], failures: [Failure]) {
        self.recording = recording
        self.files = files
        self.failures = failures
    }
}

extension TaskRecorded {
    /// Where nothing is measured.
    public static func notMeasured(_ recording: TaskRecording) -> TaskRecorded {
        TaskRecorded(
            recording: recording, files: [], failures: recording.recorder.kinds.map { .notMeasured($0) })
    }
}

extension TaskRecorded.Failure {
    /// With what to do.
    public static func notMeasured(_ kind: TaskRecorder.Kind) -> Self {
        .init(
            kind: kind, isMeasured: false,
            message: kind == .steps
                ? "nothing on this device counts steps"
                : "this device is not configured to measure \(kind.rawValue); add a [[measure]] with this channel")
    }
}
