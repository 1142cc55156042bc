// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Study

@Suite struct GraphSeriesTests {
    static func series(_ kind: GraphDescription.Kind, _ values: [AnswerValue?], maximum: Int = 0) -> GraphSeries {
        let submissions = values.enumerated().map { number, value in
            Submission(
                task: "a", occurrence: Sample.plan([Sample.task("a", at: [1])]).occurrences[0], order: ["q"],
                answers: value.map { ["q": $0] } ?? [:], drawn: [], submitted: Sample.after(number))
        }
        let description = GraphDescription(
            kind: kind, question: "q", title: "A < B", blurb: "", maximumPoints: maximum)
        return GraphSeries(description, submissions: submissions.reversed(), zone: .utc)
    }

    @Test func onlyNumbersCountAndOnlyTheLatest() {
        let values: [AnswerValue?] = [.number(1), nil, .text("x"), .cleared, .number(2), .number(3)]
        #expect(Self.series(.bar, values, maximum: 2).points.map(\.value) == [2, 3])
        #expect(Self.series(.bar, values).points.map(\.value) == [1, 2, 3])
    }

    @Test func barsGrowFromZero() {
        let series = Self.series(.bar, [.number(-5), .number(5), .number(2.5)])
        #expect(
            series.text(width: 4) == """
                A < B
                02.03. 10:00 │██ -5
                02.03. 10:01 │  ██ 5
                02.03. 10:02 │  █ 2.5

                """)
    }

    /// 2026-10-25: summer time ends at 01:00 UTC, and the hour from two o'clock comes twice (tzdata).
    @Test func pointsOfTheHourThatComesTwiceAreToldApart() throws {
        let zone = try Zone.load("Europe/Berlin")
        let first = Sample.instant(2026, 10, 25, 0, 30)
        let points = [first, first + .seconds(3600)].map { GraphSeries.Point(at: $0, in: zone, value: 1) }
        #expect(points[0].time == points[1].time)
        let description = GraphDescription(kind: .bar, question: "q", title: "T", blurb: "", maximumPoints: 0)
        #expect(
            GraphSeries(description, points: points).json.text == """
                {"title":"T","points":[{"time":"2026-10-25T02:30:00+02:00","value":1},\
                {"time":"2026-10-25T02:30:00+01:00","value":1}]}
                """)
    }

    @Test func lineIsADotPerPoint() {
        #expect(Self.series(.line, [.number(0), .number(4)]).text(width: 4).contains("10:01 │····● 4"))
    }

    /// RFC 8259 §6: a number in JSON may be any of binary64, so answers may lie so far apart that
    /// their distance is none.
    @Test(arguments: [GraphDescription.Kind.bar, .line]) func answersAtTheEndsOfWhatANumberCanBeAreDrawn(
        _ kind: GraphDescription.Kind
    ) {
        let series = Self.series(
            kind, [.number(-1.7e308), .number(1.7e308), .number(.leastNonzeroMagnitude), .text("-1.7e308")])
        #expect(series.points.count == 4 && series.points.allSatisfy { (0...1).contains(series.share($0.value)) })
        #expect(series.share(-1.7e308) == 0 && series.share(1.7e308) == 1 && series.share(0) == 0.5)
        #expect(series.text(width: 20).split(separator: "\n").count == 5)
        #expect(!series.svg.contains("nan") && !series.svg.contains("inf"), "\(series.svg)")
    }

    @Test func nothingToDrawSaysSo() {
        #expect(Self.series(.bar, []).text().contains("no answers yet"))
        #expect(Self.series(.line, []).svg.hasSuffix("</svg>\n"))
    }

    @Test func svgEscapesItsTexts() {
        let svg = Self.series(.line, [.number(1), .number(2)]).svg
        #expect(svg.contains("<title>A &lt; B</title>") && svg.contains("<polyline points=\"200,170 480,40\""))
        #expect(Self.series(.bar, [.number(1), .number(2)]).svg.split(separator: "<rect").count == 4)
    }

    /// The app hands its charts whatever the answer is (schema-app/schema, 45fd178: tab2.page.ts),
    /// and Chart.js takes words for the number they spell.
    @Test(
        arguments: [
            (AnswerValue.number(2.5), 2.5), (.choices(["4"]), 4), (.choices([" 5 "]), 5), (.text("-3.5"), -3.5),
            (.choices(["4", "5"]), nil), (.choices(["often"]), nil), (.choices(["nan"]), nil), (.text(""), nil),
            (.boolean(true), nil), (.number(.infinity), nil),
        ] as [(AnswerValue, Double?)])
    func wordsThatSpellANumberAreDrawn(_ answer: AnswerValue, _ value: Double?) {
        #expect(GraphSeries.value(of: answer) == value)
    }

    @Test(
        arguments: [
            ([], 0, 1), ([0], 0, 1), ([0.5], 0, 0.5), ([0.25, 0.5], 0, 0.5), ([3], 0, 3), ([-5], -5, 0),
            ([-5, -2], -5, 0), ([-0.5, 0.25], -0.5, 0.25),
        ] as [([Double], Double, Double)])
    func theAxisContainsZeroAndIsNeverEmpty(_ values: [Double], _ low: Double, _ high: Double) {
        let series = Self.series(.bar, values.map { .number($0) })
        #expect(series.range == low...high)
        #expect(series.share(low) == 0 && series.share(high) == 1)
    }

    /// Half of the least number is nothing (IEEE 754, round to even): the span has no size to be a share of.
    @Test func whatIsTooSmallToBeDividedIsDrawnAsNothing() {
        let series = Self.series(.bar, [.number(.leastNonzeroMagnitude)])
        #expect(series.share(.leastNonzeroMagnitude) == 0)
    }
}
