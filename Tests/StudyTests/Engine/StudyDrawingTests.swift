// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

/// Charts as SVG and as text. What is well-formed says the parser of SVG's own grammar, XML 1.0: no
/// mark-up out of texts, numbers that are numbers.
@Suite struct StudyDrawingTests {
    private static func drawing(_ kind: StudyDrawing.Kind, _ values: [Double]) -> StudyDrawing {
        let points = values.enumerated().map { StudyDrawing.Point(x: Double($0), y: $1, label: "<\($0)>") }
        return StudyDrawing(
            kind: kind, title: "<T> & \"x\"", blurb: "<script>", axes: ("x & y", "<y>"),
            rows: [
                .init(label: "a<b", color: "#2a6f97", isPublic: true, points: points, trend: Array(points.prefix(2)))
            ])
    }

    @Test(
        arguments: [StudyDrawing.Kind.line, .area, .bars, .dots, .pie], [[], [0], [3], [1, 2, 0.5], [-1, 4], [0, 0]])
    func everyKindIsAWholeDocument(kind: StudyDrawing.Kind, values: [Double]) {
        let svg = Self.drawing(kind, values).svg
        #expect(svg.hasSuffix("</svg>\n") && svg.contains("&lt;T&gt; &amp; &quot;x&quot;"))
        #expect(!svg.contains("<script") && !svg.contains("<T>") && !svg.contains("a<b"))
        #expect(!svg.lowercased().contains("nan") && !svg.lowercased().contains("inf"))
    }

