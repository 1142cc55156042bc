// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Spans of the clock in which no point falls due: `22:00-08:00` goes over midnight, and the end of
/// each is not in it (docs/rules.md).
@Suite struct QuietHoursTests {
    private static func hours(_ spans: [(Int, Int)]) -> QuietHours {
        QuietHours(spans.map { (start: $0.0 * 3_600_000, end: $0.1 * 3_600_000) })
    }

    @Test(
        arguments: [
            ([], 24), ([(8, 9)], 23), ([(22, 8)], 14), ([(0, 24)], 0), ([(8, 10), (9, 12)], 20),
            ([(8, 10), (10, 12)], 20), ([(8, 12), (9, 10)], 20), ([(9, 10), (8, 12)], 20),
            ([(1, 2), (8, 10), (9, 12), (11, 13)], 18), ([(1, 3), (2, 4), (8, 9), (22, 2)], 17),
        ] as [([(Int, Int)], Int)])
    func spansThatOverlapAreCountedOnce(_ spans: [(Int, Int)], _ active: Int) {
        let quiet = Self.hours(spans)
        #expect(quiet.active() == active * 3_600_000)
        let loud = (0..<24).filter { hour in LocalTime(hour: hour, minute: 30).map { !quiet.contains($0) } ?? false }
        #expect(loud.count == active)
    }

    @Test(arguments: [
        (21, 59, 59, false), (22, 0, 0, true), (0, 0, 0, true), (7, 59, 59, true), (8, 0, 0, false), (12, 0, 0, false),
    ])
    func theBeginningIsInItAndTheEndIsNot(_ hour: Int, _ minute: Int, _ second: Int, _ isQuiet: Bool) throws {
        let time = try #require(LocalTime(hour: hour, minute: minute, second: second))
        #expect(Self.hours([(22, 8)]).contains(time) == isQuiet)
    }

    @Test(arguments: [(0, 14), (7, 14), (8, 14), (9, 13), (21, 1), (22, 0), (23, 0)])
    func whatIsLeftOfADayIsCountedFromThatHour(_ hour: Int, _ active: Int) {
        #expect(Self.hours([(22, 8)]).active(from: hour * 3_600_000) == active * 3_600_000)
    }
}
