// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent

/// A day of a magnetic field at 20 Hz is 1728 steps of a thousand rows: what a step has read, the next
/// does not read again.
@Suite struct RadarReadingTests {
    private static let head = "#studyd recording=1 measure=magnetometer\n#units uT\ntime,uptime,x\n"

    /// A table of that many rows; `x` is the row's number.
    private static func table(_ rows: Int) throws -> (tree: SysfsTree, path: String) {
        let tree = try SysfsTree()
        tree["000001-magnetometer.csv"] = head + (0..<rows).map { "2026-03-02T10:00:00Z,\($0).0,\($0)\n" }.joined()
        return (tree, tree.path + "/000001-magnetometer.csv")
    }

    private static func numbers(_ rows: RadarRecords.Rows) throws -> [Double] {
        try rows.records.map { try #require(try JSONNode(Array($0.text.utf8))["x"]?.value.double) }
    }

    @Test func eachRowIsReadOnce() throws {
        let (tree, path) = try Self.table(20_000)
        let reading = RadarReading()
        var read: [Double] = []
        for step in 0..<20 {
            let rows = try reading.rows(ofFile: path, after: step * 1000, most: 1000)
            #expect(rows.count == 1000 && !rows.isAtEnd)
            read += try Self.numbers(rows)
            // Whoever begins again finds no table.
            let file = open(path, O_WRONLY)
            defer { close(file) }
            #expect(pwrite(file, [UInt8](repeating: 0x23, count: 64), 64, 0) == 64)
        }
        #expect(read == (0..<20_000).map(Double.init))
        #expect(try reading.rows(ofFile: path, after: 20_000, most: 1000).isAtEnd)
        reading.close()
        #expect(throws: FileError.self) { try reading.rows(ofFile: path, after: 0, most: 1) }
        _ = tree
    }

    /// After a stop in the middle, a restart, or with another file in between.
    @Test(arguments: [[0, 250, 1_000, 999, 2_999], [2_999, 0], [3_000, 1_500, 1_500]])
    func itBeginsAgainWhereItDoesNotStand(_ places: [Int]) throws {
        let (tree, path) = try Self.table(3_000)
        let (other, otherPath) = try Self.table(10)
        let reading = RadarReading()
        for place in places {
            #expect(
                try Self.numbers(reading.rows(ofFile: path, after: place, most: 2))
                    == (place..<min(place + 2, 3_000)).map(Double.init))
            #expect(try reading.rows(ofFile: otherPath, after: 9, most: 2).records.count == 1)
        }
        _ = (tree, other)
    }
}
