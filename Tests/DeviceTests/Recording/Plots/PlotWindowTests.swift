// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// A part of a recording as a picture, as `plot --at --for` asks for it.
@Suite struct PlotWindowTests {
    /// A recording from 10:00 to 10:10 and a window of a minute.
    private static func offset(_ seconds: Double) throws(FileError) -> Double {
        let start = Instant(seconds: 1_795_255_200)
        let window = PlotWindow(start: start + .nanoseconds(Int64(seconds * 1e9)), seconds: 60)
        return try window.offset(in: start, span: 600, of: "night.cwa")
    }

    @Test(arguments: [-59.999, -30, 0, 0.5, 300, 599.999])
    func whatTouchesTheRecordingIsShown(offset: Double) throws {
        #expect(abs(try Self.offset(offset) - offset) < 1e-9)
    }

    @Test(arguments: [-1e6, -60, 600, 1e6]) func whatDoesNotIsRefusedWithTheTimesThatThereAre(offset: Double) {
        #expect {
            _ = try Self.offset(offset)
        } throws: { error in
            "\(error)".contains("night.cwa")
                && "\(error)".contains("goes from 2026-11-21T10:00:00 to 2026-11-21T10:10:00, without")
        }
    }

    @Test(arguments: [(60.0, 600.0, "1 min 00 s of 10 min 00 s"), (0.5, 3600, "0.5 s of 1 h 00 min 00 s")])
    func theLineBelowTheTitleSaysHowMuchItIs(seconds: Double, span: Double, fact: String) {
        #expect(PlotWindow(start: .epoch, seconds: seconds).fact(of: span) == fact)
    }

    /// Its values alone make the axes: what is outside is not in the outermost columns.
    @Test func whatIsOutsideIsLeftOut() throws {
        var envelope = Envelope(span: 60, columns: 6, isCut: true)
        for (value, second) in [(9.0, -0.001), (1, 0), (2, 59.999), (9, 60)] { envelope.add(value, at: second) }
        #expect(envelope.range == 1...2 && envelope.low[0] == 1 && envelope.high[5] == 2)
    }

    private static let canRead = Fixture.has("accel/ax3_testfile.cwa") && Python.has("skdh.io")

    /// The least and the greatest of each axis of a real AX3 in twenty seconds, by scikit-digital-health:
    /// of the times between, and, since a sample may lie on an edge, of a tenth of a second more.
    private static let extremes = """
        import sys
        from skdh.io import ReadCwa
        data = ReadCwa().predict(file=sys.argv[1], tz_name=None)
        time, values = data["time"], data["accel"]
        for edge in (0.1, -0.1):
            part = values[(time >= float(sys.argv[2]) + edge) & (time < float(sys.argv[2]) + 20 - edge)]
            print(*part.min(0), *part.max(0))
        """

    @Test(.enabled(if: canRead, "needs skdh and ../shared/fixtures"), arguments: [-10.0, 30, 100.25, 160])
    func aPictureOfAPartHasTheExtremesThatScikitDigitalHealthFinds(offset: Double) throws {
        let path = try #require(Fixture.path("accel/ax3_testfile.cwa"))
        let whole = try MotionPlot().page(RecordedFile(path), in: nil) { _ in }
        let start = whole.start + .nanoseconds(Int64(offset * 1e9))
        let page = try MotionPlot().page(RecordedFile(path), in: PlotWindow(start: start, seconds: 20)) { _ in }
        #expect(page.start == start && page.span == 20 && page.facts == ["20.0 s of \(PlotFacts.length(whole.span))"])
        let seconds = Double(start.nanoseconds) / 1e9
        let lines = try #require(Python.run(Self.extremes, [path, "\(seconds)"]))
        let found = lines.map { $0.split(separator: " ").compactMap { Double($0) } }
        for axis in 0..<3 {
            let range = try #require(page.panels[axis].envelope.range)
            #expect(range.lowerBound <= found[0][axis] + 1e-5 && range.lowerBound >= found[1][axis] - 1e-5)
            #expect(range.upperBound >= found[0][axis + 3] - 1e-5 && range.upperBound <= found[1][axis + 3] + 1e-5)
        }
    }

    /// Sound, and tables by their local time.
    @Test func everyKindOfRecordingWithATimeAxisHasParts() throws {
        let bench = Workbench()
        let files = try [bench.motion().path, bench.magneticField().path, bench.sound(tone(80_000), as: .flac).path]
        for file in files {
            let whole = try RecordingPlot.page(RecordedFile(file)) { _ in }
            let window = PlotWindow(start: whole.start + .seconds(1), seconds: 2)
            let page = try RecordingPlot.page(RecordedFile(file), in: window) { _ in }
            #expect(page.start == window.start && page.span == 2 && page.clockLabel == whole.clockLabel, "\(file)")
            #expect(page.facts == ["2.0 s of \(PlotFacts.length(whole.span))"], "\(file)")
            #expect(page.panels.count == whole.panels.count, "\(file)")
        }
    }

    @Test func soundThatIsCutOffIsSaidToBeWithAWindowToo() throws {
        let bench = Workbench()
        let path = try bench.sound(tone(80_000), as: .flac).path
        try bench.write("cut.flac", Array(File(path, .read).read(1 << 20, at: 0).dropLast(300)))
        for window in [nil, PlotWindow(start: .epoch + .seconds(1), seconds: 1)] {
            let page = try SoundPlot().page(RecordedFile(bench.path + "/cut.flac"), in: window) { _ in }
            #expect(page.facts.first?.hasSuffix("; truncated or damaged") == true, "\(page.facts)")
        }
    }

    @Test func aTrackIsDrawnAsAWholeAndSaysSo() throws {
        let bench = Workbench()
        let sentence = "GPRMC,090000.00,A,5224.00000,N,01303.00000,E,2.53,40.1,210326,,,A"
        let sum = String(sentence.utf8.reduce(0, ^), radix: 16, uppercase: true)
        try bench.write("x.nmea", Array("$\(sentence)*\(sum)\r\n".utf8))
        #expect {
            _ = try RecordingPlot.page(
                RecordedFile(bench.path + "/x.nmea"), in: PlotWindow(start: .epoch, seconds: 60)
            ) { _ in }
        } throws: {
            "\($0)".contains("drawn as a whole; leave --at out")
        }
    }
}
