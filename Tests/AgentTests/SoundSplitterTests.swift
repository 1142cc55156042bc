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
