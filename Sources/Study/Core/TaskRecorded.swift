// SPDX-License-Identifier: Apache-2.0
import Base

/// What became of one recording of a task: `TaskRecorders` makes it, and `StudyCore` gets it as
/// `RecorderNews.task`.
package struct TaskRecorded: Sendable {
    package let recording: TaskRecording
    /// Sealed, in the order of their numbers; a file may belong to several recordings of one run.
    package let files: [SealedRecording]
    /// In the order of the recorder's kinds.
    package let failures: [RunRecording.Failure]

    package init(recording: TaskRecording, files: [SealedRecording], failures: [RunRecording.Failure]) {
        (self.recording, self.files, self.failures) = (recording, files, failures)
    }

    package static func notMeasured(_ recording: TaskRecording) -> TaskRecorded {
        TaskRecorded(
            recording: recording, files: [], failures: recording.recorder.kinds.map { .notMeasured($0) })
    }
}
