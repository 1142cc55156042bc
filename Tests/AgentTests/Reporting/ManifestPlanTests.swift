// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct ManifestPlanTests {
    private static let first = LocalDate(year: 2026, month: 3, day: 27)?.daysSinceEpoch ?? 0

    private static func plan(today: Int) throws -> ManifestPlan {
        ManifestPlan(zone: try Zone.load(AgentFixture.berlin), today: LocalDate(daysSinceEpoch: first + today))
    }

    private static func state(_ id: String, day: Int, left: Int? = nil, isDated: Bool = true) throws -> EnrolmentState {
        let zone = try Zone.load(AgentFixture.berlin)
        func noon(_ day: Int) -> Instant {
            zone.resolve(LocalDateTime(LocalDate(daysSinceEpoch: first + day), .midnight)).instant + .seconds(43_200)
        }
        var record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "s", fileDigest: try Digest(of: []))
        (record.id, record.instant) = (id, noon(day))
        if !isDated { record.undated = .init(bootID: "b", monotonic: .zero) }
        return EnrolmentState(record: record, arePromptsOn: true, withdrawn: left.map(noon))
    }

    /// All that are due, one after the other, as `e1+0`.
    private func days(_ plan: ManifestPlan, _ enrolments: [EnrolmentState], after memory: ReportMemory.Day? = nil)
        -> [String]
    {
        var (memory, days) = (memory, [String]())
        while let due = plan.next(enrolments, after: memory) {
            days.append("\(due.enrolment)+\(due.day - Self.first)")
            memory = .init(enrolment: due.enrolment, day: due.day + 1)
        }
        return days
    }

    @Test func aDayIsDueWhenItIsOver() throws {
        let enrolments = [try Self.state("e1", day: 0)]
        #expect(days(try Self.plan(today: 0), enrolments) == [])
        #expect(days(try Self.plan(today: 1), enrolments) == ["e1+0"])
        #expect(days(try Self.plan(today: 3), enrolments) == ["e1+0", "e1+1", "e1+2"])
    }

    @Test func theLastDayOfAnEnrolmentIsDueAtItsEnd() throws {
        let enrolments = [try Self.state("e1", day: 0, left: 2)]
        #expect(days(try Self.plan(today: 2), enrolments) == ["e1+0", "e1+1", "e1+2"])
        #expect(days(try Self.plan(today: 9), enrolments) == ["e1+0", "e1+1", "e1+2"])
    }

    /// Recordings are sealed after the participant has left, at times after midnight. What is never sealed holds
    /// nothing up for longer than that day.
    @Test func theLastDayWaitsForTheLastRecordingsAndHasThem() throws {
        let enrolments = [try Self.state("e1", day: 0, left: 1), try Self.state("e2", day: 1, left: 1)]
        let memory = ReportMemory.Day(enrolment: "e1", day: Self.first)
        let cases: [(today: Int, unlogged: [String], due: [String])] = [
            (1, ["e1"], ["e1+0"]), (1, ["e2"], ["e1+0", "e1+1"]), (1, [], ["e1+0", "e1+1", "e2+1"]),
            (2, ["e1", "e2"], ["e1+0", "e1+1", "e2+1"]),
        ]
        for (today, unlogged, due) in cases {
            var plan = try Self.plan(today: today)
            plan.unlogged = Set(unlogged)
            #expect(days(plan, enrolments, after: memory) == due, "on day \(today), without \(unlogged)")
        }
        let (plan, state) = (try Self.plan(today: 1), try #require(enrolments.first))
        func isWhole(_ day: Int) -> Bool {
            let date = LocalDate(daysSinceEpoch: Self.first + day)
            return plan.span(of: date, in: state) == plan.span(of: date)
        }
        #expect(isWhole(0) && !isWhole(1))
        #expect([0, 1].map { try? Self.plan(today: $0).endsToday(state) } == [false, true])
        let last = plan.span(of: LocalDate(daysSinceEpoch: Self.first + 1), in: state)
        #expect(last.end > plan.span(of: LocalDate(daysSinceEpoch: Self.first + 2)).end)
    }

    @Test func whatAnEarlierEnrolmentOwesComesFirst() throws {
        let enrolments = try [
            Self.state("e1", day: 0, left: 1), Self.state("e2", day: 1, left: 1), Self.state("e3", day: 2),
        ]
        let memory = ReportMemory.Day(enrolment: "e1", day: Self.first + 1)
        #expect(days(try Self.plan(today: 3), enrolments, after: memory) == ["e1+1", "e2+1", "e3+2"])
        // A device that begins to report has no past to tell.
        #expect(days(try Self.plan(today: 3), enrolments) == ["e3+2"])
    }

    @Test func withoutADateNoDayIsKnown() throws {
        #expect(days(try Self.plan(today: 5), [try Self.state("e1", day: 0, isDated: false)]) == [])
        #expect(days(try Self.plan(today: 5), []) == [])
    }

    @Test func anEnrolmentThatWasLeftBeforeItHadADateHoldsNothingUp() throws {
        let enrolments = try [
            Self.state("e1", day: 0, left: 1), Self.state("e2", day: 1, left: 1, isDated: false),
            Self.state("e3", day: 2),
        ]
        let memory = ReportMemory.Day(enrolment: "e1", day: Self.first + 1)
        #expect(days(try Self.plan(today: 3), enrolments, after: memory) == ["e1+1", "e3+2"])
        #expect(days(try Self.plan(today: 3), Array(enrolments.prefix(2)), after: memory) == ["e1+1"])
    }

    /// 2026-03-29 has 23 hours in Berlin, 2026-10-25 has 25 (IANA's tzdata).
    @Test(arguments: [(2026, 3, 29, 23), (2026, 10, 25, 25), (2026, 11, 25, 24)])
    func aDayIsAsLongAsItIs(year: Int, month: Int, day: Int, hours: Int64) throws {
        let date = try #require(LocalDate(year: year, month: month, day: day))
        let span = try Self.plan(today: 0).span(of: date)
        #expect(span.end - span.start == .seconds(hours * 3600))
    }
}
