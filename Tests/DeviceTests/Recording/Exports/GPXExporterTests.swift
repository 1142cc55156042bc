// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct GPXExporterTests {
    /// GPX 1.1: `ele` and `geoidheight` are metres, `fix` is `2d` or `3d`. A fix in two dimensions (GSA, mode 2)
    /// keeps the height of GGA, as in gpsd: some modems always say mode 2.
    @Test(arguments: [(2, 3, "2d"), (3, 3, "3d")])
    func heightsAreThoseThatTheReceiverGives(mode: Int, heights: Int, fix: String) throws {
        let bench = Workbench()
        try bench.write("walk.nmea", NMEAWalk.log([0, 1, 2], mode: mode))
        let files = [try RecordedFile(bench.path + "/walk.nmea")]
        let bytes = try bench.exported("walk.gpx") { output throws(FileError) in
            _ = try GPXExporter().export(files, ExportOptions(), to: output) { _ in }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        func count(_ part: String) -> Int { text.split(separator: part, omittingEmptySubsequences: false).count - 1 }
        #expect(count("<ele>35.50</ele>") == heights && count("<geoidheight>44.00</geoidheight>") == heights)
        #expect(count("<ele") == heights && count("<geoidheight") == heights && count("<fix>\(fix)</fix>") == 3)
    }

    @Test func theErrorOfTheClockIsThatOfTheWorstFile() throws {
        let bench = Workbench()
        let files = try [0.01, 0.5, nil].enumerated().map { place, error in
            try bench.write("\(place).nmea", NMEAWalk.log([place]))
            var note = RecordingDescription(fileName: "\(place).nmea", contentType: "text/plain", countedUnit: .bytes)
            note.clockError = error
            return try RecordedFile("\(bench.path)/\(place).nmea", named: "\(place).nmea", described: note)
        }
        let lines = try bench.lines("walk.gpx") { try GPXExporter.export(files, window: .all, to: $0) { _ in } }
        #expect(lines.contains { $0.hasSuffix("which is good to 0.500 s.</desc></metadata>") }, "\(lines.prefix(4))")
    }

    private static func fix(at time: String) -> [UInt8] {
        let place = "5230.1000,N,01324.5000,E"
        return [
            "GPRMC,\(time).00,A,\(place),3.60,0.0,211126,,,A", "GPGGA,\(time).00,\(place),1,08,1.2,35.5,M,44.0,M,,",
            "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,2.0,1.2,1.6",
        ].flatMap(NMEAWalk.sentence)
    }

    private static let void = NMEAWalk.sentence("GPRMC,090001.00,V,,,,,,,211126,,,N")
    private static let gap = NMEAWalk.sentence("PSTDY,G")

    /// A minute without a position does not end a segment, more does; so do a fix that is void, and missing bytes.
    @Test(
        arguments: [
            (fix(at: "090000") + fix(at: "090100"), 1, 2), (fix(at: "090000") + fix(at: "090101"), 2, 2),
            (fix(at: "090000") + void + fix(at: "090002"), 2, 2), (fix(at: "090000") + gap + fix(at: "090002"), 2, 2),
            (void + fix(at: "090002"), 1, 1), (void, 0, 0),
        ] as [([UInt8], Int, Int)])
    func aSegmentEndsWhereTheTrackIsBroken(bytes: [UInt8], segments: Int, points: Int) throws {
        let bench = Workbench()
        try bench.write("walk.nmea", bytes)
        let files = [try RecordedFile(bench.path + "/walk.nmea")]
        let lines = try bench.lines("walk.gpx") { try GPXExporter.export(files, window: .all, to: $0) { _ in } }
        #expect(lines.count { $0 == "<trkseg>" } == segments)
        #expect(lines.count { $0.hasPrefix("</trkseg>") } == segments)
        #expect(lines.count { $0.hasPrefix("<trkpt ") } == points && lines.last == "</gpx>")
    }

    @Test func aGapOfATrackIsALineOfItsTable() throws {
        let bench = Workbench()
        try bench.write(
            "walk.nmea", Self.fix(at: "090000") + Self.gap + Self.fix(at: "090002") + Self.fix(at: "090003"))
        let files = [try RecordedFile(bench.path + "/walk.nmea")]
        let lines = try bench.lines("walk.csv") {
            try PositionCSVExporter.export(files, window: .all, to: $0) { _ in }
        }
        #expect(
            lines.dropFirst(3).map { String($0.prefix(24)) } == [
                "2026-11-21T09:00:00.000Z", "#gap", "2026-11-21T09:00:02.000Z", "2026-11-21T09:00:03.000Z",
            ])
        #expect(lines.last == "2026-11-21T09:00:03.000Z,,3,52.50166667,13.40833333,35.50,1.852,0.00,1.20,8")
    }
}
