// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Hands the microphone's blocks to the measure that records them and, while one is being spoken,
/// to the voice memo.
///
/// `RecorderLoop` has one, on the recorder thread, which is the consumer of the microphone's ring and the producer
/// of the other two.
final class SoundSplitter {
    private let source: FrameRing<SoundFrame>
    /// For the measure; nil when sound is not measured.
    private let measure: FrameRing<SoundFrame>?
    /// The memo being spoken: sound from `start` on belongs to it.
    var memo: (ring: FrameRing<SoundFrame>, start: MonotonicTime)?
    /// Samples per second that the microphone gives.
    private let rate: Double
    /// The block at which the last `pump(before:)` stopped, taken from the ring already; handed on first.
    private var next: SoundFrame?

    init(source: FrameRing<SoundFrame>, measure: FrameRing<SoundFrame>?, rate: Double) {
        self.source = source
        self.measure = measure
        self.rate = rate
    }

    /// Blocks that still wait, because where they go was full: drained, it has room again.
    var waiting: Int { source.count + (next == nil ? 0 : 1) }

    private var hasRoom: Bool {
        measure.map { $0.count < $0.capacity } ?? true && memo.map { $0.ring.count < $0.ring.capacity } ?? true
    }

    /// Moves what waits and finds room; up to the block in which `end` lies, where one is given. What the
    /// microphone's ring dropped is in the next block already: its producer counts it.
    func pump(before end: MonotonicTime? = nil) {
        for _ in 0..<waiting {
            guard hasRoom, let frame = next ?? source.pop() else { return }
            if let end, frame.part(from: end, rate: rate) != nil {
                next = frame
                return
            }
            next = nil
            measure?.push(frame)
            // A block that waited for room in the measure's ring may be from before the memo.
            if let memo, let part = frame.part(from: memo.start, rate: rate) { memo.ring.push(part) }
        }
    }
}

extension SoundFrame {
    /// From the sample of that moment on; nil where all of it lies before.
    fileprivate func part(from start: MonotonicTime, rate: Double) -> SoundFrame? {
        guard time < start else { return self }
        let before = Int((start - time).seconds * rate)
        guard before < count else { return nil }
        var part = SoundFrame(time: time + .seconds(Double(before) / rate))
        part.count = count - UInt16(before)
        part.hiddenClips = min(hiddenClips, part.count)
        for index in 0..<Int(part.count) { part.samples[index] = samples[before + index] }
        return part
    }
}
