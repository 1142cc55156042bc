// SPDX-License-Identifier: Apache-2.0

/// Writes numbers as text into memory that its owner has made large enough. Some ten times quicker than
/// strings, which matters for the millions of rows of a day. `ExportOutput` and exports write rows with it.
package struct RowBytes: ~Copyable {
    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline var place: UnsafeMutablePointer<UInt8>
    @usableFromInline let end: UnsafeMutablePointer<UInt8>

    /// Begins at `start`; what does not fit into `capacity` bytes is left out.
    @inlinable package init(_ start: UnsafeMutablePointer<UInt8>, capacity: Int) {
        (self.start, place) = (start, start)
        end = start + capacity
    }

    /// Bytes written.
    @inlinable package var count: Int { place - start }

    @inlinable @inline(__always) package mutating func byte(_ byte: UInt8) {
        guard place < end else { return }
        place.pointee = byte
        place += 1
    }

    @inlinable package mutating func bytes(_ bytes: [UInt8]) {
        guard end - place >= bytes.count else { return }
        bytes.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { place.update(from: base, count: source.count) }
        }
        place += bytes.count
    }

    /// Text that is known beforehand.
    @inlinable package mutating func text(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        guard end - place >= count else { return }
        place.update(from: text.utf8Start, count: count)
        place += count
    }

    /// The first `count` of these; sixteen bytes of room are needed.
    @inlinable @inline(__always) package mutating func copy(_ bytes: SIMD16<UInt8>, _ count: Int) {
        guard end - place >= 16 else { return }
        UnsafeMutableRawPointer(place).storeBytes(of: bytes, as: SIMD16<UInt8>.self)
        place += count
    }

    /// Millionths as a number with six decimals.
    @inlinable @inline(__always) package mutating func millionths(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        digits(whole)
        byte(UInt8(ascii: "."))
        six(rest)
    }

    /// Six digits of a number below a million; eight bytes of room are needed.
    @inlinable @inline(__always) package mutating func six(_ value: UInt64) {
        guard end - place >= 8 else { return }
        // The two zeros before them are shifted out; two bytes more are written, and over
        // them what follows.
        let word = Self.eight(value) >> 16
        UnsafeMutableRawPointer(place).storeBytes(of: word.littleEndian, as: UInt64.self)
        place += 6
    }

    @inlinable @inline(__always) mutating func digits(_ value: UInt64) {
        guard value < 100_000_000, end - place >= 8 else { return oneByOne(value) }
        let word = Self.eight(value)
        // The zeros before the first digit lie in the lowest bytes; the last digit stays.
        let zeros = min(7, (word ^ 0x3030_3030_3030_3030).trailingZeroBitCount / 8)
        UnsafeMutableRawPointer(place).storeBytes(of: (word >> (8 * UInt64(zeros))).littleEndian, as: UInt64.self)
        place += 8 - zeros
    }

    @usableFromInline mutating func oneByOne(_ value: UInt64) {
        if value >= 10 { oneByOne(value / 10) }
        byte(UInt8(truncatingIfNeeded: 0x30 + value % 10))
    }

    /// Eight digits, the first in the lowest byte: pairs of digits, then digits, split
    /// within one word.
    @inlinable @inline(__always) static func eight(_ value: UInt64) -> UInt64 {
        let fours = value / 10_000 | (value % 10_000) << 32
        // 10 486 / 2^20 is 1/100 and 103 / 2^10 is 1/10, near enough for four and two digits.
        let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
        let pairs = (fours &- 100 &* hundreds) << 16 | hundreds
        let tens = ((pairs &* 103) >> 10) & 0x000F_000F_000F_000F
        return (tens | (pairs &- 10 &* tens) << 8) | 0x3030_3030_3030_3030
    }
}
