// SPDX-License-Identifier: Apache-2.0
import Glibc

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

/// A page in a write-ahead log.
struct WriteAheadFrame {
    /// Number of the page it is an image of, from 1.
    fileprivate(set) var page: UInt32
    /// The place of that image in the file.
    let offset: Int64
    /// Bits of the image that the checksum allows to be the one wrong bit; empty where it allows none.
    fileprivate(set) var flips: [WriteAheadChecksum.Flip] = []
    /// The checksums leave no doubt about what was written.
    fileprivate(set) var isCertain = true
    /// It commits its transaction, or a later frame does.
    fileprivate(set) var isCommitted = false

    /// What may have been written, given the bytes that are there.
    func variants(of bytes: [UInt8]) -> [[UInt8]] {
        isCertain ? [flips.first.map(bytes.flipping) ?? bytes] : [bytes] + flips.map(bytes.flipping)
    }
}

/// The frames of a write-ahead log (§4.1), read on past those that are damaged.
///
/// SQLite stops at the first frame with wrong salts or a wrong checksum, and overwrites everything
/// after it. Here one flipped bit is put right by the checksum, or each bit that it may have been is
/// tried, since a row shows by itself whether it is whole; after a frame with more damage the
/// checksums continue from the one stored in it.
struct WriteAheadFrames {
    /// In the order in which they were written.
    private(set) var all: [WriteAheadFrame] = []
    /// By number of the page, its newest committed image among those that are certain.
    private(set) var newest: [UInt32: WriteAheadFrame] = [:]
    /// By number of the page, its newest committed image where that is not certain.
    private(set) var doubtful: [UInt32: WriteAheadFrame] = [:]
    /// Where SQLite stops reading although there is more; nil where it reads everything.
    private(set) var stop: WriteAheadStop?

    init(_ file: CInt, pageSize: Int) {
        let header = WriteAheadHeader(file)
        var reader = FrameReader(header)
        // The first that SQLite does not take: it reads none after it.
        var bad: WriteAheadStop?
        if header.map({ !$0.isSound }) ?? true { bad = WriteAheadStop(frame: 0, isOneBit: header != nil) }
        var number = 0
        // Frames after the last commit, and whether there are frames that SQLite does not read.
        var (uncommitted, isUnread) = (0, false)
        let length = 24 + pageSize
        while let bytes = DamagedFile.read(file, at: Self.place(of: number, length), length), bytes.count == length {
            number += 1
            let reading = reader.read(bytes, at: Self.place(of: number - 1, length))
            if bad == nil, reading.state != .sound {
                bad = WriteAheadStop(frame: number, isOneBit: reading.state == .mended)
            }
            guard let frame = reading.frame else { continue }
            all.append(frame)
            (uncommitted, isUnread) = (uncommitted + 1, isUnread || bad != nil)
            guard reading.isCommit else { continue }
            for index in all.indices.suffix(uncommitted) { all[index].isCommitted = true }
            uncommitted = 0
        }
        if isUnread || uncommitted > 0 { stop = bad ?? WriteAheadStop(frame: number + 1, isOneBit: false) }
        for frame in all where frame.isCommitted { recordNewest(frame) }
    }

    private mutating func recordNewest(_ frame: WriteAheadFrame) {
        if frame.isCertain { newest[frame.page] = frame }
        doubtful[frame.page] = frame.isCertain ? nil : frame
    }

    /// True for a committed frame while no newer image of its page is certain.
    func isCurrent(_ frame: WriteAheadFrame) -> Bool {
        frame.isCommitted && frame.offset >= newest[frame.page]?.offset ?? 0
    }

    private static func place(of number: Int, _ length: Int) -> Int64 {
        Int64(WriteAheadHeader.length) + Int64(number) * Int64(length)
    }
}

/// Where SQLite stops reading a write-ahead log although there is more of it.
package struct WriteAheadStop: Sendable, Hashable, CustomStringConvertible {
    /// The frame that it does not take, counted from 1; 0 = the header of the log.
    package let frame: Int
    /// Only one bit of it is wrong, and can be put right: a power cut does not do that.
    package let isOneBit: Bool

    /// That of the log of the database at `path`; nil where SQLite reads everything.
    /// Blocks on the disk.
    package init?(ofDatabase path: String) {
        // The database itself is not opened: closing it would give up the locks of another
        // connection of this process.
        let file = DamagedFile.openRegular(path + "-wal")
        guard file >= 0 else { return nil }
        defer { close(file) }
        let pageSize = WriteAheadHeader(file)?.pageSize ?? DamagedFile.usualPageSize
        guard let stop = WriteAheadFrames(file, pageSize: pageSize).stop else { return nil }
        self = stop
    }

    fileprivate init(frame: Int, isOneBit: Bool) { (self.frame, self.isOneBit) = (frame, isOneBit) }

    package var description: String {
        let place = frame == 0 ? "the head" : "frame \(frame)"
        return "\(place) of the write-ahead log is damaged" + (isOneBit ? " (one bit)" : "")
    }
}

