// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct LocalTimeTests {
    @Test(arguments: [
        (25, 61, 0, 0), (24, 0, 0, 0), (-1, 0, 0, 0), (0, 60, 0, 0), (0, 0, 60, 0), (0, 0, 0, 1_000_000_000),
        (0, -1, 0, 0), (0, 0, -1, 0), (0, 0, 0, -1),
    ])
    func timesThatNoClockShowsAreRefused(hour: Int, minute: Int, second: Int, nanosecond: Int) {
        #expect(LocalTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond) == nil)
    }

    @Test func partsComeBack() throws {
        let time = try #require(LocalTime(hour: 23, minute: 59, second: 58, nanosecond: 999_999_999))
        #expect((time.hour, time.minute, time.second, time.nanosecond) == (23, 59, 58, 999_999_999))
        #expect(LocalTime.midnight < time && LocalTime(hour: 0, minute: 0) == .midnight)
    }
}
