// SPDX-License-Identifier: Apache-2.0
import Base

/// What the recorder thread tells the study's loop, which passes it to `StudyCore` as an event.
package enum RecorderNews: Sendable {
    /// Files that never change again.
    case sealed([SealedRecording])
    /// A voice memo's file, by the memo's id.
    case memo(String, SealedRecording)
    case memoFailed(String)
    /// A recording of a run's task has ended.
    case task(TaskRecorded)
    /// The direction that was asked for, in degrees; nil = it is not known.
    case direction(Double?)
    /// Whether samples arrive and are stored.
    case progress(Bool)
    /// Since when the device has not been worn; nil = it is worn, or that is not known.
    case notWorn(since: MonotonicTime?)
    /// Epochs of the features that the study's rules look at.
    case epochs([FeatureEpoch])
    /// Epochs of all features that are recorded, for live views only.
    case computed([FeatureEpoch])
}
