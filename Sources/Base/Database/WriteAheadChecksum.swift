// SPDX-License-Identifier: Apache-2.0

/// The running checksum of a write-ahead log (§4.2 of https://sqlite.org/fileformat2.html): two
/// sums modulo 2³² over pairs of words, each frame going on from the one before it.
///
/// The sums are linear, so that one flipped bit changes them by an amount that tells which bit it
/// was. A flip among the upper nine bits of a word may fit several words: `flips` gives all of them.
struct WriteAheadChecksum: Equatable {
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init() {}

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    /// One bit of some bytes.
    struct Flip: Equatable {
        /// Counted from the beginning of the bytes.
        var byte: Int
        let mask: UInt8
    }

    /// The sums over `bytes`, a multiple of eight, from here on.
    func over(_ bytes: [UInt8], isBigEndian: Bool) -> WriteAheadChecksum {
        var (first, second) = (first, second)
        bytes.withUnsafeBytes { bytes in
            for place in stride(from: 0, to: bytes.count - 7, by: 8) {
                first &+= Self.word(bytes, place, isBigEndian) &+ second
                second &+= Self.word(bytes, place + 4, isBigEndian) &+ first
            }
        }
        return WriteAheadChecksum(first, second)
    }

    /// Every bit of `bytes` that, turned back, gives `wanted`.
    func flips(in bytes: [UInt8], isBigEndian: Bool, for wanted: WriteAheadChecksum) -> [Flip] {
        let found = over(bytes, isBigEndian: isBigEndian)
        let (first, second) = (wanted.first &- found.first, wanted.second &- found.second)
        var flips: [Flip] = []
        bytes.withUnsafeBytes { bytes in
            // By how much the sums at the end grow when, after the present pair, the first sum
            // (`one`) or the second (`two`) is greater by 1.
            var (one, two) = (WriteAheadChecksum(1, 0), WriteAheadChecksum(0, 1))
            for pair in stride(from: bytes.count - 8, through: 0, by: -8) {
                let sum = WriteAheadChecksum(one.first &+ two.first, one.second &+ two.second)
                for (place, weight) in [(pair, sum), (pair + 4, two)] {
                    let word = Self.word(bytes, place, isBigEndian)
                    for bit in 0..<UInt32.bitWidth {
                        let value: UInt32 = 1 << UInt32(bit)
                        let change = word & value == 0 ? value : 0 &- value
                        guard change &* weight.first == first, change &* weight.second == second else { continue }
                        let byte = isBigEndian ? 3 - bit / 8 : bit / 8
                        flips.append(Flip(byte: place + byte, mask: 1 << UInt8(bit % 8)))
                    }
                }
                (one, two) = (sum, WriteAheadChecksum(sum.first &+ two.first, sum.second &+ two.second))
            }
        }
        return flips
    }

    /// As the file has it, the most significant byte first.
    var bytes: [UInt8] {
        [first, second].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    /// How many bits of the two differ.
    func distance(to other: WriteAheadChecksum) -> Int {
        (first ^ other.first).nonzeroBitCount + (second ^ other.second).nonzeroBitCount
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ isBigEndian: Bool) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }
}

extension [UInt8] {
    func flipping(_ flip: WriteAheadChecksum.Flip) -> [UInt8] {
        var bytes = self
        if bytes.indices.contains(flip.byte) { bytes[flip.byte] ^= flip.mask }
        return bytes
    }

    /// Two numbers of four bytes each; nil beyond the end.
    func pair(_ offset: Int) -> WriteAheadChecksum? {
        guard let first = bigEndian32(offset), let second = bigEndian32(offset + 4) else { return nil }
        return WriteAheadChecksum(first, second)
    }
}
