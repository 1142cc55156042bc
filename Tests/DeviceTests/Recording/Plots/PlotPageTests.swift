// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct PlotPageTests {
    private static let hasPython = Python.has("xml.dom.minidom")

    @Test func anEnvelopeLosesNoPeak() {
        var envelope = Envelope(span: 1000, columns: 10)
        for index in 0..<100_000 {
            envelope.add(index == 54_321 ? 9 : index == 54_322 ? -7 : 0, at: Double(index) / 100)
        }
        #expect(envelope.range == -7...9 && envelope.high[5] == 9 && envelope.low[5] == -7 && envelope.high[4] == 0)
        envelope.add(.nan, at: 5)
        envelope.add(1, at: 5000)
        #expect(envelope.high[9] == 1)
    }

    @Test func columnsFarApartAreNotJoined() {
        var envelope = Envelope(span: 10, columns: 10)
        for second in [0.5, 1.5, 6.5] { envelope.add(1, at: second) }
        #expect(envelope.runs(reach: 3) == [[0, 1], [6]] && envelope.runs(reach: 5) == [[0, 1, 6]])
    }

    @Test func gapsAreCountedAndShadedHoweverShort() {
        var gaps = GapShade(span: 100, columns: 10)
        gaps.add(from: 15, to: 15.1)
        gaps.add(from: 50, to: 75)
        #expect(gaps.count == 2 && gaps.runs == [1...1, 5...7] && abs(gaps.seconds - 25.1) < 1e-9)
    }

    /// Of the part of a gap that is within ten seconds, a column each.
    @Test(
        arguments: [
            (-5, 0, 0, []), (10, 12, 0, []), (-5, 2.5, 2.5, [0...2]), (9.5, 20, 0.5, [9...9]), (-1, 11, 10, [0...9]),
            (3, 3, 0, [3...3]), (2.5, 4, 1.5, [2...4]), (.nan, 4, 0, []), (4, .infinity, 0, []),
        ] as [(Double, Double, Double, [ClosedRange<Int>])])
    func aGapIsCutToTheSpan(start: Double, end: Double, seconds: Double, runs: [ClosedRange<Int>]) {
        var gaps = GapShade(span: 10, columns: 10, isCut: true)
        gaps.add(from: start, to: end)
        #expect(gaps.count == runs.count && gaps.seconds == seconds && gaps.runs == runs)
    }

    @Test func whatIsNotCutIsCountedWhole() {
        var gaps = GapShade(span: 10, columns: 10)
        gaps.add(from: -5, to: 0)
        gaps.add(from: 1, to: 1.5)
        gaps.add(from: 9.5, to: 20)
        #expect(gaps.count == 3 && gaps.seconds == 16 && gaps.runs == [0...1, 9...9])
    }

    private func page(_ panels: [(String, [Double])], start: Int64 = 0) throws -> String {
        let panels = panels.map { unit, values -> PlotPanel in
            var envelope = Envelope(span: 100)
            for (place, value) in values.enumerated() { envelope.add(value, at: Double(place)) }
            return PlotPanel(title: "x", unit: unit, envelope: envelope, spacing: 1)
        }
        let page = PlotPage(
            title: "a", facts: [], start: Instant(seconds: start), span: 100, clockLabel: "UTC", hasDate: true,
            panels: panels, gaps: GapShade(span: 100))
        return String(decoding: try Workbench().exported("a.svg", page.write), as: UTF8.self)
    }

    private func count(_ part: String, in text: String) -> Int {
        text.split(separator: part, omittingEmptySubsequences: false).count - 1
    }

    /// A box of 130 pixels from 56 on, with a margin of 0.06 of the values on both sides.
    @Test func anAxisHasItsTicksAtTheirValues() throws {
        let text = try page([("g", [0, 1])])
        for line in [
            "<path d=\"M86.0 179.0H1176.0\" stroke=\"#999\"/>", "<path d=\"M86.0 121.0H1176.0\" stroke=\"#e2e2e2\"/>",
            "<text x=\"78.0\" y=\"183.5\" text-anchor=\"end\">0.0</text>",
            "<text x=\"78.0\" y=\"125.5\" text-anchor=\"end\">0.5</text>",
            "<text x=\"78.0\" y=\"67.5\" text-anchor=\"end\">1.0</text>",
            "<rect x=\"86.0\" y=\"56.0\" width=\"1090\" height=\"130.0\"",
            "<path d=\"M86.0 186.0v6\" stroke=\"#888\"/>",
            "<text x=\"86.0\" y=\"206.0\" text-anchor=\"middle\">00:00:00</text>",
            "<text x=\"1176.0\" y=\"206.0\" text-anchor=\"end\">00:01:40</text>",
            "<text x=\"1176.0\" y=\"240.0\" text-anchor=\"end\" fill=\"#555\">UTC</text>",
        ] { #expect(text.contains(line), "\(line)") }
        #expect(count("1970-01-01", in: text) == 1)
        let overnight = try page([("g", [0, 1])], start: 86_400 - 50)
        #expect(count("1970-01-01", in: overnight) == 1 && count("1970-01-02", in: overnight) == 1)
        // Under the middle, which is midnight.
        #expect(
            overnight.contains(
                "<text x=\"631.0\" y=\"223.0\" text-anchor=\"middle\" fill=\"#555\">1970-01-02</text>\n"))
    }

    /// Panels of one unit share their scale, others do not; one of a single value has half a unit to each side.
    @Test(
        arguments: [
            ([("g", [0, 1]), ("s", [0, 100])], ["0.5": 1, "50": 1, "100": 1]),
            ([("g", [0, 1]), ("g", [0, 2])], ["0.5": 2, "2.0": 2]), ([("g", [3])], ["2.6": 1, "3.0": 1, "3.4": 1]),
            ([("g", [0])], ["0.0": 1, "0.5": 1, "1.0": 1, "-0.5": 0]),
        ] as [([(String, [Double])], [String: Int])])
    func panelsOfOneUnitShareTheirScale(panels: [(String, [Double])], ticks: [String: Int]) throws {
        let text = try page(panels)
        for (label, times) in ticks {
            #expect(count("text-anchor=\"end\">\(label)</text>", in: text) == times, "\(label)")
        }
    }

    @Test(arguments: [
        (0.0, 1.0, 1, ["0", "1"]), (0.0, 1.0, 2, ["0.0", "0.5", "1.0"]), (-8.2, 8.2, 4, ["-5", "0", "5"]),
        (-130, -7, 4, ["-100", "-50"]),
        (44.06895, 44.06905, 2, ["44.06895", "44.06900", "44.06905"]),
    ])
    func ticksAreRound(_ low: Double, _ high: Double, _ count: Int, _ labels: [String]) {
        let ticks = PlotScale.ticks(low...high, count: count)
        #expect(ticks.values.map { Decimals.text($0, ticks.decimals) } == labels)
    }

    @Test func timeTicksStandAtWholeMinutesOfTheWallClock() {
        let start = Instant(seconds: 1_795_255_170)
        let ticks = PlotScale.clockTicks(from: start, span: 300, count: 5)
        #expect(ticks.map(\.label) == ["10:00", "10:01", "10:02", "10:03", "10:04"].prefix(ticks.count).map { $0 })
        #expect(ticks.first.map(\.seconds) == 30)
    }

    @Test(arguments: [4e8, 8.9e9, 1e10, 1e19, 1e300]) func aSpanThatOnlyDamageBringsIsDrawnAllTheSame(span: Double) {
        let ticks = PlotScale.clockTicks(from: .epoch, span: span, count: 10)
        #expect(ticks.count <= 12 && ticks.allSatisfy { $0.seconds <= span * 1.1 })
    }

    /// A quarter of an hour is read twice, and each time the progress is shown after 256 blocks.
    @Test func theProgressOfAFileThatIsReadTwiceOnlyRises() throws {
        let bench = Workbench()
        let ring = Example.vectorRing(1 << 17)
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa, rotation: .seconds(86_400))
            .recorder(
                of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<90_000)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 1010), anchors: [Example.anchor])
        let path = try #require(sealed.first?.path)
        let blocks = try readAll(path).blocks.count
        #expect(blocks > 512)
        var shares: [Double] = []
        _ = try MotionPlot().page(RecordedFile(path), in: nil) { shares.append($0) }
        #expect(shares.count == 2 * (blocks / 256) && shares == shares.sorted())
        let half = shares.count / 2
        #expect(shares.prefix(half).allSatisfy { (0.001...0.4).contains($0) })
        #expect(shares.suffix(half).allSatisfy { (0.4...1).contains($0) } && (shares.last ?? 0) > 0.7)
    }

    @Test func aTableWithAnImpossibleUptimeIsDrawnWithoutIt() throws {
        let bench = Workbench()
        try bench.write("x.csv", Array("time,uptime,x\n,1,5\n,1e18,6\n,2,7\n,-1e300,8\n".utf8))
        let page = try TablePlot().page(RecordedFile(bench.path + "/x.csv"), in: nil) { _ in }
        #expect(page.span == 1)
    }

    /// With its description and without.
    @Test func aPictureOfPressesHasAPanelForEachButton() throws {
        let bench = Workbench()
        let ours = try bench.buttons()
        try bench.write("lone.csv.gz", bench.bytes(String(ours.path.split(separator: "/").last ?? "")))
        for path in [ours.path, "\(bench.path)/lone.csv.gz"] {
            let page = try TablePlot().page(RecordedFile(path), in: nil) { _ in }
            #expect(
                page.panels.map(\.title) == ["left, held", "middle, held"] && page.panels.allSatisfy { $0.unit == "s" })
            let lengths = try page.panels.map { try #require($0.envelope.range) }
            #expect(lengths[0] == 0...0 && abs(lengths[1].lowerBound - 0.13) < 1e-6)
            #expect(abs(lengths[1].upperBound - 1.4) < 1e-6 && abs(page.span - 48) < 1e-6)
            #expect(page.facts.first?.hasPrefix("3 presses in 48.0 s; no gaps") == true, "\(page.facts)")
            #expect(try PlotFacts.gaps(page.gaps, RecordedFile(path).description) == "no gaps")
            let text = String(decoding: try bench.exported("b.svg", page.write), as: UTF8.self)
            #expect(text.split(separator: "<circle").count == 4)
        }
    }

    @Test func pagesOfOurRecordingsAreWellFormedAndSayWhatIsMissing() throws {
        let bench = Workbench()
        let pages = try [
            MotionPlot().page(RecordedFile(bench.motion().path), in: nil) { _ in },
            TablePlot().page(RecordedFile(bench.magneticField().path), in: nil) { _ in },
            TablePlot().page(RecordedFile(bench.sound(tone(80_000), as: .levels).path), in: nil) { _ in },
            SoundPlot().page(RecordedFile(bench.sound(tone(80_000), as: .flac).path), in: nil) { _ in },
        ]
        #expect(pages.map(\.gaps.count) == [1, 1, 0, 0] && pages.map(\.panels.count) == [3, 3, 5, 2])
        #expect(pages[0].facts[0].contains("1 gap of 4.0 s") && pages[0].clockLabel == "local time, +01:00")
        for (index, page) in pages.enumerated() {
            let text = String(decoding: try bench.exported("\(index).svg", page.write), as: UTF8.self)
            #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n") && !text.contains("nan"))
            #expect(text.contains("2026-11-21") && (index > 1 || text.contains("#f3c9c9")))
            guard Self.hasPython else { continue }
            #expect(
                Python.run("import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", ["\(bench.path)/\(index).svg"])
                    != nil)
            // Somebody may want to look at them.
            guard let folder = getenv("STUDYD_PLOTS") else { continue }
            try File("\(String(cString: folder))/\(index).svg", .replace).write(Array(text.utf8), at: 0)
        }
    }
}
