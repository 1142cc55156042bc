// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Hands the microphone's blocks to the measure that records them and, while one is being spoken,
/// to the voice memo.
///
/// Lives on the recorder thread, which is the consumer of the microphone's ring and the producer
/// of the other two.
final class SoundSplitter {
    private let source: FrameRing<SoundFrame>
    /// For the measure; nil when sound is not measured.
    private let measure: FrameRing<SoundFrame>?
    /// For the memo being spoken.
    var memo: FrameRing<SoundFrame>?
    /// Taken from the microphone's ring, for those that come after it.
    private var next: SoundFrame?

    init(source: FrameRing<SoundFrame>, measure: FrameRing<SoundFrame>?) {
        self.source = source
        self.measure = measure
    }

    /// Blocks that still wait, because where they go was full: drained, it has room again.
    var waiting: Int { source.count + (next == nil ? 0 : 1) }

    private var hasRoom: Bool {
        measure.map { $0.count < $0.capacity } ?? true && memo.map { $0.count < $0.capacity } ?? true
    }

    /// Moves what waits and finds room, of before that time where one is given. What the microphone's
    /// ring dropped is in the next block already: its producer counts it.
    func pump(before end: MonotonicTime? = nil) {
        for _ in 0..<waiting {
            guard hasRoom, let frame = next ?? source.pop() else { return }
            if let end, frame.time >= end {
                next = frame
                return
            }
            next = nil
            measure?.push(frame)
            memo?.push(frame)
        }
    }
}
