// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Database

/// Write-ahead logs that SQLite itself wrote, damaged by
/// https://sqlite.org/fileformat2.html#the_write_ahead_log: a head of 32 bytes, then frames of 24
/// bytes (page, size after a commit, two salts, two sums over everything before) and a page each.
@Suite struct WriteAheadFramesTests {
    private static let pageSize = 512
    private static let frame = 24 + pageSize

    /// What an image is known by.
    private struct Image: Hashable {
        let number: UInt32
        let bytes: [UInt8]
        let isCurrent: Bool
    }

    /// A database of which nearly all is in the write-ahead log.
    private struct Sample {
        let path: String
        let database: Data
        let log: Data

        /// `edit` writes what is to be in the log.
        init(_ edit: (Connection) throws -> Void = write) throws {
            let live = NSTemporaryDirectory() + "frames-\(UUID())"
            let connection = try Connection(.file(live + "-live"))
            try connection.execute("PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM; PRAGMA journal_mode=WAL")
            try edit(connection)
            database = try Data(contentsOf: URL(fileURLWithPath: live + "-live"))
            log = try Data(contentsOf: URL(fileURLWithPath: live + "-live-wal"))
            path = live
            for ending in ["", "-wal", "-shm"] { unlink(live + "-live" + ending) }
            try database.write(to: URL(fileURLWithPath: path))
            try put(log)
        }

        static func write(_ connection: Connection) throws {
            try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, words TEXT) STRICT")
            for number in 0..<10 {
                let words = String(repeating: "row \(number) ", count: number == 5 ? 200 : 10)
                try connection.run("INSERT INTO t VALUES (?, ?)", number, words)
            }
        }

        /// SQLite began the log again at its start, with other salts: behind the new frames are those of the
        /// round before.
        static func restarted() throws -> Sample {
            try Sample { connection in
                try Sample.write(connection)
                _ = try connection.first("PRAGMA wal_checkpoint(RESTART)") { try $0.int(0) }
                try connection.run("UPDATE t SET words = 'changed' WHERE id = 3")
            }
        }

        func put(_ log: Data) throws { try log.write(to: URL(fileURLWithPath: path + "-wal")) }
        func remove() { for ending in ["", "-wal", "-shm"] { unlink(path + ending) } }
        var frames: Int { (log.count - 32) / WriteAheadFramesTests.frame }

