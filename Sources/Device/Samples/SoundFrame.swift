// SPDX-License-Identifier: Apache-2.0
import Base

/// A run of mono PCM frames as it goes through a ring: from `PCMCapture` to the recorder.
package struct SoundFrame: Sendable, BitwiseCopyable {
    package static let capacity = 256
    /// CLOCK_MONOTONIC of the first frame, from the card's own time stamp.
    package var time: MonotonicTime
    /// Frames known to be missing directly before the first one.
    package var lostBefore: UInt32
    /// Why they are missing: the raw value of a `LossReason`; 0 when none is.
    package var reason: UInt8
    /// How many frames are in use.
    package var count: UInt16
    /// Samples at the end of the microphone's scale that a filter has moved off the end of
    /// `samples`' scale.
    package var hiddenClips: UInt16
    /// Signed 16-bit samples of the one channel that is kept.
    package var samples: InlineArray<256, Int16>

    package init(time: MonotonicTime) {
        self.time = time
        lostBefore = 0
        reason = 0
        count = 0
        hiddenClips = 0
        samples = InlineArray(repeating: 0)
    }
}
