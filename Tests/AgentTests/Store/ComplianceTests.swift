// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct ComplianceTests {
    /// 1 800 000 000 is 2027-01-15T08:00:00Z (`date -u -d @1800000000`).
    @Test func promptsAreCountedByTheDaysOfTheWallClock() async throws {
        let database = try StudyDatabase(.memory)
        func conclude(_ number: Int, _ outcome: Outcome, after seconds: Int64) async throws {
            let due = Int64(number) * 3600
            try await database.append([.prompted(occurrence: Fixture.record(number))], at: Fixture.stamp(due))
            try await database.append(
                [.concluded(occurrence: Fixture.record(number), outcome: outcome)], at: Fixture.stamp(due + seconds))
        }
        try await conclude(0, .completed, after: 60)
        try await conclude(1, .completed, after: 901)
        try await conclude(2, .expired, after: 600)
        // 23:00Z is midnight, one hour east.
        try await conclude(15, .completed, after: 900)
        try await database.append([.prompted(occurrence: Fixture.record(16))], at: Fixture.stamp(16 * 3600))
        // Its time was over before anybody took part.
        try await database.append(
            [.concluded(occurrence: Fixture.record(-1), outcome: .missed(.beforeEnrolment))], at: Fixture.stamp(0))
        let now = Fixture.stamp(17 * 3600).wall
        #expect(
            try await database.compliance(of: "e1", at: now, offset: 3600)?.text
                == "2027-01-15=3/2/1/1 2027-01-16=2/1/0/0")
        // Winter time moves no prompt of the days before to another day.
        #expect(
            try await database.compliance(of: "e1", at: now, offset: 0)?.text == "2027-01-15=3/2/1/1 2027-01-16=2/1/0/0"
        )
        #expect(try await database.compliance(of: "e2", at: now, offset: 3600) == nil)
        // Two weeks are counted.
        let later = now + .seconds(13 * 86_400)
        #expect(try await database.compliance(of: "e1", at: later, offset: 3600)?.text == "2027-01-16=2/1/0/0")
    }
}
