// SPDX-License-Identifier: Apache-2.0

/// The header of a write-ahead log (§4.1 of https://sqlite.org/fileformat2.html); a single
/// flipped bit is put right.
///
/// Words of four bytes: magic, version, page size, a counter, two salts (at 16), two of the checksum (at 24).
struct WriteAheadHeader {
    let pageSize: Int
    let isBigEndian: Bool
    /// Two words, which every frame repeats; SQLite changes them each time it starts the log from the beginning.
    let salts: WriteAheadChecksum
    /// What the checksum of the first frame may continue from: several where the wrong bit of the
    /// header can be put right in several ways.
    let checksums: [WriteAheadChecksum]
    /// It is undamaged: SQLite takes it as it is.
    let isSound: Bool
    static let length = 32
    private static let magic: UInt32 = 0x377F_0682

    /// Nil where there is none, or more than a bit of it is damaged.
    init?(_ file: CInt) {
        guard let bytes = DamagedFile.read(file, at: 0, Self.length), bytes.count == Self.length else { return nil }
        // Several readings may fit; the first frame repeats the salts, and decides.
        let salts = DamagedFile.read(file, at: Int64(Self.length), 24)?.pair(8)
        let readings = [false, true].flatMap { Self.readings(bytes, isBigEndian: $0) }
        guard let (head, isSound) = readings.first(where: { $0.head.pair(16) == salts }) ?? readings.first,
            let size = head.bigEndian32(8), let salts = head.pair(16)
        else { return nil }
        pageSize = Int(size)
        isBigEndian = head.bigEndian32(0) == Self.magic | 1
        checksums = readings.filter { $0.head.pair(16) == salts }.compactMap { $0.head.pair(24) }
        (self.salts, self.isSound) = (salts, isSound)
    }

    /// What the header may have been, if at most one bit of it is wrong.
    private static func readings(_ bytes: [UInt8], isBigEndian: Bool) -> [(head: [UInt8], isSound: Bool)] {
        guard let stored = bytes.pair(24) else { return [] }
        let head = Array(bytes[..<24])
        let found = WriteAheadChecksum().over(head, isBigEndian: isBigEndian)
        var heads = found.distance(to: stored) <= 1 ? [head + found.bytes] : []
        if found != stored {
            heads += WriteAheadChecksum().flips(in: head, isBigEndian: isBigEndian, for: stored).map(bytes.flipping)
        }
        return heads.filter { isPossible($0, magic | (isBigEndian ? 1 : 0)) }.map { ($0, found == stored) }
    }

    private static func isPossible(_ head: [UInt8], _ magic: UInt32) -> Bool {
        guard let size = head.bigEndian32(8) else { return false }
        let isKnownVersion = head.bigEndian32(4) == 3_007_000  // the only format version so far
        return head.bigEndian32(0) == magic && isKnownVersion && (512...65_536).contains(size) && size & (size - 1) == 0
    }
}
