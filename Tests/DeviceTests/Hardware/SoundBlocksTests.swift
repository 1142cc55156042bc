// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

@Suite struct SoundBlocksTests {
    private let parameters = PCMParameters(device: "mic", rate: 16_000)
    private let ring = FrameRing(capacity: 4, repeating: SoundFrame(time: .zero))

    private func append(_ blocks: inout SoundBlocks, _ count: Int, at time: MonotonicTime) {
        bytes(ramp(count)).withUnsafeBytes { blocks.append($0, at: time, to: ring) }
    }

    @Test func aGapIsMeasuredByTheTimesAroundIt() throws {
        var blocks = SoundBlocks(parameters)
        append(&blocks, 160, at: .zero)
        blocks.beginGap(.soundOverrun)
        append(&blocks, 160, at: .zero + .milliseconds(110))
        #expect(ring.pop()?.lostBefore == 0)
        let after = try #require(ring.pop())
        #expect(after.lostBefore == 1600 && after.reason == LossReason.soundOverrun.rawValue)
        #expect(blocks.framesLost == 1600)
    }

    /// The time of a block is that of a read, which may be late; and what a card gives too early was not lost.
    @Test(arguments: [(5, false, 0), (25, false, 0), (25, true, 240), (10, true, 0), (5, true, 0)])
    func onlyWhatAGapWasSaidOfIsMissing(milliseconds: Int64, isGap: Bool, lost: UInt32) throws {
        var blocks = SoundBlocks(parameters)
        append(&blocks, 160, at: .zero)
        if isGap { blocks.beginGap(.soundOverrun) }
        append(&blocks, 160, at: .zero + .milliseconds(milliseconds))
        append(&blocks, 160, at: .zero + .milliseconds(milliseconds + 30))
        #expect([ring.pop(), ring.pop(), ring.pop()].map { $0?.lostBefore } == [0, lost, 0])
        #expect(blocks.framesLost == Int(lost))
    }

    @Test func aFullRingIsCountedInTheNextBlock() throws {
        var blocks = SoundBlocks(parameters)
        append(&blocks, 256 * 5 + 10, at: .zero)
        #expect(blocks.framesLost == 266)
        while ring.pop() != nil {}
        append(&blocks, 5, at: .zero + .seconds(1))
        let after = try #require(ring.pop())
        #expect(after.lostBefore == 266 && after.reason == LossReason.ringFull.rawValue)
    }
}