        func images() throws -> [Image] {
            var images: [Image] = []
            try #require(DamagedFile(path)).forEachImage {
                images.append(Image(number: $0.number, bytes: $0.bytes, isCurrent: $0.isCurrent))
            }
            return images
        }
    }

    @Test func aWholeLogEndsNowhere() throws {
        let sample = try Sample()
        defer { sample.remove() }
        #expect(sample.frames > 15)
        #expect(WriteAheadStop(ofDatabase: sample.path) == nil)
        #expect(WriteAheadStop(ofDatabase: sample.path + "-none") == nil)
    }

    /// What SQLite itself brings into the database file: of each page the newest image.
    @Test func theNewestImageOfEachPageIsTheCurrentOne() throws {
        let sample = try Sample()
        defer { sample.remove() }
        let current = try sample.images().filter(\.isCurrent)
        do { _ = try Connection(.file(sample.path)).first("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.int(0) } }
        let whole = try Array(Data(contentsOf: URL(fileURLWithPath: sample.path)))
        #expect(current.map(\.number).sorted() == (1...UInt32(whole.count / Self.pageSize)).map(\.self))
        for image in current {
            let start = (Int(image.number) - 1) * Self.pageSize
            #expect(image.bytes == Array(whole[start..<(start + Self.pageSize)]), "page \(image.number)")
        }
    }

    /// In each frame: page, size after the commit, salts, sums, and the page. Which of several
    /// words lost one of its upper bits the sums do not tell:
    /// there the image that was written is among those that are given.
    @Test func oneFlippedBitAnywhereInAFrameIsPutRight() throws {
        let sample = try Sample()
        defer { sample.remove() }
        let whole = try sample.images()
        for number in 1...sample.frames {
            for (place, bit) in [
                (0, 7), (3, 0), (4, 5), (7, 1), (8, 7), (15, 0), (16, 7), (20, 7), (23, 3), (24, 0), (27, 7), (300, 4),
                (303, 6),
                (532, 1), (535, 7),
            ] {
                var log = sample.log
                log[32 + (number - 1) * Self.frame + place] ^= 1 << UInt8(bit)
                try sample.put(log)
                let stop = WriteAheadStop(ofDatabase: sample.path)
                #expect(
                    stop?.frame == number && stop?.isOneBit == true,
                    "frame \(number), byte \(place): \(String(describing: stop))")
                let images = try sample.images()
                let isCertain = images.count == whole.count
                #expect(
                    isCertain ? images == whole : Set(whole.map(\.bytes)).isSubset(of: images.map(\.bytes)),
                    "frame \(number), byte \(place)")
                // Low bits are always certain.
                if [3, 7, 15, 300].contains(place) || (place, bit) == (24, 0) {
                    #expect(isCertain, "frame \(number), byte \(place)")
                }
            }
        }
    }

    @Test func oneFlippedBitAnywhereInTheHeadIsPutRight() throws {
        let sample = try Sample()
        defer { sample.remove() }
        let whole = try sample.images()
        for bit in 0..<256 {
            var log = sample.log
            log[bit / 8] ^= 1 << UInt8(bit % 8)
            try sample.put(log)
            let stop = WriteAheadStop(ofDatabase: sample.path)
            #expect(stop?.frame == 0 && stop?.isOneBit == true, "bit \(bit)")
            #expect(try sample.images() == whole, "bit \(bit)")
        }
    }

    /// What is wrong with one frame costs no other: two bits, zeros, and another's
    /// words in its head.
    @Test(arguments: ["two bits", "zeros", "noise"]) func theFramesBehindADestroyedOneAreRead(kind: String) throws {
        let sample = try Sample()
        defer { sample.remove() }
        let whole = try sample.images()
        for number in 1...sample.frames {
            var log = sample.log
            let start = 32 + (number - 1) * Self.frame
            switch kind {
            case "two bits": (log[start + 30], log[start + 400]) = (log[start + 30] ^ 1, log[start + 400] ^ 64)
            case "zeros": log.replaceSubrange(start..<(start + Self.frame), with: Data(count: Self.frame))
            default:
                for place in 0..<Self.frame { log[start + place] = UInt8(truncatingIfNeeded: place &* 167 &+ number) }
            }
            try sample.put(log)
            let stop = WriteAheadStop(ofDatabase: sample.path)
            // Of the last transaction nothing is left where it was one frame.
            if number < sample.frames { #expect(stop?.frame == number && stop?.isOneBit == false, "frame \(number)") }
            let found = Set(try sample.images().map(\.bytes))
            let others = whole.enumerated().filter { $0.offset != whole.count - sample.frames + number - 1 }
            #expect(others.allSatisfy { found.contains($0.element.bytes) }, "frame \(number)")
        }
    }

    /// A frame's head has the salts in bytes 8 to 15 and the sums in 16 to 23. Two wrong bits, wherever they are, are
    /// not called one, and cost no other frame.
    @Test(
        arguments: [
            [(8, 0), (9, 0)], [(8, 0), (15, 7)], [(8, 0), (19, 0)], [(19, 0), (16, 7)], [(15, 3), (303, 6)],
        ] as [[(Int, Int)]])
    func twoFlippedBitsOfAFramesHeadAreNotCalledOne(bits: [(Int, Int)]) throws {
        let sample = try Sample()
        defer { sample.remove() }
        let whole = try sample.images()
        for number in 1..<sample.frames {
            var log = sample.log
            for (place, bit) in bits { log[32 + (number - 1) * Self.frame + place] ^= 1 << UInt8(bit) }
            try sample.put(log)
            let stop = WriteAheadStop(ofDatabase: sample.path)
            #expect(stop?.frame == number && stop?.isOneBit == false, "frame \(number): \(String(describing: stop))")
            let found = Set(try sample.images().map(\.bytes))
            let others = whole.enumerated().filter { $0.offset != whole.count - sample.frames + number - 1 }
            #expect(others.allSatisfy { found.contains($0.element.bytes) }, "frame \(number)")
        }
    }

    /// Bytes 24 to 31 of the log's head are its sums.
    @Test func aDestroyedHeadOfTheLogCostsNoFrame() throws {
        let sample = try Sample()
        defer { sample.remove() }
        let whole = try sample.images()
        var log = sample.log
        (log[24], log[27]) = (log[24] ^ 0x80, log[27] ^ 1)
        try sample.put(log)
        let stop = try #require(WriteAheadStop(ofDatabase: sample.path))
        #expect(stop.frame == 0 && !stop.isOneBit)
        #expect(Set(try sample.images().map(\.bytes)).isSuperset(of: whole.map(\.bytes)))
    }

    /// The sums of the first frame go on from those of the head: without it the page that it replaces may be the newest.
    @Test func withoutTheHeadTheFirstFrameIsNotCertain() throws {
        let sample = try Sample.restarted()
        defer { sample.remove() }
        let number = UInt32(sample.log[35])
        func current() throws -> [UInt32] { try sample.images().filter(\.isCurrent).map(\.number).sorted() }
        let pages = (1...UInt32(sample.database.count / Self.pageSize)).map(\.self)
        #expect(try current() == pages)
        var log = sample.log
        (log[24], log[27]) = (log[24] ^ 0x80, log[27] ^ 1)
        try sample.put(log)
        #expect(try current() == (pages + [number]).sorted())
    }

    /// Two pages of a row that flows over have a wrong bit each, and the sums do not tell in which of several words,
    /// more of them in one page than in the other.
    @Test(arguments: [(27, 27), (27, 31), (31, 27), (27, 35), (35, 27), (31, 35)])
    func twoDoubtfulPagesOfARowCostNoOtherRow(one: Int, other: Int) throws {
        func words(_ number: Int64) -> String { String(repeating: "row \(number) ", count: number == 5 ? 300 : 10) }
        let sample = try Sample { connection in
            try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, words TEXT) STRICT")
            for number in Int64(0)..<10 { try connection.run("INSERT INTO t VALUES (?, ?)", number, words(number)) }
        }
        defer { sample.remove() }
        let starts = (0..<sample.frames).map { 32 + $0 * Self.frame }
        let flown = starts.filter { start in
            // An overflow page begins with the number of the next.
            let text = String(decoding: sample.log[(start + 124)..<(start + 164)], as: UTF8.self)
            return sample.log[start + 24] == 0 && text.contains("row 5 row 5")
        }
        try #require(flown.count == 3)
        var log = sample.log
        log[flown[0] + one] ^= 0x80
        log[flown[2] + other] ^= 0x80
        try sample.put(log)
        var found: Set<Int64> = []
        try #require(DamagedFile(sample.path)).forEachRow(
            fitting: { $0.count == 2 && $0[0] == .null },
            { row in
                if row.isCurrent, row.values == [.null, .text(words(row.rowid))] { found.insert(row.rowid) }
            })
        #expect(found.isSuperset(of: [0, 1, 2, 3, 4, 6, 7, 8, 9]), "\(found.sorted())")
    }

    @Test func framesOfAnEarlierRoundAreNotRead() throws {
        let sample = try Sample.restarted()
        defer { sample.remove() }
        #expect(sample.frames > 15)
        #expect(WriteAheadStop(ofDatabase: sample.path) == nil)
        let pages = sample.database.count / Self.pageSize
        #expect(try sample.images().count - pages <= 3)
    }

    /// As a power cut leaves it: frames of a transaction that never came to its commit.
    @Test func aTransactionWithoutItsCommitIsToldApart() throws {
        let sample = try Sample { connection in
            try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, words TEXT) STRICT")
            try connection.transaction {
                for number in 0..<20 {
                    try connection.run("INSERT INTO t VALUES (?, ?)", number, String(repeating: "x", count: 300))
                }
            }
        }
        defer { sample.remove() }
        try sample.put(sample.log.dropLast(Self.frame))
        let stop = try #require(WriteAheadStop(ofDatabase: sample.path))
        #expect(!stop.isOneBit && stop.frame == sample.frames)
        var rows: [SalvagedRow] = []
        try #require(DamagedFile(sample.path)).forEachRow(fitting: { $0.count == 2 }, { rows.append($0) })
        #expect(!rows.isEmpty && rows.allSatisfy { !$0.isCommitted && !$0.isCurrent })
    }
}
