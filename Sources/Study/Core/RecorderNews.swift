// SPDX-License-Identifier: Apache-2.0
import Base

/// What the recorder thread tells.
package enum RecorderNews: Sendable {
    /// Files that never change again.
    case sealed([SealedRecording])
    /// A voice memo's file, by the memo's id.
    case memo(String, SealedRecording)
    case memoFailed(String)
    /// What was recorded for a run has ended.
    case task(TaskRecorded)
    /// The direction that was asked for, in degrees; nil = it is not known.
    case direction(Double?)
    /// Whether samples arrive and are stored.
    case progress(Bool)
    /// Since when the device has not been worn; nil = it is worn, or that is not known.
    case notWorn(since: MonotonicTime?)
    /// What rules look at, epoch by epoch.
    case epochs([FeatureEpoch])
    /// What was recorded of features, for live views; decides nothing.
    case computed([FeatureEpoch])
}

/// A spoken answer: its recording belongs to a submission, and is sent only with it.
package enum VoiceMemo {
    /// Before the memo's id in the identifier of its recording.
    package static let prefix = "voice:"
}

extension SealedRecording {
    /// Of a spoken answer, the id by which the answer names it; nil for what is none.
    package var memo: String? {
        description.identifier.hasPrefix(VoiceMemo.prefix)
            ? String(description.identifier.dropFirst(VoiceMemo.prefix.count)) : nil
    }
    /// Recorded for one run: what becomes of it depends on what became of the run.
    package var isOfRun: Bool { description.task != nil || memo != nil }
}
