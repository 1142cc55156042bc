// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct CWATimestampTests {
    private func local(_ nanosecond: Int, second: Int = 7) throws -> LocalDateTime {
        LocalDateTime(
            try #require(LocalDate(year: 2026, month: 12, day: 31)),
            try #require(LocalTime(hour: 23, minute: 59, second: second, nanosecond: nanosecond)))
    }

    @Test func fieldsAreWhereTheFormatHasThem() throws {
        let stamp = CWATimestamp(try local(500_000_000))
        #expect(stamp.packed == 26 << 26 | 12 << 22 | 31 << 17 | 23 << 12 | 59 << 6 | 7)
        #expect(stamp.fraction == 16_384)
    }

    @Test(arguments: [0, 1, 370_000_000, 999_969_482, 123_456_789])
    func fractionsAreRoundedUpAndNeverDown(nanosecond: Int) throws {
        let stamp = CWATimestamp(try local(nanosecond))
        let back = try #require(stamp.local)
        let error = back.instant(offset: 0) - (try local(nanosecond)).instant(offset: 0)
        #expect(error >= .nanoseconds(-1) && error < .nanoseconds(30_519))
    }

    @Test func theLastFractionCarriesIntoTheNextYear() throws {
        let stamp = CWATimestamp(try local(999_999_999, second: 59))
        #expect(stamp.fraction == 0)
        #expect(stamp.local?.date == LocalDate(year: 2027, month: 1, day: 1))
        #expect(stamp.local?.time == .midnight)
    }

    @Test(arguments: [UInt32(0), .max, 26 << 26 | 13 << 22 | 1 << 17])
    func fieldsThatNameNoTimeAreNone(packed: UInt32) {
        #expect(CWATimestamp(packed: packed, fraction: 0).local == nil)
    }
}
