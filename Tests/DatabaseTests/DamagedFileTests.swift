// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Database

/// Files that SQLite itself wrote, read page by page: every row comes once and whole, and what SQLite
/// counts as free is not taken for current.
@Suite struct DamagedFileTests {
    /// A table of texts in one file, without a write-ahead log.
    private final class Sample {
        let path = NSTemporaryDirectory() + "damaged-\(UUID())"
        let connection: Connection

        init(pageSize: Int, lengths: [Int]) throws {
            connection = try Connection(.file(path))
            try connection.execute(
                "PRAGMA journal_mode=DELETE; PRAGMA page_size=\(pageSize); VACUUM; "
                    + "CREATE TABLE t (id INTEGER PRIMARY KEY, words TEXT) STRICT")
            try connection.transaction {
                for length in lengths {
                    try connection.run("INSERT INTO t VALUES (?, ?)", length, Self.words(length))
                }
            }
        }
        deinit { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }

        static func words(_ length: Int) -> String {
            String(String(repeating: "\(length) ", count: length / 2 + 1).prefix(length))
        }

        func rows() throws -> [SalvagedRow] {
            var rows: [SalvagedRow] = []
            func fits(_ kinds: [StoredKind]) -> Bool {
                guard kinds.count == 2, kinds[0] == .null, case .text = kinds[1] else { return false }
                return true
            }
            try #require(DamagedFile(path)).forEachRow(fitting: fits) { rows.append($0) }
            return rows
        }
    }

    /// How much of a row is on its own page follows from its length (https://sqlite.org/fileformat2.html, §1.6);
    /// a page size of 65 536 is written as 1 (§1.3).
    @Test(arguments: [
        (4096, Array(4040...4080) + Array(4500...4620) + Array(8145...8155) + [8_170, 8_171, 20_000]),
        (65_536, [100, 20_000, 65_600, 70_000, 131_072]),
    ]) func everyRowComesOnceHoweverFarItFlowsOver(pageSize: Int, lengths: [Int]) throws {
        let sample = try Sample(pageSize: pageSize, lengths: lengths)
        #expect(try #require(DamagedFile(sample.path)).pageSize == pageSize)
        let rows = try sample.rows().sorted { $0.rowid < $1.rowid }
        #expect(rows.map(\.rowid) == lengths.map(Int64.init))
        let isWhole = rows.allSatisfy { $0.values == [.null, .text(Sample.words(Int($0.rowid)))] && $0.isCurrent }
        #expect(isWhole)
    }

