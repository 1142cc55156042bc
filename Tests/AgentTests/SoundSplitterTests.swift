// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Agent

@Suite struct SoundSplitterTests {
    private func block(_ lost: Int = 0) -> SoundFrame {
        var block = SoundFrame(time: .zero)
        (block.count, block.lostBefore) = (256, UInt32(lost))
        block.reason = lost > 0 ? LossReason.ringFull.rawValue : 0
        return block
    }

    @Test func whatTheMicrophonesRingDroppedIsCountedOnce() throws {
        let source = FrameRing(capacity: 2, repeating: SoundFrame(time: .zero))
        let measure = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        let splitter = SoundSplitter(source: source, measure: measure)
        for _ in 0..<3 { source.push(block()) }
        splitter.pump()
        // The microphone's thread says itself what did not fit.
        source.push(block(256))
        splitter.pump()
        #expect(try [0, 0, 256] == (0..<3).map { _ in Int(try #require(measure.pop()).lostBefore) })
    }

    /// It was taken from the microphone's ring, and there is no second one.
    @Test func aBlockOfALaterTimeIsHeldBackAndGoesOnce() throws {
        let source = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        let measure = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        let splitter = SoundSplitter(source: source, measure: measure)
        let times = (Int64(1)...4).map { MonotonicTime(nanoseconds: $0 * 1_000_000_000) }
        for time in times { source.push(SoundFrame(time: time)) }
        for (end, moved) in [(0, 0), (1, 1), (1, 1), (2, 2)] {
            splitter.pump(before: times[end])
            #expect(measure.count == moved && splitter.waiting == 4 - moved, "\(end)")
        }
        splitter.pump()
        #expect(splitter.waiting == 0)
        #expect(times.indices.compactMap { _ in measure.pop()?.time } == times)
        #expect(measure.pop() == nil)
    }

    @Test func aMemoHearsWhatTheMeasureHears() throws {
        let source = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        let (measure, memo) = (
            FrameRing(capacity: 8, repeating: SoundFrame(time: .zero)),
            FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        )
        let splitter = SoundSplitter(source: source, measure: measure)
        source.push(block())
        splitter.pump()
        splitter.memo = memo
        source.push(block(7))
        splitter.pump()
        #expect(measure.count == 2 && memo.count == 1)
        #expect(try #require(memo.pop()).lostBefore == 7)
    }
}