    @Test func asJSONItHasItsRowsAndWhyThereAreNone() {
        #expect(
            Self.drawing(.bars, [2]).json.text == """
                {"title":"<T> & \\"x\\"","rows":[{"label":"a<b","public":true,"points":[{"x":0,"y":2,"label":"<0>"}]}]}
                """)
        let none = StudyDrawing(kind: .pie, title: "T", blurb: "", rows: [], remark: "after the study")
        #expect(none.json.text == #"{"title":"T","rows":[],"remark":"after the study"}"#)
    }

    /// A quarter ends at three o'clock.
    @Test func aPieBeginsAboveAndGoesClockwise() {
        #expect(Self.drawing(.pie, [1, 3]).svg.contains("M340 190L340 60A130 130 0 0 1 470 190Z"))
        #expect(Self.drawing(.pie, [2]).svg.contains("<circle"))
    }

    /// Nothing of a circle has neither a piece nor a name in it.
    @Test(arguments: [([0, 0], 0), ([0, 2], 1), ([2, 0], 1), ([-1, 2], 1), ([1, 1], 2), ([1, 0, 1], 2)])
    func aPieHasAPieceForEachValueAboveZero(_ values: [Double], _ pieces: Int) {
        let svg = Self.drawing(.pie, values).svg
        #expect(svg.ranges(of: "<path ").count + svg.ranges(of: "<circle ").count == pieces)
        // One name for each piece, the title and the legend.
        #expect(svg.ranges(of: "<text ").count == pieces + 2 && !svg.contains("null"))
    }

    /// A date as a number, as participants type it: JavaScript's and JSON's spelling of no number is
    /// none in SVG.
    @Test(arguments: [0, 1, 1e7, 20_240_501, -20_240_501, 1e15]) func oneValueHasAPlace(_ value: Double) {
        let drawing = StudyDrawing(
            kind: .dots, title: "", blurb: "", axes: ("", ""),
            rows: [
                .init(
                    label: "", color: "#2a6f97", isPublic: false, points: [.init(x: value, y: 1, label: "")], trend: [])
            ])
        #expect(!drawing.svg.contains("null") && drawing.svg.contains("cx=\"60\""))
    }

    @Test func theTerminalShowsAValueInEachLine() {
        let text = Self.drawing(.bars, [1, 2]).text(width: 4)
        #expect(text == "<T> & \"x\"\n<script>\na<b (all)\n<0> │██ 1\n<1> │████ 2\n")
        #expect(Self.drawing(.bars, []).text().hasSuffix("(no answers yet)\n"))
    }

    private static func row(_ values: [Double], isPublic: Bool = false) -> StudyDrawing.Row {
        StudyDrawing.Row(
            label: "r", color: "#2a6f97", isPublic: isPublic,
            points: values.enumerated().map { StudyDrawing.Point(x: Double($0), y: $1, label: "p") })
    }

    /// The greatest value, or the end of the scale beyond it, is the whole width; nothing and less have no bar.
    @Test(
        arguments: [
            ([0.25, 0.5], nil, ["██ 0.25", "████ 0.5"]), ([1, 0], nil, ["████ 1", " 0"]),
            ([-1, 2], nil, [" -1", "████ 2"]),
            ([0, 0], nil, [" 0", " 0"]), ([-2, -1], nil, [" -2", " -1"]), ([1, 2], 4, ["█ 1", "██ 2"]),
            ([8], 4, ["████ 8"]),
        ] as [([Double], Double?, [String])])
    func aBarOfTheTerminalIsAShareOfTheWidth(_ values: [Double], _ maximum: Double?, _ bars: [String]) {
        let drawing = StudyDrawing(kind: .bars, title: "T", blurb: "", maximum: maximum, rows: [Self.row(values)])
        #expect(drawing.text(width: 4) == "T\n" + bars.map { "p │\($0)\n" }.joined())
    }

    /// One row of the participant alone needs no name.
    @Test(
        arguments: [
            ([false], ["p │████ 1"]), ([true], ["r (all)", "p │████ 1"]),
            ([false, false], ["r", "p │████ 1", "r", "p │████ 1"]),
            ([true, false], ["r (all)", "p │████ 1", "r", "p │████ 1"]),
        ] as [([Bool], [String])])
    func theTerminalNamesRowsThatCouldBeMistaken(_ arePublic: [Bool], _ lines: [String]) {
        let rows = arePublic.map { Self.row([1], isPublic: $0) }
        let drawing = StudyDrawing(kind: .bars, title: "", blurb: "", rows: rows)
        #expect(drawing.text(width: 4) == lines.map { $0 + "\n" }.joined())
    }

    /// Why there is nothing is said once.
    @Test func theTerminalSaysWhyThereIsNothing() {
        let none = StudyDrawing(kind: .bars, title: "T", blurb: "", rows: [Self.row([])], remark: "after the study")
        #expect(none.text() == "T\n(after the study)\n")
    }

    /// The axis of zero is the foot of every bar, on whichever side of it the bar lies; the area is 250 high.
    @Test(
        arguments: [
            ([1, 2], [125, 250]), ([-1, 4], [50, 200]), ([-2, -1], [250, 125]), ([0, 3], [0, 250]), ([0.5], [250]),
        ] as [([Double], [Double])])
    func aBarIsAsHighAsItsValue(_ values: [Double], _ heights: [Double]) {
        let drawing = StudyDrawing(kind: .bars, title: "", blurb: "", rows: [Self.row(values)])
        let bars = drawing.svg.matches(of: /y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/)
        #expect(bars.compactMap { Double($0.2) } == heights)
        let (low, high) = (min(0, values.min() ?? 0), max(0, values.max() ?? 0))
        let zero = 300 + low / (high - low) * 250
        for (value, bar) in zip(values, bars) {
            let (top, height) = (Double(bar.1) ?? -1, Double(bar.2) ?? -1)
            #expect((value < 0 ? top : top + height) == zero, "\(value)")
        }
    }

    /// Four fifths of its share of the 560 in the middle, divided by the rows; 48 at most.
    @Test(arguments: [(1, 1, 48), (9, 1, 48), (14, 1, 32), (14, 2, 16), (28, 1, 16)])
    func aBarIsAsWideAsThereIsRoom(count: Int, rows: Int, width: Int) {
        let row = Self.row((1...count).map(Double.init))
        let svg = StudyDrawing(
            kind: .bars, title: "", blurb: "", rows: Array(repeating: row, count: rows)
        ).svg
        #expect(svg.ranges(of: " width=\"\(width)\" height=").count == count * rows)
    }
}
