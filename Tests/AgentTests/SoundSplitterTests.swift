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
        let splitter = SoundSplitter(source: source, measure: measure, rate: 256)
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
        let splitter = SoundSplitter(source: source, measure: measure, rate: 256)
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

    /// The disk held the measure, so that its ring was full at the press, which lies in the fourth second's
    /// block or right behind it.
    @Test(arguments: [0, 1, 100, 255, 256]) func aMemoBeginsWithTheSampleOfItsPress(_ sample: Int) throws {
        let source = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        let measure = FrameRing(capacity: 2, repeating: SoundFrame(time: .zero))
        let (former, memo) = (
            FrameRing(capacity: 8, repeating: SoundFrame(time: .zero)),
            FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        )
        let splitter = SoundSplitter(source: source, measure: measure, rate: 256)
        splitter.memo = (former, .zero)
        for second in 0..<5 {
            var block = SoundFrame(time: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000))
            block.count = 256
            for index in 0..<256 { block.samples[index] = Int16(second * 256 + index) }
            source.push(block)
        }
        let press = MonotonicTime(nanoseconds: 3_000_000_000 + Int64(sample) * 3_906_250)
        splitter.pump(before: press)
        splitter.memo = (memo, press)
        var measured: [Int16] = []
        while let block = measure.pop() {
            measured += Self.samples(of: block)
            splitter.pump()
        }
        #expect(former.count == 2 && splitter.waiting == 0)
        #expect(measured == Array(Int16(0)..<1280))
        let first = try #require(memo.pop())
        #expect(first.time == press)
        var spoken = Self.samples(of: first)
        while let block = memo.pop() { spoken += Self.samples(of: block) }
        #expect(spoken == Array(Int16(768 + sample)..<1280))
    }

    private static func samples(of block: SoundFrame) -> [Int16] {
        (0..<Int(block.count)).map { block.samples[$0] }
    }

    @Test func aMemoHearsWhatTheMeasureHears() throws {
        let source = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        let (measure, memo) = (
            FrameRing(capacity: 8, repeating: SoundFrame(time: .zero)),
            FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        )
        let splitter = SoundSplitter(source: source, measure: measure, rate: 256)
        source.push(block())
        splitter.pump()
        splitter.memo = (memo, .zero)
        source.push(block(7))
        splitter.pump()
        #expect(measure.count == 2 && memo.count == 1)
        #expect(try #require(memo.pop()).lostBefore == 7)
    }
}