/// Reads one frame after another, and keeps what the next checksum continues from.
///
/// A frame is the page's number, the size of the database if the frame commits (else 0), the salts (at 8), the
/// checksum over all but these two (at 16), then the page's image (at 24).
private struct FrameReader {
    private var salts: WriteAheadChecksum?
    /// What the next frame's checksum may continue from: two where the wrong bit may be in the last
    /// word of the frame or in its stored checksum.
    private var seeds: [WriteAheadChecksum]
    private let isBigEndian: Bool

    enum State {
        /// The checksum agrees.
        case sound
        /// One bit is wrong, at one place or at one of several.
        case mended
        /// More is wrong, or what the checksum continues from is unknown.
        case doubtful
        /// A frame with other salts, from before the log was started again, or no frame.
        case foreign
    }

    struct Reading {
        var state = State.foreign
        /// nil for one that is not of this log.
        var frame: WriteAheadFrame?
        var isCommit = false
    }

    init(_ header: WriteAheadHeader?) {
        (salts, isBigEndian) = (header?.salts, header?.isBigEndian ?? false)
        seeds = header?.checksums ?? []
    }

    /// `bytes` is a whole frame that begins at `place` of the file.
    mutating func read(_ bytes: [UInt8], at place: Int64) -> Reading {
        guard let own = bytes.pair(8), let stored = bytes.pair(16) else { return Reading() }
        // Without a header the first frame says which salts are this log's.
        let salts = self.salts ?? own
        self.salts = salts
        let before = seeds
        seeds = [stored]
        // Frames with other salts (more than one flipped bit apart) are left from before the log was started again;
        // their pages have long been in the database file.
        let distance = salts.distance(to: own)
        guard distance <= 1 else { return Reading() }
        var content = Array(bytes[..<8] + bytes[24...])
        let sums = before.map { $0.over(content, isBigEndian: isBigEndian) }
        var state = State.doubtful
        var flips: [WriteAheadChecksum.Flip] = []
        var isCertain = true
        if distance == 0, sums.contains(stored) {
            state = .sound
        } else {
            if distance == 0, let seed = before.first {
                flips = seed.flips(in: content, isBigEndian: isBigEndian, for: stored).filter {
                    Self.isPossible(content.flipping($0))
                }
            }
            let isSumDamaged = sums.first.map { $0.distance(to: stored) + distance <= 1 } ?? false
            if isSumDamaged || !flips.isEmpty { state = .mended }
            if isSumDamaged, let sums = sums.first { seeds = flips.isEmpty ? [sums] : [sums, stored] }
            isCertain = flips.count + (isSumDamaged ? 1 : 0) == 1
            // A bit of the frame's header is turned back at once, where it is certain.
            if let flip = flips.first, flip.byte < 8, isCertain { content = content.flipping(flip) }
        }
        guard distance == 0 || state == .mended, let page = content.bigEndian32(0), page > 0 else { return Reading() }
        let ofImage = flips.filter { $0.byte >= 8 }.map { WriteAheadChecksum.Flip(byte: $0.byte - 8, mask: $0.mask) }
        return Reading(
            state: state,
            frame: WriteAheadFrame(page: page, offset: place + 24, flips: ofImage, isCertain: isCertain),
            isCommit: content.bigEndian32(4) ?? 0 > 0)
    }

    /// Bounds page number and size by 2^22 pages (16 GiB), more than a database of ours has.
    private static func isPossible(_ content: [UInt8]) -> Bool {
        guard let page = content.bigEndian32(0), let size = content.bigEndian32(4) else { return false }
        return (1...1 << 22).contains(page) && size <= 1 << 22
    }
}

extension [UInt8] {
    fileprivate func flipping(_ flip: WriteAheadChecksum.Flip) -> [UInt8] {
        var bytes = self
        if bytes.indices.contains(flip.byte) { bytes[flip.byte] ^= flip.mask }
        return bytes
    }

    /// Two numbers of four bytes each; nil beyond the end.
    fileprivate func pair(_ offset: Int) -> WriteAheadChecksum? {
        guard let first = bigEndian32(offset), let second = bigEndian32(offset + 4) else { return nil }
        return WriteAheadChecksum(first, second)
    }
}
