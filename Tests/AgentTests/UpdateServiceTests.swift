// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Simulation
import Study
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct UpdateServiceTests {
    /// A server of the catalog is asked for news (ESMira's each hour): between two looks it waits for the next,
    /// and for the least pause after a request. It ends when it is cancelled.
    @Test func whereThereIsAServerItLooksAgain() async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let panel = try AgentFixture.panel(AgentFixture.panels[2])
        let service = UpdateService(
            database: database, platforms: .standard,
            enroller: Enroller(
                database: database, panel: panel, zone: .utc, stamps: stamps,
                media: MediaCache(folder: "/tmp/studyd-no-media")),
            panel: panel, stamps: stamps, voice: nil, mailbox: Mailbox(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await service.run() }
        await clock.whenSleeping(2)
        clock.advance(to: clock.monotonic + .seconds(3_600))
        await clock.whenSleeping(2)
        running.cancel()
        _ = await running.result
    }

    /// Neither before it is due nor once its time is over.
    @Test func aRunIsBegunWhileItIsDueAndWasOpened() async throws {
        let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: clock, bootID: "boot", zone: .utc)
        let enroller = Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: .utc, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"))
        let study = try LoadedStudy(AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        let record = try await enroller.enrol(Enroller.Wish(loaded: study, participant: "P-1", seed: 3))
        let enrolment = try #require(record.enrolment)
        func task() async throws -> TaskRuns {
            try #require(try await database.taskRuns(in: study.study, of: enrolment, stamps).first)
        }
        let first = try #require(try await task().runs.first?.occurrence)
        let expires = try #require(first.expires)
        #expect(try await task().isBegun == false)
        clock.advance(to: clock.monotonic + (first.due - clock.now))
        #expect(try await task().isBegun == false)
        try await database.append(
            [
                .prompted(occurrence: OccurrenceRecord(first)),
                .runOpened(task: first.task, opening: 1, occurrence: first.id),
            ], at: stamps.stamp(record.id))
        #expect(try await task().isBegun)
        clock.advance(to: clock.monotonic + (expires - clock.now - .nanoseconds(1)))
        #expect(try await task().isBegun)
        clock.advance(to: clock.monotonic + .nanoseconds(1))
        #expect(try await task().isBegun == false)
    }
}
