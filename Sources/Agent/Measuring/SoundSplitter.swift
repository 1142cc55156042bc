// SPDX-License-Identifier: Apache-2.0
import Samples

/// Hands the microphone's blocks to the measure that records them and, while one is being spoken, to the voice memo.
///
/// Lives on the recorder thread, which is the consumer of the microphone's ring and the producer of the other two.
final class SoundSplitter {
    let source: FrameRing<SoundFrame>
    /// For the measure; nil when sound is not measured.
    let measure: FrameRing<SoundFrame>?
    /// For the memo being spoken.
    var memo: FrameRing<SoundFrame>?
    private var seenOverruns = 0

    init(source: FrameRing<SoundFrame>, measure: FrameRing<SoundFrame>?) {
        self.source = source
        self.measure = measure
    }

    /// Moves what waits. What the microphone's ring dropped becomes a gap before the next block.
    func pump() {
        for _ in 0..<source.count {
            guard var frame = source.pop() else { return }
            let overruns = source.overruns
            if overruns > seenOverruns {
                frame.lostBefore += UInt32(clamping: (overruns - seenOverruns) * SoundFrame.capacity)
                frame.reason = LossReason.ringFull.rawValue
                seenOverruns = overruns
            }
            measure?.push(frame)
            memo?.push(frame)
        }
    }
}
