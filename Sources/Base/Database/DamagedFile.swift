// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// The pages of a database file that SQLite can no longer read, with those of its write-ahead log, one at a
/// time: `Salvage` takes the rows out of it for a new store.
///
/// The layout is that of https://sqlite.org/fileformat2.html. Nothing of the file's own header is
/// believed, since it may be what is damaged: the page size is the one by which pages look like
/// pages. Reads only; blocks on the disk. A page that the disk refuses counts as lost.
///
/// Not to be used while the same process has the database open: closing a second descriptor would
/// give up SQLite's locks.
package final class DamagedFile {
    /// A page as one of the two files has it.
    package struct Image {
        /// From 1, as the file counts.
        package let number: UInt32
        /// As long as the page size, or shorter at the end of a file that was cut.
        package let bytes: [UInt8]
        /// True for the newest certain image of a page in use, and for committed images after it that are not
        /// certain.
        package let isCurrent: Bool
        /// False at the end of a write-ahead log without its last commit: what it holds may never
        /// have been confirmed.
        package let isCommitted: Bool
    }

    /// In bytes.
    package let pageSize: Int
    private let file: CInt
    private let writeAhead: CInt
    private let frames: WriteAheadFrames
    private let pageCount: Int
    private var free: Set<UInt32> = []

    /// What SQLite makes since 3.12, and so every file of ours.
    static let usualPageSize = 4096
    /// How many pages are looked at to judge a page size.
    private static let sampled = 64

    /// Opens what there is at `path` and beside it; nil where neither is a file that can be read.
    package init?(_ path: String) {
        file = Self.openRegular(path)
        writeAhead = Self.openRegular(path + "-wal")
        guard file >= 0 || writeAhead >= 0 else { return nil }
        let size = Self.size(file)
        let main = file
        // Our own page size, then those that the two headers state: the first by which any page looks like one.
        let stated = [Self.pageSize(main), WriteAheadHeader(writeAhead)?.pageSize].compactMap(\.self)
        pageSize =
            ([Self.usualPageSize] + stated).first { Self.treePages(main, $0) > 0 } ?? stated.last ?? Self.usualPageSize
        frames = WriteAheadFrames(writeAhead, pageSize: pageSize)
        pageCount = (size + pageSize - 1) / pageSize
        free = freePages()
    }

    deinit { for descriptor in [file, writeAhead] where descriptor >= 0 { close(descriptor) } }

    /// Every image of every page: the file's own, then those of the write-ahead log in its order.
    package func forEachImage(_ body: (Image) throws -> Void) rethrows {
        for number in 1..<UInt32(pageCount + 1) where pageCount > 0 {
            guard let bytes = mainImage(number) else { continue }
            try body(
                Image(
                    number: number, bytes: bytes, isCurrent: frames.newest[number] == nil && !free.contains(number),
                    isCommitted: true))
        }
        for frame in frames.all {
            let isCurrent = frames.isCurrent(frame) && !free.contains(frame.page)
            for bytes in variants(of: frame) {
                try body(Image(number: frame.page, bytes: bytes, isCurrent: isCurrent, isCommitted: frame.isCommitted))
            }
        }
    }

    /// A page's newest image among those that are certain; nil where it cannot be read.
    func newest(_ number: UInt32) -> [UInt8]? {
        guard let frame = frames.newest[number] else { return mainImage(number) }
        return variants(of: frame).first
    }

    /// What the newest image of a page may be where the log's checksums do not tell; empty
    /// where it is certain.
    func doubtful(_ number: UInt32) -> [[UInt8]] { frames.doubtful[number].map(variants) ?? [] }

    /// What the frame may have held (`WriteAheadFrame.variants`): one image where it is certain, as all of
    /// `frames.newest` are.
    private func variants(of frame: WriteAheadFrame) -> [[UInt8]] {
        Self.read(writeAhead, at: frame.offset, pageSize).map(frame.variants) ?? []
    }

    /// The most bytes a row of this file can have.
    var mostBytes: Int { (pageCount + frames.all.count) * pageSize }

    /// The page as the database file itself has it.
    private func mainImage(_ number: UInt32) -> [UInt8]? {
        guard number > 0, Int(number) <= pageCount else { return nil }
        return Self.read(file, at: (Int64(number) - 1) * Int64(pageSize), pageSize)
    }

    /// The freelist (§1.5): trunk pages, each with the number of the next, a count, and that many
    /// numbers of leaves. They may hold what was deleted.
    private func freePages() -> Set<UInt32> {
        var found: Set<UInt32> = []
        guard let head = newest(1), head.count >= 100, var trunk = head.bigEndian32(32) else { return [] }
        while let page = newest(trunk), found.insert(trunk).inserted, let count = page.bigEndian32(4) {
            for index in 0..<min(Int(count), pageSize / 4 - 2) {
                if let leaf = page.bigEndian32(8 + 4 * index) { found.insert(leaf) }
            }
            trunk = page.bigEndian32(0) ?? 0
        }
        return found
    }

    /// How many of the first pages, if `size` is the page size, begin like a page of a b-tree (§1.6)
    /// with its content inside.
    private static func treePages(_ file: CInt, _ size: Int) -> Int {
        (0..<sampled).count { index in
            guard let page = read(file, at: Int64(index * size), size), page.count == size else { return false }
            let base = index == 0 ? 100 : 0
            // The types of interior and leaf pages of indices (2, 10) and tables (5, 13).
            guard [2, 5, 10, 13].contains(page[base]) else { return false }
            let (cells, content) = (page.bigEndian16(base + 3) ?? 0, page.bigEndian16(base + 5) ?? 0)
            return cells > 0 && base + 8 + 2 * cells <= content && content < size
        }
    }

    /// As the header says (§1.3); 1 means 65 536.
    private static func pageSize(_ file: CInt) -> Int? {
        guard let stated = read(file, at: 16, 2)?.bigEndian16(0) else { return nil }
        let size = stated == 1 ? 65_536 : stated
        return (512...65_536).contains(size) && size & (size - 1) == 0 ? size : nil
    }

    /// A descriptor that the caller closes; -1 where there is none, or it is a folder, a device or a pipe.
    static func openRegular(_ path: String) -> CInt {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            return -1
        }
        return descriptor
    }

    static func size(_ file: CInt) -> Int {
        var status = stat()
        return file >= 0 && fstat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Up to `count` bytes; nil at the end and where the disk refuses.
    static func read(_ file: CInt, at offset: Int64, _ count: Int) -> [UInt8]? {
        guard file >= 0 else { return nil }
        let bytes = File.read(file, count, at: offset).bytes
        return bytes.isEmpty ? nil : bytes
    }
}

extension [UInt8] {
    /// Two bytes, the greater first; nil beyond the end.
    func bigEndian16(_ offset: Int) -> Int? {
        guard offset >= 0, offset + 2 <= count else { return nil }
        return Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    /// Four bytes, the greatest first; nil beyond the end.
    func bigEndian32(_ offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= count else { return nil }
        return (0..<4).reduce(0) { $0 << 8 | UInt32(self[offset + $1]) }
    }

    /// A varint (§1.6): one to nine bytes, seven bits each but for the ninth; nil beyond the end.
    func varint(_ place: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < count else { return nil }
            let byte = self[place]
            place += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
