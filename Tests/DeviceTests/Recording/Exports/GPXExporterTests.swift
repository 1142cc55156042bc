// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct GPXExporterTests {
    /// GPX 1.1: `ele` and `geoidheight` are metres, `fix` is `2d` or `3d`. A fix in two dimensions (GSA, mode 2)
    /// has no height: GGA repeats the last one.
    @Test(arguments: [(2, 0, "2d"), (3, 3, "3d")])
    func heightsAreThoseOfFixesInThreeDimensions(mode: Int, heights: Int, fix: String) throws {
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
}
