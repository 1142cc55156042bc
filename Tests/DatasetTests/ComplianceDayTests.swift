// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

/// docs/dataset.md: a prompt that was completed, expired, missed, declined or interrupted was due; one that could not
/// come to the participant as planned is not counted.
struct ComplianceDayTests {
    private static func prompt(
        _ outcome: String, _ reason: String? = nil, due: String = "2026-11-25T10:00:00+01:00", ended: String? = nil
    ) throws -> StudyPrompt {
        StudyPrompt(
            occurrence: "t/1", enrolment: "e1", task: "t", due: try #require(StudyTime(due)), ended: StudyTime(ended),
            outcome: outcome, reason: reason)
    }

    private static func counts(_ day: ComplianceDay) -> [Int] {
        [day.completed, day.expired, day.missed, day.declined, day.interrupted, day.notCounted]
    }

    @Test(
        arguments: [
            ("completed", nil, [1, 0, 0, 0, 0, 0]), ("expired", nil, [0, 1, 0, 0, 0, 0]),
            ("missed", "device-off", [0, 0, 1, 0, 0, 0]), ("declined", nil, [0, 0, 0, 1, 0, 0]),
            ("interrupted", nil, [0, 0, 0, 0, 1, 0]), ("missed", "before-enrolment", [0, 0, 0, 0, 0, 1]),
            ("missed", "study-paused", [0, 0, 0, 0, 0, 1]), ("missed", "replaced", [0, 0, 0, 0, 0, 1]),
            ("missed", "deleted", [0, 0, 0, 0, 0, 1]), ("completed", "not-signalled", [0, 0, 0, 0, 0, 1]),
            ("expired", "not-signalled", [0, 0, 0, 0, 0, 1]),
        ] as [(String, String?, [Int])])
    func eachEndIsCountedOnceAndIsDueIfItCounts(outcome: String, reason: String?, counts: [Int]) throws {
        let days = ComplianceDay.days(of: [try Self.prompt(outcome, reason)])
        #expect(days.map(Self.counts) == [counts])
        #expect(days.map(\.due) == [counts[5] == 0 ? 1 : 0])
        let twice = ComplianceDay.days(of: try (0..<2).map { _ in try Self.prompt(outcome, reason) })
        #expect(twice.map(Self.counts) == [counts.map { 2 * $0 }])
    }

    /// More than a quarter of an hour after it was due; only what was completed can be late.
    @Test(arguments: [
        ("completed", "10:15:00", 0), ("completed", "10:15:00.001", 1), ("completed", "10:00:00", 0),
        ("expired", "12:00:00", 0),
    ]) func lateIsMoreThanAQuarterOfAnHour(outcome: String, ended: String, late: Int) throws {
        let prompt = try Self.prompt(outcome, ended: "2026-11-25T\(ended)+01:00")
        #expect(ComplianceDay.days(of: [prompt]).map(\.late) == [late])
    }

    /// Half past midnight in Berlin is the day before in UTC.
    @Test func daysAreThoseOfTheWallClockAndInOrder() throws {
        let due = ["2026-11-26T23:59:59+01:00", "2026-11-25T00:30:00+01:00", "2026-11-25T23:59:59+01:00"]
        let days = ComplianceDay.days(of: try due.map { try Self.prompt("completed", due: $0) })
        #expect(days.map { "\($0.day) \($0.due)" } == ["2026-11-25 2", "2026-11-26 1"])
        #expect(ComplianceDay.days(of: []).isEmpty)
    }
}
