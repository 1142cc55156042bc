// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

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
}
