// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct LocalDateTimeTests {
    @Test(arguments: [
        ("2026-12-31T23:50:00", 15, "2027-01-01T00:05:00"), ("2024-03-01T00:05:00", -10, "2024-02-29T23:55:00"),
        ("2026-03-28T12:00:00", 1440, "2026-03-29T12:00:00"),
        ("2026-01-01T00:00:00", -1440 * 365, "2025-01-01T00:00:00"),
    ])
    func minutesAreAddedAcrossMidnight(start: String, minutes: Int, expected: String) throws {
        #expect(try LocalDateTime(parsing: start).adding(minutes: minutes).description == expected)
    }

    @Test(arguments: [
        ("2026-01-01T00:00", "2026-01-01T00:00", false), ("2026-01-01T00:00", "2026-01-01T00:01", true),
        ("2026-01-01T00:01", "2026-01-01T00:00", false), ("2026-01-01T23:59", "2026-01-02T00:00", true),
        ("2026-01-02T00:00", "2026-01-01T23:59", false),
    ])
    func theFaceOfTheClockSaysWhatIsEarlier(left: String, right: String, isEarlier: Bool) throws {
        let (one, other) = (try LocalDateTime(parsing: left), try LocalDateTime(parsing: right))
        #expect((one < other) == isEarlier)
    }

    @Test func hugeNumbersOfMinutesAreTakenAsCenturies() throws {
        let start = try LocalDateTime(parsing: "2026-01-01T23:59")
        #expect(start.adding(minutes: .max).date.components.year == 2316)
        #expect(start.adding(minutes: .min).date.components.year == 1735)
        #expect(start.adding(.nanoseconds(Int64.max)).date.components.year == 2318)
    }

    /// 106 250 days, which a duration in nanoseconds still holds.
    @Test(arguments: [153_000_000, -153_000_000]) func minutesHaveALimit(limit: Int) throws {
        let start = try LocalDateTime(parsing: "2026-01-01T00:00")
        let step = limit.signum()
        #expect(start.adding(minutes: limit) == LocalDateTime(start.date.adding(days: limit / 1440), .midnight))
        #expect(start.adding(minutes: limit + step) == start.adding(minutes: limit))
        #expect(start.adding(minutes: limit - step) == start.adding(minutes: limit).adding(.seconds(-60 * step)))
    }

    @Test func offsetIsAddedAndTakenAway() {
        for offset in [-43_200, -1, 0, 3208, 50_400] {
            let moment = Instant(nanoseconds: -1_234_567_890_123_456_789)
            #expect(LocalDateTime(moment, offset: offset).instant(offset: offset) == moment)
        }
    }
}
