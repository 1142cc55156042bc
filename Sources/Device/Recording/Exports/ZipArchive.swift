// SPDX-License-Identifier: Apache-2.0
import Base
import CZlib
import SystemKit

/// A zip archive (PKWARE's APPNOTE 6.3.9) that grows in memory; the same bytes for the same entries and
/// library. For the archives of task results and the support bundle, the file that `studyd support` writes for
/// the study team.
///
/// An entry is written piece by piece, and only its compressed bytes are in memory. All of it has to be below
/// 4 GB, since no Zip64 is written.
package struct ZipArchive {
    private static let piece = 65_536
    private var body: [UInt8] = []
    /// The central directory, which `finish` puts after `body`.
    private var directory: [UInt8] = []
    private var count: UInt16 = 0
    /// In MS-DOS format: steps of two seconds, and years from 1980.
    private let time: UInt16
    private let date: UInt16

    /// An empty archive; all its files get `local` as their time.
    package init(at local: LocalDateTime) {
        let day = local.date.components
        let year = min(max(day.year - 1_980, 0), 127)
        date = UInt16(year << 9 | day.month << 5 | day.day)
        time = UInt16(local.time.hour << 11 | local.time.minute << 5 | local.time.second / 2)
    }

    /// Bytes so far, without the directory.
    package var size: Int { body.count }

    /// Adds a file; names are ASCII. `isDeflated` false leaves it as it is, which is right for what
    /// is packed already.
    package mutating func add(_ name: String, _ bytes: [UInt8], isDeflated: Bool = true) throws(FileError) {
        try add(name, isDeflated: isDeflated) { output throws(FileError) in
            var place = 0
            while place < bytes.count {
                let end = min(place + Self.piece, bytes.count)
                output.bytes(bytes[place..<end])
                try output.drain()
                place = end
            }
        }
    }

    /// Adds what `write` gives; an entry that fails leaves nothing.
    package mutating func add(
        _ name: String, isDeflated: Bool = true, _ write: (ExportOutput) throws(FileError) -> Void
    ) throws(FileError) {
        let start = body.count
        let nameBytes = Array(name.utf8)
        // The sizes are filled in when they are known.
        body += [UInt8](repeating: 0, count: 30) + nameBytes
        let begin = body.count
        let entry = Entry(isDeflated, after: body)
        // Only one owner at a time, or every piece would copy all.
        body = []
        do {
            try entry.begin()
            let output = ExportOutput(name: name) { bytes throws(FileError) in
                try entry.add(bytes, ends: false)
            }
            try write(output)
            try output.finish()
            try entry.add([], ends: true)
            body = entry.takeBody()
        } catch {
            body = entry.takeBody()
            body.removeSubrange(start...)
            throw error
        }
        let size = UInt32(truncatingIfNeeded: body.count - begin)
        // Version 2.0, names in UTF-8, method, time, date, CRC-32, sizes, lengths of the name and of no extra field:
        // the local header and the directory have them alike (APPNOTE 4.3.7 and 4.3.12).
        let common =
            Self.two(20) + Self.two(0x0800) + Self.two(isDeflated ? 8 : 0) + Self.two(time) + Self.two(date)
            + Self.four(entry.checksum) + Self.four(size) + Self.four(UInt32(truncatingIfNeeded: entry.taken))
            + Self.two(UInt16(nameBytes.count)) + Self.two(0)
        body.replaceSubrange(start..<start + 30, with: Self.four(0x0403_4B50) + common)
        // In the directory no comment, disk 0, no attributes, and where the local header begins.
        directory += Self.four(0x0201_4B50) + Self.two(20) + common + Self.two(0) + Self.two(0) + Self.two(0)
        directory += Self.four(0) + Self.four(UInt32(truncatingIfNeeded: start)) + nameBytes
        count += 1
    }

    /// Ends the archive and gives all of it; nothing more can be added.
    package consuming func finish() -> [UInt8] {
        let place = UInt32(truncatingIfNeeded: body.count)
        body += directory
        // The end record (APPNOTE 4.3.16): disk 0 twice, entries twice, size and place of the directory, no comment.
        body += Self.four(0x0605_4B50) + Self.two(0) + Self.two(0) + Self.two(count) + Self.two(count)
        body += Self.four(UInt32(directory.count)) + Self.four(place) + Self.two(0)
        return body
    }

    private static func two(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    private static func four(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    /// One entry on its way through zlib, and meanwhile the owner of the archive's body.
    private final class Entry {
        private(set) var checksum: UInt32 = 0
        /// Bytes so far, before packing.
        private(set) var taken = 0
        private let isDeflated: Bool
        private var body: [UInt8]
        private var stream = z_stream()
        private var isBegun = false

        init(_ isDeflated: Bool, after body: consuming [UInt8]) {
            self.isDeflated = isDeflated
            self.body = body
        }

        deinit { if isBegun { deflateEnd(&stream) } }

        func begin() throws(FileError) {
            guard isDeflated else { return }
            // Level 1: a third larger than 6, and four times as quick on small boards.
            guard studyd_deflate_begin(&stream, 1) == Z_OK else {
                throw .library(name: "zlib", problem: "cannot begin: out of memory")
            }
            isBegun = true
        }

        func takeBody() -> [UInt8] {
            defer { body = [] }
            return body
        }

        func add(_ bytes: [UInt8], ends: Bool) throws(FileError) {
            taken += bytes.count
            checksum = bytes.withUnsafeBufferPointer {
                UInt32(truncatingIfNeeded: crc32(uLong(checksum), $0.baseAddress, uInt($0.count)))
            }
            var input = bytes
            body +=
                isDeflated
                ? try GzipFile.step(&stream, &input, flush: ends ? Z_FINISH : Z_NO_FLUSH, deflate).bytes : bytes
        }
    }
}
