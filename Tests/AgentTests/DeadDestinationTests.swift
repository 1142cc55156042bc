// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Logging
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10)), .serialized) struct DeadDestinationTests {
    /// Each of four servers is silent, which takes half a minute to find out: the study's,
    /// that of a study that was left, and two of recordings. Every one of them is asked in
    /// the first seconds.
    @Test func aServerThatDoesNotAnswerDelaysNothingThatGoesElsewhere() async throws {
        let (left, present, first, second) = (
            try SilentServer(), try SilentServer(), try SilentServer(), try SilentServer()
        )
        let fixture = try AgentFixture.panel(AgentFixture.panels[2])
        let database = try StudyDatabase(.memory)
        let stamps = EventClock(clock: SystemClock(), bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        let destinations = [
            ConfiguredDestination.recordings(to: first.url),
            ConfiguredDestination(TusDestination(name: "second", endpoint: second.url), takes: .recordings),
        ]
        let enroller = Enroller(
            database: database, panel: fixture, zone: stamps.zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"), destinations: destinations)
        func enrol(_ participant: String, to server: SilentServer) async throws -> EnrolmentRecord {
            let study = try LoadedStudy(
                AgentFixture.protocolText(days: 3, times: [(9, 0)], questions: AgentFixture.yesNo), origin: "x.json")
            return try await enroller.enrol(
                EnrolmentOptions(loaded: study, participant: participant, seed: 3, postURL: server.url))
        }
        _ = try await enrol("P-1", to: left)
        _ = try await enroller.withdraw(deletesUnsent: false)
        let record = try await enrol("P-2", to: present)
        let copy = Hello.draft(to: "second", [("participant", "P-2")])
        try await database.append([], sending: [copy], at: stamps.stamp(record.id))
        let maker = UploaderMaker(
            AgentConfiguration(board: "", state: "/nowhere", zone: "UTC", destinations: destinations),
            database: database,
            folder: try StateFolder("/tmp/studyd-dead-\(getpid())"), stamps: stamps, log: Logger(label: "test"))
        let uploader = maker.make()
        let running = Task { await uploader.run() }
        for server in [left, present, first, second] { #expect(try await server.isAsked()) }
        uploader.stop()
        await running.value
    }

    /// Where the two meet: servers of studies that were left, which are one destination; two
    /// destinations; a destination and a study's server. The dead one has its item first.
    @Test(
        .enabled(if: LabServer.isAvailable, "python3 is missing"),
        arguments: [
            ("study", "study"), ("dead", "good"), ("dead", "study"), ("study", "good"), ("bucket", "good"),
            ("radar", "good"),
        ])
    func whatGoesElsewhereArrivesWhileADeadServerIsStillAsked(dead: String, good: String) async throws {
        let (silent, server) = (try SilentServer(), try LabServer())
        let folder = try UploadFixture.folder()
        let database = try StudyDatabase(.memory)
        let draft =
            dead == "radar"
            ? try RadarPlatform.answer() : UploadFixture.draft("dead", to: silent.url, destination: dead)
        try await UploadFixture.append([draft], to: database, of: "e1")
        try await UploadFixture.append(
            [UploadFixture.draft("good", to: server.url("/take"), destination: good)], to: database, of: "e2")
        let (deliveries, delivered) = AsyncStream<Void>.makeStream()
        let made = UploadFixture.context(HastyClock())
        let uploader = Uploader(
            database,
            to: [
                UploadFixture.study(total: .seconds(600)), TusDestination(name: "dead", endpoint: silent.url),
                TusDestination(name: "good", endpoint: server.url("/tus/")),
                try S3FaultTests.destination(silent.origin, folder, name: "bucket"),
                try RadarPlatform.destination(["url": .text(silent.url)], folder),
            ],
            context: UploadContext(
                clock: made.clock, recordings: "/nowhere", stamp: made.stamp,
                report: { if case .delivered = $0 { delivered.yield() } }),
            seed: 1, userAgent: "studyd-tests/1")
        let running = Task { await uploader.run() }
        for await _ in deliveries { break }
        #expect(try await silent.isAsked())
        // The first attempt at the dead one, which has ten minutes, is still under way.
        #expect(try await database.items().map(\.state) == [.sending, .delivered])
        uploader.stop()
        await running.value
    }
}
