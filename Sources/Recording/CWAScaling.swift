// SPDX-License-Identifier: Apache-2.0
import Samples

/// From a chip's raw counts to the 16-bit values of a CWA block.
struct CWAScaling: Sendable {
    let packing: CWABlock.Packing
    /// 1/2^(8+n) g: 4 up to ±8 g, 3 for ±16 g.
    let accelerometerScale: UInt8
    /// ±16 >> n g.
    let rangeCode: UInt8
    /// ±8000/2ⁿ °/s, 0 without a gyroscope.
    let gyroscopeRange: UInt8
    private let order: [(index: Int, channel: Channel, perUnit: Double)]

    init(_ source: SourceDescription) throws(RecordingError) {
        let channels = source.channels.enumerated().prefix(8)
        let acceleration = channels.filter { $0.element.unit == .standardGravity }.prefix(3)
        let rotation = channels.filter { $0.element.unit == .degreesPerSecond }.prefix(3)
        guard acceleration.count == 3 else {
            throw .format(path: source.device, problem: "CWA needs three channels in g; record it as csv")
        }
        let gyroscope = rotation.count == 3
        packing = gyroscope ? .axes6 : .axes3
        let fullScale = source.fullScale > 0 ? source.fullScale : 8
        accelerometerScale = fullScale > 8 ? 3 : 4
        rangeCode = fullScale <= 2 ? 3 : fullScale <= 4 ? 2 : fullScale <= 8 ? 1 : 0
        // The smallest range that holds all the chip's counts.
        let widest = rotation.map { abs($0.element.scale) * 32_000 }.max() ?? 0
        let range = gyroscope ? (0...6).last { 8000 / Double(1 << $0) >= widest } ?? 0 : 0
        gyroscopeRange = UInt8(range)
        let countsPerG = Double(1 << (8 + Int(accelerometerScale)))
        let countsPerDegree = 32_768 / (8000 / Double(1 << range))
        order =
            (gyroscope ? rotation.map { ($0.offset, $0.element, countsPerDegree) } : [])
            + acceleration.map { ($0.offset, $0.element, countsPerG) }
    }

    /// Counts of the block, before rounding.
    func values(_ frame: VectorFrame) -> [Double] {
        order.map { $0.channel.value(frame.values[$0.index]) * $0.perUnit }
    }

    func scaled(_ values: [Double]) -> [Int16] { values.map(Self.round) }
    func scaled(_ frame: VectorFrame) -> [Int16] { values(frame).map(Self.round) }

    /// Beyond the range values stay at its end, as the chip's own do.
    private static func round(_ value: Double) -> Int16 {
        Int16(max(-32_768, min(32_767, value.rounded())))
    }
}
