// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
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

    @Test func theProgressOfAFileThatIsReadTwiceOnlyRises() throws {
        let bench = Workbench()
        try bench.write("walk.nmea", NMEAWalk.log(Array(0..<60)))
        var shares: [Double] = []
        _ = try TrackPlot().page(RecordedFile(bench.path + "/walk.nmea"), in: nil) { shares.append($0) }
        #expect(shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) } && (shares.last ?? 0) > 0.5)
    }

    /// NMEA 0183: 3.6 knots are 1.852 m/s; heights are those of fixes in three dimensions.
    @Test(arguments: [(2, nil), (3, 35.5...35.5)] as [(Int, ClosedRange<Double>?)])
    func speedHeightAndSatellitesHaveTheirPanels(mode: Int, height: ClosedRange<Double>?) throws {
        let bench = Workbench()
        try bench.write("walk.nmea", NMEAWalk.log([0, 5, 10], mode: mode))
        let page = try TrackPlot().page(RecordedFile(bench.path + "/walk.nmea"), in: nil) { _ in }
        #expect(page.panels.map(\.title) == ["speed", "height", "satellites"] && page.span == 10)
        let speed = try #require(page.panels[0].envelope.range)
        #expect(abs(speed.lowerBound - 1.852) < 1e-6 && abs(speed.upperBound - 1.852) < 1e-6)
        #expect(page.panels[1].envelope.range == height && page.panels[2].envelope.range == 8...8)
        let columns = page.panels[2].envelope.high.indices.filter { page.panels[2].envelope.high[$0].isFinite }
        #expect(columns == [0, 545, 1_089])
        #expect(page.start == Instant(seconds: 1_795_251_600) && page.clockLabel == "UTC")
    }

    /// A fix without a position ends the line, and the next begins another; a second is no gap.
    @Test func aVoidFixBreaksTheLine() throws {
        let bench = Workbench()
        let void = NMEAWalk.sentence("GPRMC,090001.00,V,,,,,,,211126,,,N")
        try bench.write("walk.nmea", NMEAWalk.log([0]) + void + NMEAWalk.log([2, 3]))
        let page = try TrackPlot().page(RecordedFile(bench.path + "/walk.nmea"), in: nil) { _ in }
        let drawing = try #require(page.map).drawing(top: 0)
        #expect(drawing.split(separator: "h0.1").count - 1 == 2, "\(drawing)")
        #expect(page.gaps.count == 0 && page.facts.first?.hasPrefix("3 positions of 4 epochs in 3.0 s") == true)
    }

    @Test func aPlaceThatIsNotLeftHasNoTimeAxis() throws {
        let bench = Workbench()
        try bench.write("walk.nmea", NMEAWalk.log([0]))
        let page = try TrackPlot().page(RecordedFile(bench.path + "/walk.nmea"), in: nil) { _ in }
        #expect(page.panels.isEmpty && page.map != nil)
    }

    /// From ten kilometres on whole kilometres are enough. Along a meridian of a sphere of 6371.0088 km.
    @Test(arguments: [(0.4, "0 m"), (0.6, "1 m"), (9_999.3, "9999 m"), (10_001, "10 km"), (10_600, "11 km")])
    func aDistanceHasTheUnitOfItsLength(metres: Double, words: String) throws {
        let bench = Workbench()
        let bodies = [0.0, metres].enumerated().flatMap { second, metres -> [String] in
            let minutes = Decimals.text(30.1 + metres / 6_371_008.8 * 180 / .pi * 60, 6)
            return NMEAWalk.fix("52\(minutes)", at: "09000\(second).00")
        }
        try bench.write("walk.nmea", bodies.flatMap(NMEAWalk.sentence))
        let page = try TrackPlot().page(RecordedFile(bench.path + "/walk.nmea"), in: nil) { _ in }
        #expect(page.facts.first?.hasSuffix("; distance \(words)") == true, "\(page.facts)")
    }
}
