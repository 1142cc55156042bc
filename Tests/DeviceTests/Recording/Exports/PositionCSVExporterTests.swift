// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct PositionCSVExporterTests {
    private static func lines(_ log: [UInt8], named name: String = "walk.nmea") throws -> [String] {
        let bench = Workbench()
        try bench.write("walk.nmea", log)
        let note = RecordingDescription(fileName: name, contentType: "text/plain", countedUnit: .bytes)
        let file = try RecordedFile(bench.path + "/walk.nmea", named: name, described: note)
        return try bench.lines("walk.csv") { try PositionCSVExporter.export([file], window: .all, to: $0) { _ in } }
            .map { String($0) }
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// A line break in a name would begin a row.
    @Test(arguments: [("walk.nmea", "walk.nmea"), ("a\nb.nmea", "a b.nmea")])
    func aFileSaysOfWhatItIsAndWhatItsColumnsAre(name: String, told: String) throws {
        let lines = try Self.lines(NMEAWalk.log([0, 1]), named: name)
        #expect(lines.first == "#export of \(told)")
        let heads = lines.filter { $0.hasPrefix("time,") }
        #expect(heads == ["time,uptime,mode,latitude,longitude,altitude_msl,speed,track,hdop,satellites"])
        let units = Self.cells(try #require(lines.first { $0.hasPrefix("#units ") }))
        #expect(units.count == 8 && lines.filter { $0.first?.isNumber == true }.count == 2)
    }

    /// NMEA 0183: 5230.1000,N is 52° 30.1', 3.6 knots are 1.852 m/s; the height is GGA's.
    @Test(arguments: [2, 3]) func aRowIsAFix(mode: Int) throws {
        let lines = try Self.lines(NMEAWalk.log([0], mode: mode))
        let cells = Self.cells(try #require(lines.last))
        try #require(cells.count == 10, "\(cells)")
        #expect(cells[0] == "2026-11-21T09:00:00.000Z" && cells[1].isEmpty && cells[2] == "\(mode)")
        let wanted = [52 + 30.1 / 60, 13 + 24.5 / 60, 35.5, 1.852, 0, 1.2, 8]
        for (cell, value) in zip(cells[3...], wanted) {
            #expect(abs((Double(cell) ?? .infinity) - value) < 1e-7, "\(cells)")
        }
    }

    @Test func withoutAPositionThereIsNone() throws {
        let void = NMEAWalk.sentence("GPRMC,090001.00,V,,,,,,,211126,,,N")
        let lines = try Self.lines(NMEAWalk.log([0]) + void + NMEAWalk.log([2]))
        let rows = lines.filter { !$0.hasPrefix("#") && !$0.hasPrefix("time,") }.map(Self.cells)
        try #require(rows.count == 3 && rows.allSatisfy { $0.count == 10 }, "\(rows)")
        #expect(rows.map { row in row[3...8].allSatisfy(\.isEmpty) } == [false, true, false], "\(rows)")
    }
}
