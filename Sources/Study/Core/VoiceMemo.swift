// SPDX-License-Identifier: Apache-2.0
import Base

/// A spoken answer: its recording belongs to a submission, and is sent only with it. `SpokenMemo` records it
/// under that name.
package enum VoiceMemo {
    /// Before the memo's id in the identifier of its recording.
    package static let prefix = "voice:"
}

extension SealedRecording {
    /// The id by which an answer names this recording; nil if it is no spoken answer.
    package var memo: String? {
        description.identifier.hasPrefix(VoiceMemo.prefix)
            ? String(description.identifier.dropFirst(VoiceMemo.prefix.count)) : nil
    }
    /// True if it was recorded for one run, and is kept or deleted with that run's answers.
    package var isOfRun: Bool { description.task != nil || memo != nil }
}
