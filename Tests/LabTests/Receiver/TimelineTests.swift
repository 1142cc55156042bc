// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct TimelineTests {
    private func chart(_ seconds: [Int64]) -> String {
        let marks = seconds.map { Timeline.Mark(at: Instant(seconds: $0), isRepeated: false) }
        return Timeline(rows: [.init(name: "answers", colour: "red", marks: marks)], offset: 0).html.text
    }

    @Test func withoutMarksThereIsNoChart() {
        #expect(chart([]).isEmpty)
    }

    @Test(arguments: [[0], [0, 1], [0, 86_400], [0, 7_258_118_400], [1_700_000_000, 1_780_000_000]] as [[Int64]])
    func anySpanGivesMarksWithinTheChartAndFewTicks(seconds: [Int64]) {
        let svg = chart(seconds)
        let places = svg.split(separator: "<rect x=\"").dropFirst().compactMap { Int($0.prefix { $0 != "\"" }) }
        #expect(!places.isEmpty && places.allSatisfy { (0..<Timeline.width).contains($0) })
        #expect(svg.split(separator: "text-anchor").count <= 14)
    }

    @Test func manyMarksAtOnePlaceAreDrawnOnce() {
        #expect(chart(Array(repeating: 5, count: 10_000)).utf8.count < 5000)
    }
}