    /// The file's head (§1.3) has the page size in bytes 16 and 17 and may be what is damaged, as may the head of the
    /// tree behind it: one page that is whole tells the size.
    @Test(
        arguments: [
            [16: 2, 17: 0], [16: 0, 17: 0], [16: 0, 17: 1], [16: 0xFF, 17: 0xFF], [16: 2, 17: 0, 100: 0],
            [16: 0x80, 17: 0, 100: 0],
        ] as [[Int: UInt8]])
    func thePageSizeIsThatOfThePages(damage: [Int: UInt8]) throws {
        let sample = try Sample(pageSize: 4096, lengths: [100, 200])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: sample.path))
        for (place, byte) in damage { bytes[place] = byte }
        let damaged = sample.path + "-damaged"
        defer { unlink(damaged) }
        try bytes.write(to: URL(fileURLWithPath: damaged))
        let file = try #require(DamagedFile(damaged))
        #expect(file.pageSize == 4096)
        var found: [Int64] = []
        file.forEachRow(
            fitting: { $0 == [.null, .text(100)] || $0 == [.null, .text(200)] }, { found.append($0.rowid) })
        #expect(found == [100, 200])
    }

    /// §1.6: a page of a tree has its kind in byte 0, the number of its cells in 3 and 4 and where their content
    /// begins in 5 and 6; two bytes for each cell follow on the head of 8, or of 12 where it leads to others. The
    /// file's own head says 512.
    @Test(
        arguments: [
            (13, 1, 10, 4096), (13, 1, 9, 512), (13, 2, 12, 4096), (13, 2, 11, 512), (13, 0, 8, 512),
            (13, 1, 4095, 4096), (13, 1, 4096, 512), (10, 1, 10, 4096), (5, 1, 14, 4096), (2, 1, 14, 4096),
            (3, 1, 14, 512), (0, 1, 14, 512),
        ] as [(UInt8, UInt8, Int, Int)])
    func aPageOfATreeHoldsItsCellsBehindTheirList(kind: UInt8, cells: UInt8, content: Int, pageSize: Int) throws {
        var bytes = [UInt8](repeating: 0, count: 2 * 4096)
        bytes[16] = 2
        bytes.replaceSubrange(4096..<4103, with: [kind, 0, 0, 0, cells, UInt8(content >> 8), UInt8(content & 0xFF)])
        let path = NSTemporaryDirectory() + "damaged-\(UUID())"
        defer { unlink(path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try #require(DamagedFile(path)).pageSize == pageSize)
    }

    /// A folder and a device are none, and reading of some devices would never end.
    @Test(arguments: ["/tmp", "/dev/null", "/dev/zero", "/nowhere/at/all", ""])
    func onlyAFileIsRead(_ path: String) { #expect(DamagedFile(path) == nil) }

    @Test func whatIsReadEndsWithTheFile() throws {
        let path = NSTemporaryDirectory() + "damaged-\(UUID())"
        defer { unlink(path) }
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let file = DamagedFile.openRegular(path)
        defer { close(file) }
        #expect(DamagedFile.size(file) == 3 && DamagedFile.size(-1) == 0)
        for (offset, count, bytes) in [
            (0, 2, [1, 2]), (0, 3, [1, 2, 3]), (0, 4, [1, 2, 3]), (1, 1, [2]), (2, 1, [3]), (2, 4, [3]), (3, 1, nil),
            (4, 1, nil), (0, 0, nil),
        ] as [(Int64, Int, [UInt8]?)] {
            #expect(DamagedFile.read(file, at: offset, count) == bytes, "\(count) at \(offset)")
        }
        #expect(DamagedFile.read(-1, at: 0, 1) == nil)
        let bytes: [UInt8] = [0x80, 1, 2, 3, 0xFF]
        #expect([-1, 0, 1, 2].map(bytes.bigEndian32) == [nil, 0x8001_0203, 0x0102_03FF, nil])
        #expect([-1, 0, 3, 4].map(bytes.bigEndian16) == [nil, 0x8001, 0x03FF, nil])
    }

    /// §1.6, "Varint": big-endian, seven bits in each of eight bytes with the high bit as a sign that another follows,
    /// and all eight of a ninth.
    @Test(
        arguments: [
            ([0], 0), ([0x7F], 127), ([0x81, 0], 128), ([0xFF, 0x7F], 16_383), ([0x81, 0x80, 0], 16_384),
            ([0x80, 1], 1),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 72_057_594_037_927_935),
            ([0x80, 0xC0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0], 72_057_594_037_927_936),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80], 128),
            ([0xBF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .max),
            ([0xC0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0], .min),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], -1), ([], nil), ([0x80], nil),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], nil),
        ] as [([UInt8], Int64?)])
    func aNumberHasAsManyBytesAsItNeeds(bytes: [UInt8], number: Int64?) {
        // One byte lies before it, and what lies behind it is no part of it.
        let following: [UInt8] = number == nil ? [] : [0xFF]
        var place = 1
        let found = ([0x81] + bytes + following).varint(&place)
        #expect(found == number && place == 1 + bytes.count)
    }

    /// §2.1: whole numbers take 0, 1, 2, 3, 4, 6 or 8 bytes, and SQLite chooses the fewest.
    @Test func valuesOfEveryLengthComeBack() throws {
        var numbers: [Int64] = [0, 1, -1, 2, .max, .min]
        for bits in [8, 16, 24, 32, 48] {
            let end = Int64(1) << Int64(bits - 1)
            numbers += [end - 1, end, -end, -end - 1]
        }
        let others: [DatabaseValue] = [
            .real(0.5), .real(-.infinity), .null, .blob([]), .blob([7]), .text(""), .text("a"), .text("ä"),
        ]
        let values = numbers.map { DatabaseValue.integer($0) } + others
        let path = NSTemporaryDirectory() + "damaged-\(UUID())"
        defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
        let connection = try Connection(.file(path))
        try connection.execute("PRAGMA journal_mode=DELETE; CREATE TABLE t (id INTEGER PRIMARY KEY, x ANY) STRICT")
        for (place, value) in values.enumerated() { try connection.run("INSERT INTO t VALUES (?, ?)", place, value) }
        var rows: [SalvagedRow] = []
        try #require(DamagedFile(path)).forEachRow(
            fitting: { $0.count == 2 && $0[0] == .null }, { rows.append($0) })
        let found = rows.sorted { $0.rowid < $1.rowid }
        #expect(found.map(\.rowid) == values.indices.map(Int64.init))
        for (row, value) in zip(found, values) { #expect(row.values == [.null, value]) }
    }

    /// §1.6: an interior page of an index (2) or of a table (5) has its last child in bytes 8 to 11, and each of its
    /// cells begins with another. What would be a row within it is none: a length of 2, rowid 5, and the integer 0.
    /// A page with a child that is none of the file's four is searched.
    @Test(
        arguments: [
            (2, 4, 3, 0), (5, 3, 4, 0), (5, 5, 3, 1), (2, 0, 3, 1), (2, 3, 5, 1), (5, 3, 0, 1), (10, 3, 4, 1),
            (0, 3, 4, 1),
        ] as [(UInt8, UInt8, UInt8, Int)])
    func aPageThatOnlyLeadsToOthersHoldsNoRow(kind: UInt8, child: UInt8, last: UInt8, rows: Int) throws {
        var bytes = [UInt8](repeating: 0, count: 4 * 512)
        bytes[16] = 2
        func put(_ new: [UInt8], at place: Int) {
            bytes.replaceSubrange(512 + place..<512 + place + new.count, with: new)
        }
        put([kind, 0, 0, 0, 2, 1, 0x90, 0, 0, 0, 0, last, 1, 0x90, 1, 0xA4], at: 0)
        put([0, 0, 0, 2, 5, 2, 8], at: 0x190)
        put([0, 0, 0, child, 5, 2, 8], at: 0x1A4)
        let found = try Self.rows(in: bytes, of: .integer)
        #expect(found.count == rows && found.allSatisfy { $0.rowid == 5 && $0.values == [.integer(0)] })
    }

    /// What is found in a file of those bytes, in pages of 512, of a table of one column.
    private static func rows(in bytes: [UInt8], of column: StoredKind) throws -> [SalvagedRow] {
        let path = NSTemporaryDirectory() + "damaged-\(UUID())"
        defer { unlink(path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try #require(DamagedFile(path))
        #expect(file.pageSize == 512)
        var found: [SalvagedRow] = []
        file.forEachRow(fitting: { $0 == [column] }, { found.append($0) })
        return found
    }

    /// `PRAGMA freelist_count` is SQLite's own count of pages that hold nothing any more.
    @Test func freePagesAreNotCurrent() throws {
        let sample = try Sample(pageSize: 4096, lengths: Array(stride(from: 2000, to: 4000, by: 20)))
        try sample.connection.run("DELETE FROM t WHERE id >= ?", 3000)
        let free = try sample.connection.first("PRAGMA freelist_count") { try $0.int(0) }
        var old = 0
        try #require(DamagedFile(sample.path)).forEachImage { old += $0.isCurrent ? 0 : 1 }
        #expect(old == free.map(Int.init) && old > 10)
        let current = try sample.rows().filter(\.isCurrent).map(\.rowid)
        #expect(current.sorted() == stride(from: 2000, to: 3000, by: 20).map { Int64($0) })
    }

    /// §1.6: pages of 512 bytes hold 39 of a row of 1563, and 508 of it each of three that follow; the last leads
    /// nowhere, whatever it says. A chain that comes back to a page, or leads to none of the file's five, has no row.
    @Test(
        arguments: [
            ([4, 5, 0], 1), ([4, 5, 3], 1), ([4, 3, 0], 0), ([3, 5, 0], 0), ([4, 4, 0], 0), ([4, 0, 0], 0),
            ([0, 5, 0], 0),
            ([4, 9, 0], 0),
        ] as [([UInt8], Int)])
    func aRowThatFlowsOverIsWholeOrNone(next: [UInt8], rows: Int) throws {
        var bytes = [UInt8](repeating: 0, count: 5 * 512)
        bytes[16] = 2
        func put(_ new: [UInt8], on page: Int, at place: Int) {
            let start = 512 * (page - 1) + place
            bytes.replaceSubrange(start..<start + new.count, with: new)
        }
        // A leaf with one cell: its length, rowid 5, and a head of three bytes for a blob of 1560.
        put([13, 0, 0, 0, 1, 1, 0, 0, 1, 0], on: 2, at: 0)
        let head: [UInt8] = [0x8C, 0x1B, 5, 3, 0x98, 0x3C]
        put(head + [UInt8](repeating: 2, count: 36) + [0, 0, 0, 3], on: 2, at: 0x100)
        for (page, following) in zip(3..., next) {
            put([0, 0, 0, following] + [UInt8](repeating: UInt8(page), count: 508), on: page, at: 0)
        }
        let found = try Self.rows(in: bytes, of: .blob(1560))
        let whole = [UInt8](repeating: 2, count: 36) + (UInt8(3)...5).flatMap { [UInt8](repeating: $0, count: 508) }
        #expect(found.count == rows && found.allSatisfy { $0.rowid == 5 && $0.values == [.blob(whole)] })
    }
}
