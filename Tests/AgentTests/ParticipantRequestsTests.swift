// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Study
import Testing

@testable import Agent

/// The answer to a request for the reward of a study of ESMira, whose `rewardVisibleAfterDays` counts days
/// of the participant's calendar.
@Suite struct ParticipantRequestsTests {
    /// The answer to a participant who joined at 23:30 on 2 March 2026, in UTC, that many minutes after.
    private static func answer(afterDays days: Int, minutes: Int64, code: String? = nil) async throws -> String {
        let begin = try LocalDateTime(parsing: "2026-03-02T23:30:00").instant(offset: 0)
        let clock = VirtualClock(now: begin)
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let text =
            #"{"id":7,"version":1,"enableRewardSystem":true,"rewardVisibleAfterDays":\#(days),"questionnaires":[{"internalId":71,"title":"EMA","pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}]}]}"#
        let loaded = try LoadedStudy(
            Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
        let enroller = Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: .utc, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"), isDated: { true })
        _ = try await enroller.enrol(
            EnrolmentOptions(loaded: loaded, participant: "P-1", seed: 3, postURL: "https://s.example/"))
        let record = try #require(try await database.latestEnrolment()?.record)
        if let code {
            try await database.append(
                [.serverFact(name: ServerFact.reward, text: code)], sending: [], at: stamps.stamp(record.id))
        }
        clock.advance(to: clock.monotonic + .seconds(60 * minutes))
        // Without a server that could be asked.
        let requests = ParticipantRequests(database: database, platforms: PlatformCatalog([]), stamps: stamps)
        do { return try await requests.reward() } catch let refusal as RewardRefusal { return refusal.description }
    }

    @Test(
        arguments: [
            (0, 0, nil), (1, 29, "1 day"), (1, 30, nil), (2, 29, "2 days"), (2, 30, "1 day"), (2, 30 + 1440, nil),
            (30, 30 + 1440, "28 days"), (2, 30 + 14_400, nil),
        ] as [(Int, Int64, String?)])
    func aRewardIsRequestedOnceItsDayHasCome(days: Int, minutes: Int64, left: String?) async throws {
        #expect(
            try await Self.answer(afterDays: days, minutes: minutes)
                == left.map { "the reward can be requested in \($0)" }
                ?? "this study has no server that gives out reward codes")
    }

    @Test func aCodeThatWasGivenIsSaidAgainWithoutAsking() async throws {
        let said = try await Self.answer(afterDays: 0, minutes: 0, code: "R-1")
        #expect(said.hasPrefix("reward code   R-1"), "\(said)")
    }
}
