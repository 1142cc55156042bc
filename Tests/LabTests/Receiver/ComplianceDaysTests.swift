// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

/// What an upload tells of a participant's days comes from a network: due, answered, late, missed.
@Suite struct ComplianceDaysTests {
    @Test(arguments: [
        ("0/0/0/0", true), ("10000/10000/10000/0", true), ("10001/0/0/0", false), ("-1/0/0/0", false),
        ("3/2/0/1", true), ("3/2/0/2", false), ("3/2/2/1", true), ("3/2/3/1", false), ("3/0/0/3", true),
        ("3/0/0/4", false), ("1/0/0/0/0", false), ("1/0/0/", false), ("1//0/0", false),
    ]) func countsAreWithinEachOther(counts: String, isRead: Bool) {
        #expect((ComplianceDays("2026-11-21=\(counts)") != nil) == isRead)
    }

    @Test(arguments: [(1, true), (2, true), (31, true), (32, false)]) func aMonthIsTheMost(days: Int, isRead: Bool) {
        let first = LocalDate(year: 2026, month: 10, day: 1)
        let words = (0..<days).map { "\(LocalDate(daysSinceEpoch: (first?.daysSinceEpoch ?? 0) + $0))=2/1/0/1" }
        let read = ComplianceDays(words.reversed().joined(separator: " "))
        #expect((read?.days.count ?? 0) == (isRead ? days : 0))
        #expect(read?.days.first?.date == (isRead ? first : nil), "the latest is last, however they came")
        #expect(read?.days.allSatisfy { $0.due == 2 } ?? !isRead)
    }

    @Test(arguments: [(2000, true), (2001, false)]) func aLongFieldIsNotRead(bytes: Int, isRead: Bool) {
        let day = "2026-11-21=2/1/0/1"
        let field = day + String(repeating: " ", count: bytes - day.utf8.count)
        #expect((ComplianceDays(field) != nil) == isRead)
    }
}
