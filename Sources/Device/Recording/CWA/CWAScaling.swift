// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// From a chip's raw counts to the 16-bit values of a CWA block, for `CWABlockFiller` and `MotionFeed`.
struct CWAScaling: Sendable {
    let packing: CWABlock.Packing
    /// 1/2^(8+n) g, n from 0 to 7: as fine as the range allows, 6 for ±2 g of 16 bits.
    let accelerometerScale: UInt8
    /// ±16 >> n g; only 0 or 1. The reader skdh gets another checksum for a block with the highest bit set
    /// in its rate byte, as for ±4 and ±2 g (`plus8` in read_axivity.f95 takes it as signed), and leaves
    /// the block out. No reader takes a scale from here.
    let rangeCode: UInt8
    /// ±8000/2ⁿ °/s, 0 without a gyroscope.
    let gyroscopeRange: UInt8
    /// One value of a sample: `raw × factor + bias` in counts of the block.
    private struct Axis: Sendable {
        var index = 0
        var factor = 0.0
        var bias = 0.0
    }
    /// The values of a sample in the block's order.
    private var order = InlineArray<6, Axis>(repeating: Axis())
    let axes: Int
    /// The file's channels, in the block's order.
    let channels: [RecordingDescription.ChannelNote]

    init(_ source: SourceDescription) throws(FileError) {
        let channels = source.channels.enumerated().prefix(8)
        let acceleration = channels.filter { $0.element.unit == .standardGravity }.prefix(3)
        let rotation = channels.filter { $0.element.unit == .degreesPerSecond }.prefix(3)
        guard acceleration.count == 3 else {
            throw .format(path: source.device, problem: "CWA needs three channels in g; record it as csv")
        }
        let gyroscope = rotation.count == 3
        // Packed only where the chip resolves no more than 1/256 g, such as the ADXL345: else it
        // would cost resolution.
        let isCoarse = acceleration.allSatisfy { abs($0.element.scale) * 256 > 0.99 }
        packing = gyroscope ? .axes6 : isCoarse ? .packed3 : .axes3
        let fullScale = source.fullScale > 0 ? source.fullScale : 8
        accelerometerScale = packing == .packed3 ? 0 : Self.scale(acceleration.map(\.element), fullScale)
        rangeCode = fullScale <= 8 ? 1 : 0
        let range = gyroscope ? Self.range(rotation.map(\.element)) : 0
        gyroscopeRange = UInt8(range)
        let countsPerG = Double(1 << (8 + Int(accelerometerScale)))
        let countsPerDegree = 32_768 / (8000 / Double(1 << range))
        let rotations = gyroscope ? rotation.map { ($0.offset, $0.element, countsPerDegree) } : []
        let all = rotations + acceleration.map { ($0.offset, $0.element, countsPerG) }
        axes = all.count
        self.channels = all.map { RecordingDescription.ChannelNote($0.1, inSteps: 1 / $0.2) }
        for (place, (index, channel, perUnit)) in all.enumerated() {
            let factor = channel.scale * perUnit
            order[place] = Axis(index: index, factor: factor, bias: channel.offset * factor)
        }
    }

    /// The finest scale that holds the range with 5 % beyond it, since chips count a little further
    /// than they promise, or all that 16 bits of the chip can say; where that would be coarser than
    /// the chip, the finest that holds the range.
    private static func scale(_ channels: [Channel], _ fullScale: Double) -> UInt8 {
        let chip = channels.map { abs($0.scale) }.max() ?? 0
        func finest(holding limit: Double) -> Int { (0...7).last { 32_768 / Double(256 << $0) >= limit } ?? 0 }
        let wide = finest(holding: min(chip * 32_767, fullScale * 1.05))
        let isCoarser = 1 / Double(256 << wide) > chip * 1.0001
        return UInt8(isCoarser ? finest(holding: fullScale) : wide)
    }

    /// The smallest range that holds what the chip promises. All chips count on for 15 to 17 % beyond that,
    /// where nothing is specified; holding this, too, would cost half of the resolution. 0 is used
    /// only where no other holds it: actipy reads it as ±2000.
    private static func range(_ channels: [Channel]) -> Int {
        let widest = (channels.map { abs($0.scale) }.max() ?? 0) * 32_768 * 0.87
        return (1...7).last { 8000 / Double(1 << $0) >= widest } ?? 0
    }

    /// Counts of the block, before rounding.
    func values(_ frame: VectorFrame) -> [Double] { (0..<axes).map { value(frame, $0) } }

    /// The count of one value of a sample.
    @inline(__always)
    func count(_ frame: VectorFrame, _ place: Int) -> Int16 { Self.round(value(frame, place)) }

    /// Beyond the range values stay at its end, as the chip's own do. Adding 1.5 × 2⁵² leaves the
    /// nearest whole number in the low bits of the sum, which is quicker than a call of the library
    /// for every value.
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
