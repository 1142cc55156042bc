// SPDX-License-Identifier: Apache-2.0

/// A page in a write-ahead log.
struct WriteAheadFrame {
    /// Number of the page it is an image of, from 1.
    let page: UInt32
    /// The place of that image in the file.
    let offset: Int64
    /// Bits of the image that the checksum allows to be the one wrong bit; empty where it allows none.
    let flips: [WriteAheadChecksum.Flip]
    /// The checksums leave no doubt about what was written.
    let isCertain: Bool
    /// It commits its transaction, or a later frame does.
    fileprivate(set) var isCommitted = false

    /// What may have been written, given the bytes that are there.
    func variants(of bytes: [UInt8]) -> [[UInt8]] {
        isCertain ? [flips.first.map(bytes.flipping) ?? bytes] : [bytes] + flips.map(bytes.flipping)
    }
}

/// The frames of a write-ahead log (§4.1 of https://sqlite.org/fileformat2.html), for `DamagedFile`, read on
/// past those that are damaged.
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
        var reader = WriteAheadFrameReader(header)
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
