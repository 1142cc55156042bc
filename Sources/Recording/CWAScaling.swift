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
    /// One value of a sample: `raw × factor + bias` in counts of the block.
    private struct Axis: Sendable {
        var index = 0
        var factor = 0.0
        var bias = 0.0
    }
    private var order = InlineArray<6, Axis>(repeating: Axis())
    let axes: Int

    init(_ source: SourceDescription) throws(RecordingError) {
        let channels = source.channels.enumerated().prefix(8)
        let acceleration = channels.filter { $0.element.unit == .standardGravity }.prefix(3)
        let rotation = channels.filter { $0.element.unit == .degreesPerSecond }.prefix(3)
        guard acceleration.count == 3 else {
            throw .format(path: source.device, problem: "CWA needs three channels in g; record it as csv")
        }
        let gyroscope = rotation.count == 3
        // Packed only where the chip resolves no more than 1/256 g, such as the ADXL345: else it would cost resolution.
        let isCoarse = acceleration.allSatisfy { abs($0.element.scale) * 256 > 0.99 }
        packing = gyroscope ? .axes6 : isCoarse ? .packed3 : .axes3
        let fullScale = source.fullScale > 0 ? source.fullScale : 8
        accelerometerScale = packing == .packed3 ? 0 : fullScale > 8 ? 3 : 4
        rangeCode = fullScale <= 2 ? 3 : fullScale <= 4 ? 2 : fullScale <= 8 ? 1 : 0
        // The smallest range that holds all the chip's counts.
        let widest = rotation.map { abs($0.element.scale) * 32_000 }.max() ?? 0
        let range = gyroscope ? (0...6).last { 8000 / Double(1 << $0) >= widest } ?? 0 : 0
        gyroscopeRange = UInt8(range)
        let countsPerG = Double(1 << (8 + Int(accelerometerScale)))
        let countsPerDegree = 32_768 / (8000 / Double(1 << range))
        let rotations = gyroscope ? rotation.map { ($0.offset, $0.element, countsPerDegree) } : []
        let all = rotations + acceleration.map { ($0.offset, $0.element, countsPerG) }
        axes = all.count
        for (place, (index, channel, perUnit)) in all.enumerated() {
            let factor = channel.scale * perUnit
            order[place] = Axis(index: index, factor: factor, bias: channel.offset * factor)
        }
    }

    /// Counts of the block, before rounding.
    func values(_ frame: VectorFrame) -> [Double] { (0..<axes).map { value(frame, $0) } }

    /// The count of one value of a sample.
    @inline(__always)
    func count(_ frame: VectorFrame, _ place: Int) -> Int16 { Self.round(value(frame, place)) }

    /// Beyond the range values stay at its end, as the chip's own do. Adding 1.5 × 2⁵² leaves the nearest whole number in the low bits
    /// of the sum, which is quicker than a call of the library for every value.
    @inline(__always)
    static func round(_ value: Double) -> Int16 {
        let held = value < -32_768 ? -32_768 : value > 32_767 ? 32_767 : value
        return Int16(truncatingIfNeeded: (held + 6_755_399_441_055_744).bitPattern)
    }

    @inline(__always)
    private func value(_ frame: VectorFrame, _ place: Int) -> Double {
        let axis = order[place]
        return Double(frame.values[axis.index]) * axis.factor + axis.bias
    }
}
