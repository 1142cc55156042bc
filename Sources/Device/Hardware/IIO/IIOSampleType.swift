// SPDX-License-Identifier: Apache-2.0

/// How one channel lies in the scans of an IIO buffer, as its `type` attribute
/// says: `le:s12/16>>4`.
///
/// Byte order, signed or not, significant bits, stored bits, and how far to shift right. Source:
/// the kernel's Documentation/ABI/testing/sysfs-bus-iio.
package struct IIOSampleType: Sendable, Hashable {
    package let isBigEndian: Bool
    private let isSigned: Bool
    /// Bits that count, 1...`storageBits`.
    package let bits: Int
    /// 8, 16, 32 or 64.
    private let storageBits: Int
    /// Bits to the right of those that count.
    package let shift: Int

    /// Reads the attribute's text; nil for what is none, and for channels that repeat
    /// (quaternions), which are not measured here.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0] == "le" || parts[0] == "be", let sign = parts[1].first, "suSU".contains(sign)
        else { return nil }
        let numbers = parts[1].dropFirst().split(separator: "/", maxSplits: 1)
        let stored = numbers.last.map { $0.split(separator: ">") } ?? []
        guard numbers.count == 2, (1...2).contains(stored.count), let bits = Int(numbers[0]),
            let storageBits = Int(stored[0]), let shift = stored.count == 2 ? Int(stored[1]) : 0
        else { return nil }
        guard [8, 16, 32, 64].contains(storageBits), (1...storageBits).contains(bits),
            (0...(storageBits - bits)).contains(shift)
        else { return nil }
        isBigEndian = parts[0] == "be"
        isSigned = sign == "s" || sign == "S"
        self.bits = bits
        self.storageBits = storageBits
        self.shift = shift
    }

    package var bytes: Int { storageBits / 8 }

    /// The value with its first byte at `offset`. No allocation.
    package func value(_ scan: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
        var raw: UInt64 = 0
        for index in 0..<bytes {
            let place = offset + (isBigEndian ? index : bytes - 1 - index)
            raw = raw << 8 | UInt64(scan[place])
        }
        let unused = UInt64(64 - bits)
        let aligned = (raw >> UInt64(shift)) << unused
        return isSigned ? Int64(bitPattern: aligned) >> Int64(unused) : Int64(bitPattern: aligned >> unused)
    }
}
