// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct TimelineTests {
    private func chart(_ seconds: [Int64], offset: Int = 0) -> String {
        let marks = seconds.map { Timeline.Mark(at: Instant(seconds: $0), isRepeated: false) }
        return Timeline(rows: [.init(name: "answers", colour: "red", marks: marks)], offset: offset).html.text
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

    /// Twelve parts at most, from five minutes to a week, on the hours and days of the device's own time; beyond
    /// sixty days the latest are drawn.
    @Test(
        arguments: [
            (0, 3_600, 0, "00:05 00:10 00:15 00:20 00:25 00:30 00:35 00:40 00:45 00:50 00:55"),
            (0, 3_601, 0, "00:15 00:30 00:45 01:00"),
            (0, 10_800, 3_600, "01:15 01:30 01:45 02:00 02:15 02:30 02:45 03:00 03:15 03:30 03:45"),
            (84_600, 88_200, 0, "23:35 23:40 23:45 23:50 23:55 01-02 00:05 00:10 00:15 00:20 00:25"),
            (0, 43_200, -7_200, "23:00 01-01 01:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00 09:00"),
            (0, 43_201, 0, "03:00 06:00 09:00 12:00"),
            (0, 259_200, 0, "06:00 12:00 18:00 01-02 06:00 12:00 18:00 01-03 06:00 12:00 18:00"),
            (0, 259_201, 0, "12:00 01-02 12:00 01-03 12:00 01-04"),
            (0, 518_401, 0, "01-02 01-03 01-04 01-05 01-06 01-07"),
            (0, 1_036_801, 0, "01-03 01-05 01-07 01-09 01-11 01-13"),
            (0, 7_257_600, 0, "01-29 02-05 02-12 02-19 02-26 03-05 03-12 03-19"),
        ] as [(Int64, Int64, Int, String)])
    func ticksAreAtWholeHoursAndDays(first: Int64, last: Int64, offset: Int, labels: String) {
        let ticks = chart([first, last], offset: offset).split(separator: "text-anchor=\"middle\">").dropFirst()
        #expect(ticks.map { $0.prefix { $0 != "<" } }.joined(separator: " ") == labels)
    }

    @Test func manyMarksAtOnePlaceAreDrawnOnce() {
        #expect(chart(Array(repeating: 5, count: 10_000)).utf8.count < 5000)
    }
}
