// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// Found by the virtual board: the kernel's own sound card was taken away for some seconds, and the
/// file of levels in which that fell was called damaged.
@Suite struct LevelGapTests {
    private func record(_ bench: Workbench, gaps: [(at: Int, seconds: Double)]) throws -> SealedRecording {
        let ring = FrameRing<SoundFrame>(capacity: 4096, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "noise", format: .levels).recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        var away = 0.0
        for index in 0..<1250 {
            var frame = Example.sound([Int16](repeating: 100, count: 256), at: 0)
            if let gap = gaps.first(where: { $0.at == index }) {
                away += gap.seconds
                (frame.lostBefore, frame.reason) = (UInt32(gap.seconds * 16_000), LossReason.deviceError.rawValue)
            }
            frame.time = MonotonicTime(nanoseconds: Int64((100 + Double(index) * 0.016 + away) * 1e9))
            ring.push(frame)
        }
        return try #require(recorder.stop(at: MonotonicTime(seconds: 140), anchors: [Example.anchor]).first)
    }

    /// The first row after a gap begins when the filters have settled, half a second after sound is
    /// back; a second gap may fall into that half second.
    @Test(arguments: [[(625, 3.0)], [(625, 3.0), (640, 2)], [(625, 0.6), (900, 4)], []])
    func aFileWithGapsIsInOrder(_ gaps: [(Int, Double)]) throws {
        let bench = Workbench()
        let sealed = try record(bench, gaps: gaps.map { (at: $0.0, seconds: $0.1) })
        #expect(try FileInspector.problems(of: sealed.path) == [])
        #expect(sealed.description.gaps.isEmpty == gaps.isEmpty)
    }
}
