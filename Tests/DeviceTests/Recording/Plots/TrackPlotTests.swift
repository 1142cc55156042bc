// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device
@testable import Exports

@Suite struct TrackPlotTests {
    /// More than ten seconds without a position are shaded, and the line is broken there.
    @Test(arguments: [(10, 0), (11, 1)]) func aPauseIsShadedAndBreaksTheLine(pause: Int, gaps: Int) throws {
        let bench = Workbench()
        try bench.write("walk.nmea", NMEAWalk.log([0, 1, 2, 3, 3 + pause, 4 + pause, 5 + pause]))
        let page = try TrackPlot().page(RecordedFile(bench.path + "/walk.nmea"), in: nil) { _ in }
        #expect(page.gaps.count == gaps && page.gaps.seconds == Double(gaps * pause))
        let drawing = try #require(page.map).drawing(top: 0)
        #expect(drawing.split(separator: "h0.1").count - 1 == 1 + gaps, "\(drawing)")
        #expect(page.facts.first?.hasPrefix("7 positions of 7 epochs") == true, "\(page.facts)")
    }
}
