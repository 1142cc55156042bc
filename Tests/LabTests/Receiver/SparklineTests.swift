// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct SparklineTests {
    @Test func onlyNumbersMakeALine() {
        let answers: [[JSONValue.Member]] = [
            [.init(name: "mood", value: .spelled("1.5")), .init(name: "text", value: .string("7"))],
            [.init(name: "mood", value: .string("")), .init(name: "sleep", value: .spelled("8"))],
            [.init(name: "mood", value: .spelled("3")), .init(name: "huge", value: .spelled("1e999"))],
        ]
        let series = Sparkline.series(answers)
        #expect(series.map(\.question) == ["mood", "sleep"])
        #expect(series.first?.values == [1.5, 3])
    }

    @Test(arguments: [[1], [2, 2], [-1e300, 1e300], [0, 0.5, 1]])
    func pointsStayWithinTheFigure(values: [Double]) {
        let svg = Sparkline(question: "q", values: values).html.text
        let heights = svg.split(separator: "cy=\"").dropFirst().compactMap { Int($0.prefix { $0 != "\"" }) }
        #expect(heights.count == values.count && heights.allSatisfy { (4...32).contains($0) })
    }
}
