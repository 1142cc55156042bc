// SPDX-License-Identifier: Apache-2.0

/// A block as its 512 bytes, little-endian; offsets and bits from openmovement, Docs/ax3/cwa.h:
///
///     0 "AX"        2 length, 508   4 fraction of a second   6 session      10 sequence    14 time
///     18 light, scales              20 temperature           22 events      23 battery     24 rate
///     25 packing    26 time offset  28 count                 30 samples     510 checksum
extension CWABlock {
    /// Reads a block; nil when it is damaged: marker, length, checksum or a count that cannot be.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, bytes[0] == 0x41, bytes[1] == 0x58, bytes.uint16(2) == 508 else { return nil }
        let isOld = bytes[24] == 0
        // Very old files have the rate where the time offset is now, and no checksum.
        guard isOld || Self.sum(bytes) == 0 else { return nil }
        let count = Int(bytes.uint16(28))
        guard let packing = Packing(rawValue: bytes[25]), count > 0, count <= packing.capacity else { return nil }
        let device = bytes.uint16(4)
        let hasFraction = device & 0x8000 != 0
        let scales = bytes.uint16(18)
        self.init(
            sessionID: bytes.uint32(6), sequence: bytes.uint32(10),
            time: CWATimestamp(packed: bytes.uint32(14), fraction: hasFraction ? device : 0), packing: packing,
            rateCode: bytes[24], accelerometerScale: UInt8(scales >> 13), gyroscopeRange: UInt8(scales >> 10 & 7),
            light: scales & 0x3FF, temperature: bytes.uint16(20) & 0x3FF, battery: bytes[23],
            values: Self.unpack(bytes, packing, count))
        events = bytes[22]
        if isOld {
            rate = Double(bytes.uint16(26))
            guard rate > 0 else { return nil }
        } else {
            let shim = hasFraction ? Self.shim(fraction: time.fraction, rate: rate) : 0
            timeIndex = Int(bytes.int16(26)) + shim
        }
    }

    /// The block as a file has it, with its checksum.
    package var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.set(0x5841 as UInt16, 0)
        bytes.set(508 as UInt16, 2)
        bytes.set(sessionID, 6)
        bytes.set(sequence, 10)
        // Readers apply the scale to packed samples too, so there it has to be 0.
        let scale = packing == .packed3 ? 0 : UInt16(accelerometerScale)
        bytes.set(scale << 13 | UInt16(gyroscopeRange) << 10 | light & 0x3FF, 18)
        bytes.set(temperature, 20)
        bytes[22] = events
        bytes[23] = battery
        bytes[24] = rateCode
        bytes[25] = packing.rawValue
        bytes.set(UInt16(count), 28)
        Self.setTime(time, timeIndex: timeIndex, rate: rate, in: &bytes)
        setValues(&bytes)
        Self.setSum(&bytes)
        return bytes
    }

    /// Puts another time into a block's bytes; the checksum is to be set afterwards.
    static func setTime(_ time: CWATimestamp, timeIndex: Int = 0, rate: Double, in bytes: inout [UInt8]) {
        bytes.set(0x8000 | time.fraction, 4)
        bytes.set(time.packed, 14)
        bytes.set(UInt16(truncatingIfNeeded: timeIndex - shim(fraction: time.fraction, rate: rate)), 26)
    }

    /// Makes the words of a block sum to 0.
    static func setSum(_ bytes: inout [UInt8]) {
        bytes.set(0 as UInt16, 510)
        bytes.set(0 &- sum(bytes), 510)
    }

    private func setValues(_ bytes: inout [UInt8]) {
        guard packing == .packed3 else {
            for (index, value) in values.prefix(240).enumerated() {
                bytes.set(UInt16(bitPattern: value), 30 + 2 * index)
            }
            return
        }
        for index in 0..<min(count, packing.capacity) {
            let word = CWAPacking.word(values[3 * index], values[3 * index + 1], values[3 * index + 2])
            bytes.set(word, 30 + 4 * index)
        }
    }

    /// Samples within the fraction of `time` (15 bits of a second). They are subtracted from the stored time
    /// offset, since old readers know no fraction; newer readers add them back.
    private static func shim(fraction: UInt16, rate: Double) -> Int {
        (Int(fraction) * 2 * Int(rate)) >> 16
    }

    /// The 256 words of a good block sum to 0.
    private static func sum(_ bytes: [UInt8]) -> UInt16 {
        bytes.withUnsafeBytes { bytes in
            var sum: UInt16 = 0
            for place in stride(from: 0, to: size, by: 2) {
                sum &+= UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
            }
            return sum
        }
    }

    private static func unpack(_ bytes: [UInt8], _ packing: Packing, _ count: Int) -> [Int16] {
        var values: [Int16] = []
        values.reserveCapacity(count * packing.axes)
        guard packing == .packed3 else {
            for index in 0..<count * packing.axes { values.append(bytes.int16(30 + 2 * index)) }
            return values
        }
        for index in 0..<count {
            let word = bytes.uint32(30 + 4 * index)
            for axis in 0..<3 as Range<UInt32> { values.append(CWAPacking.value(word, axis: axis)) }
        }
        return values
    }
}
