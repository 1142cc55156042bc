// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct MotionFeedTests {
    /// By openmovement's Docs/ax3/cwa.h: ten bits an axis and one exponent for all three; up to ±2 g a step
    /// is 1/256 g, up to ±4 g 2/256 g, beyond 8 g 8/256 g.
    @Test(
        arguments: [
            ([1, 255, -512], [1, 255, -512]), ([768, 256, 3], [768, 256, 4]), ([769, -5, 0], [770, -4, 0]),
            ([2048, 3, 5], [2048, 0, 8]),
        ] as [([Int32], [Double])])
    func aPackedSampleIsAsTheFileHasIt(_ raw: [Int32], _ steps: [Double]) throws {
        let source = SourceDescription(
            kind: .accelerometer, device: "ADXL345", location: "i2c-1 0x53",
            channels: Channel.acceleration(scale: 1.0 / 256), nominalRate: 100, fullScale: 16)
        var feed = try MotionFeed(source)
        let items = feed.add(
            VectorFrame(
                values: SIMD8(raw[0], raw[1], raw[2], 0, 0, 0, 0, 0), count: 3, time: MonotonicTime(seconds: 1),
                isStamped: true))
        guard case .sample(_, let x, let y, let z)? = items.last else { return #expect(Bool(false), "no sample") }
        #expect([x, y, z].map { $0 * 256 } == steps)
    }
}
