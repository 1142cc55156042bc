// SPDX-License-Identifier: Apache-2.0
import Database
import Foundation
import Testing

@testable import Agent

/// A power cut leaves a prefix of what was written to the write-ahead log, whole or torn. From
/// every one of them the store starts, its chain holds, its projections follow from the log, and it
/// has every append that had returned before that point.
@Suite(.timeLimit(.minutes(10)))
struct PowerCutTests {
    @Test func everyPrefixOfTheWriteAheadLogIsAWorkingStore() throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let connection = try Connection(.file("\(folder)/live"))
        let log = try EventLog(connection)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint=0")
        var acknowledged: [(bytes: Int, sequence: Int64)] = []
        for (index, event) in Fixture.everything.enumerated() {
            let last = try log.append([event, .listOpened], at: Fixture.stamp(Int64(index)))
            acknowledged.append((try size("\(folder)/live-wal"), last))
        }
        let file = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/live"))
        let writeAhead = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/live-wal"))
        // A frame is 24 + 4096 bytes after a header of 32: cut at, just before and just
        // after every boundary.
        let cuts = stride(from: 32, through: writeAhead.count, by: 4120).flatMap { [$0 - 1, $0, $0 + 2000] }
        for cut in cuts where cut <= writeAhead.count {
            try check(
                file, writeAhead.prefix(cut), in: folder, atLeast: acknowledged.last { $0.bytes <= cut }?.sequence ?? 0)
        }
    }

    private func check(_ file: Data, _ writeAhead: Data, in folder: String, atLeast sequence: Int64) throws {
        let path = "\(folder)/cut"
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        try file.write(to: URL(fileURLWithPath: path))
        try writeAhead.write(to: URL(fileURLWithPath: path + "-wal"))
        let connection = try Connection(.file(path))
        let log = try EventLog(connection)
        #expect(try log.verify() == nil)
        #expect(try connection.integrityErrors().isEmpty)
        #expect(try connection.first("SELECT count(*) FROM event") { try $0.int(0) } ?? 0 >= sequence)
        let live = try dump(connection)
        try log.rebuild()
        #expect(try dump(connection) == live)
    }

    private func dump(_ connection: Connection) throws -> [String] {
        try projections.reduce(into: []) { dump, projection in
            for table in projection.tables {
                dump += try connection.rows("SELECT * FROM \(table)") { "\($0.values)" }.sorted()
            }
        }
    }

    private func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
