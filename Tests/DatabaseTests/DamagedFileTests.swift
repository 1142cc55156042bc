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
        (4096, Array(4040...4080) + Array(stride(from: 4500, through: 4620, by: 1)) + [8_170, 8_171, 20_000]),
        (65_536, [100, 20_000, 65_600, 70_000, 131_072]),
    ]) func everyRowComesOnceHoweverFarItFlowsOver(pageSize: Int, lengths: [Int]) throws {
        let sample = try Sample(pageSize: pageSize, lengths: lengths)
        #expect(try #require(DamagedFile(sample.path)).pageSize == pageSize)
        let rows = try sample.rows().sorted { $0.rowid < $1.rowid }
        #expect(rows.map(\.rowid) == lengths.map(Int64.init))
        let isWhole = rows.allSatisfy { $0.values == [.null, .text(Sample.words(Int($0.rowid)))] && $0.isCurrent }
        #expect(isWhole)
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
}
