// SPDX-License-Identifier: Apache-2.0

/// The block that a writer is filling: takes samples one by one, gives out 512 bytes. Nothing is
/// allocated per sample.
struct CWABlockFiller: Sendable {
    /// Bytes of a block before its samples.
    private static let head = 30
    private let scaling: CWAScaling
    private let rate: Double
    private let sampleSize: Int
    /// Offset of the next sample; `end` when the block is full.
    private var place = Self.head
    private let end: Int
    /// The block, with everything in it that is the same in all blocks of the file.
    private var bytes: [UInt8]

    init(_ scaling: CWAScaling, rateCode: UInt8, sessionID: UInt32 = 0) {
        let packing = scaling.packing
        self.scaling = scaling
        rate = CWARate.rate(code: rateCode)
        sampleSize = packing == .packed3 ? 4 : 2 * packing.axes
        end = Self.head + packing.capacity * sampleSize
        bytes =
            CWABlock(
                sessionID: sessionID, sequence: 0, time: CWATimestamp(packed: 0, fraction: 0), packing: packing,
                rateCode: rateCode, accelerometerScale: scaling.accelerometerScale,
                gyroscopeRange: scaling.gyroscopeRange,
                values: [Int16](repeating: 0, count: packing.capacity * packing.axes)
            ).bytes
    }

    var isEmpty: Bool { place == Self.head }
    var isFull: Bool { place >= end }

    /// A sample of the chip; a full block must be written first.
    mutating func add(_ frame: VectorFrame) {
        var counts = SIMD8<Int16>()
        for axis in 0..<scaling.axes { counts[axis] = scaling.count(frame, axis) }
        put(counts)
    }

    /// A sample in counts of the block that were not rounded yet.
    mutating func add(_ values: [Double]) {
        var counts = SIMD8<Int16>()
        for (axis, value) in values.prefix(scaling.axes).enumerated() { counts[axis] = CWAScaling.round(value) }
        put(counts)
    }

    mutating func clear() { place = Self.head }

    /// Appends the block, which has to be full, and begins the next.
    mutating func write(
        sequence: UInt32, time: CWATimestamp, events: UInt8, _ fields: CWAFields, to out: inout [UInt8]
    ) {
        bytes.set(sequence, 10)
        bytes.set(fields.temperature, 20)
        bytes[22] = events
        bytes[23] = fields.battery
        CWABlock.setTime(time, rate: rate, in: &bytes)
        CWABlock.setSum(&bytes)
        out += bytes
        place = Self.head
    }

    @inline(__always)
    private mutating func put(_ counts: SIMD8<Int16>) {
        let (place, size) = (place, sampleSize)
        bytes.withUnsafeMutableBytes { block in
            if size == 4 {
                let word = CWAPacking.word(counts[0], counts[1], counts[2])
                block.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt32.self)
                return
            }
            for axis in 0..<size / 2 {
                block.storeBytes(of: counts[axis].littleEndian, toByteOffset: place + 2 * axis, as: Int16.self)
            }
        }
        self.place = place + size
    }
}
