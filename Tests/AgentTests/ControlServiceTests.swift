// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Logging
import Simulation
import Synchronization
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10))) struct ControlServiceTests {
    private let clock = VirtualClock(now: Instant(seconds: 1_774_000_000))
    private let mailbox = Mailbox()
    private let wakes = Wakes()

    /// How often the uploader was woken.
    private final class Wakes: Sendable {
        private let number = Atomic<Int>(0)

        var count: Int { number.load(ordering: .relaxed) }
        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    /// A service at a socket, and its store with one enrolment.
    private func with(
        isOutdated: Bool = false, _ body: (ControlService, StudyDatabase, Enroller, _ path: String) async throws -> Void
    ) async throws {
        try await AgentFixture.inFolder { folder in
            let database = try await isOutdated ? outdated(folder + "/studyd.sqlite") : StudyDatabase(.memory)
            let stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
            let panel = try AgentFixture.panel(AgentFixture.panels[2])
            let enroller = try enroller(database)
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let service = ControlService(
                socket: try ControlSocket(path: folder + "/control.sock"), database: database, enroller: enroller,
                status: StatusReader(database: database, view: nil, stamps: stamps, folder: folder),
                platforms: .standard,
                follower: UpdateService(
                    database: database, platforms: .standard, enroller: enroller, panel: panel, stamps: stamps,
                    voice: nil, mailbox: mailbox, log: log),
                wakeUploader: { [wakes] in wakes.add() }, sendNow: {}, makeRoom: { try? await database.empty() },
                mailbox: mailbox, log: log)
            if !isOutdated { try await enrol(enroller, "P-1", seed: 3) }
            let running = Task { try await service.run() }
            let ended: Swift.Result<Void, any Error>
            do { ended = .success(try await body(service, database, enroller, folder + "/control.sock")) } catch {
                ended = .failure(error)
            }
            running.cancel()
            try await running.value
            try ended.get()
        }
    }

    private func enroller(_ database: StudyDatabase) throws -> Enroller {
        let stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        return Enroller(
            database: database, panel: try AgentFixture.panel(AgentFixture.panels[2]), zone: stamps.zone,
            stamps: stamps, media: MediaCache(folder: "/tmp/studyd-no-media"))
    }

    /// P-2 takes part, and the log is read again up to the enrolment of P-1, who has left.
    private func outdated(_ path: String) async throws -> StudyDatabase {
        let database = try StudyDatabase(.file(path))
        let enroller = try enroller(database)
        try await enrol(enroller, "P-1", seed: 3)
        _ = try await enroller.withdraw(deletesUnsent: nil)
        clock.advance(to: clock.monotonic + .seconds(60))
        try await enrol(enroller, "P-2", seed: 4)
        try Connection(.file(path)).execute("UPDATE projection SET version = 0")
        _ = try EventLog(Connection(.file(path)), catchesUp: false).catchUp(rows: 1)
        return try StudyDatabase(.file(path), catchesUp: false)
    }

    private func enrol(_ enroller: Enroller, _ participant: String, seed: UInt64) async throws {
        let study = try LoadedStudy(
            AgentFixture.protocolText(days: 3, times: [(9, 0)]), origin: "generated.json")
        _ = try await enroller.enrol(EnrolmentOptions(loaded: study, participant: participant, seed: seed))
    }

    /// Up to the news that the enrolment is another one.
    private func news(until last: (AgentEvent) -> Bool) async -> [String] {
        var news: [String] = []
        for await event in mailbox.events {
            news.append("\(event)")
            if last(event) { break }
        }
        return news
    }

    private func wish(_ database: StudyDatabase) async throws -> LeavingWish {
        let state = try #require(try await database.enrolmentByLog())
        let stamp = EventStamp(
            wall: clock.now, monotonic: clock.monotonic, bootID: "boot", zoneOffset: 3600, enrolment: state.record.id)
        return LeavingWish(stamp, deletesData: nil)
    }

    /// SQLite refuses to write as it does on a card that the kernel has made read-only.
    @Test func whoLeftOnThePanelLeavesThoughTheStoreRefusesAtFirst() async throws {
        try await with { service, database, _, _ in
            try await database.refuseWrites(true)
            let wish = try await wish(database)
            service.withdraw(wish)
            for _ in 1...3 {
                await clock.whenSleeping(1)
                #expect(try await database.latestEnrolment()?.withdrawn == nil)
                clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
            }
            await clock.whenSleeping(1)
            try await database.refuseWrites(false)
            clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
            let news = await news { if case .enrolmentChanged = $0 { true } else { false } }
            #expect(try await database.latestEnrolment()?.withdrawn == wish.stamp.wall, "the moment of the press")
            #expect(news.count == 3, "one row for all tries: \(news)")
            #expect(news[0].hasPrefix("leaving(") && news[0].contains(wish.enrolment), "the study ends: \(news)")
            #expect(news[1].contains("fault") && news[1].contains("leaving the study"), "\(news)")
        }
    }

    /// Until then the table of enrolments names an earlier participant.
    @Test func whoLeavesWhileTheLogIsReadAgainHasLeftOnceItIsRead() async throws {
        try await with(isOutdated: true) { service, database, _, _ in
            #expect(try await database.latestEnrolment()?.record.participant == "P-1")
            let wish = try await wish(database)
            service.withdraw(wish)
            await clock.whenSleeping(1)
            while try await database.catchUp() {}
            clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
            let news = await news { if case .enrolmentChanged = $0 { true } else { false } }
            #expect(news.count == 2 && news[0].hasPrefix("leaving("), "no fault: \(news)")
            let state = try await database.latestEnrolment()
            #expect(state?.record.participant == "P-2" && state?.withdrawn == wish.stamp.wall)
        }
    }

    @Test func aFaultEndsWhereACommandWasQuicker() async throws {
        try await with { service, database, enroller, _ in
            try await database.refuseWrites(true)
            service.withdraw(try await wish(database))
            await clock.whenSleeping(1)
            try await database.refuseWrites(false)
            _ = try await enroller.withdraw(deletesUnsent: nil)
            clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
            let news = await news { if case .fault(nil) = $0 { true } else { false } }
            #expect(news.count == 3 && news[1].contains("leaving the study"), "\(news)")
        }
    }

    /// No later try could be stored either.
    @Test func theStudyEndsOnceWhereTheStoreHasLostTheEnrolment() async throws {
        try await with { service, database, _, _ in
            let wish = try await wish(database)
            try await database.loseEnrolments()
            service.withdraw(wish)
            let first = await news { _ in true }
            #expect(first.first?.hasPrefix("leaving(") == true, "\(first)")
            for _ in 1...200 {
                clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
                await Task.yield()
            }
            mailbox.post(.enrolmentChanged)
            let others = await news { if case .enrolmentChanged = $0 { true } else { false } }
            #expect(others == ["enrolmentChanged"])
        }
    }

    @Test func aFullDiskIsGivenRoomForWhoLeaves() async throws {
        try await with { service, database, _, _ in
            let wish = try await wish(database)
            try await database.fill()
            service.withdraw(wish)
            let news = await news { event in
                switch event {
                case .enrolmentChanged, .leaving: true
                default: false
                }
            }
            #expect(news == ["enrolmentChanged"])
            #expect(try await database.latestEnrolment()?.withdrawn == wish.stamp.wall)
        }
    }

    /// The rule about the data is in the study's file, which the loop writes again from the study that runs.
    @Test func whoLeftOnThePanelLeavesThoughTheStudysFileIsLost() async throws {
        try await with { service, database, _, _ in
            let state = try #require(try await database.latestEnrolment())
            let study = AgentFixture.protocolText(days: 3, times: [(9, 0)])
            try await database.loseStudyFiles()
            #expect(try await database.enrolmentWithoutStudy() != nil)
            service.withdraw(try await wish(database))
            await clock.whenSleeping(1)
            #expect(try await database.latestEnrolment()?.withdrawn == nil)
            let asked = await news { if case .fault = $0 { true } else { false } }
            #expect(asked.count == 2 && asked[0].hasPrefix("leaving("), "\(asked)")
            #expect(asked.last?.contains("--delete-data") == true, "\(asked)")
            let digest = try await database.keepStudyFile(study, source: "", at: clock.now)
            #expect(digest.description == state.record.fileDigest)
            clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
            _ = await news { if case .enrolmentChanged = $0 { true } else { false } }
            #expect(try await database.latestEnrolment()?.withdrawn != nil)
        }
    }

    private static let movable = """
        {"id": 7, "version": 1, "title": "Days", "questionnaires": [{"internalId": 71, "title": "Now",
        "durationPeriodDays": 30,
        "pages": [{"inputs": [{"name": "mood", "responseType": "likert", "required": true, "text": "How are you?"}]}],
        "actionTriggers": [{"actions": [{"type": 1}], "eventTriggers": [], "schedules": [{"signalTimes": [
        {"random": true, "frequency": 2, "minutesBetween": 60, "startTimeOfDay": 32400000, "endTimeOfDay": 75600000}]}]}]}]}
        """

    /// The running study hears of moved times at once, and of what is refused nothing.
    @Test func movedTimesAreToldToTheLoopOfTheirEnrolment() async throws {
        try await with { _, database, enroller, path in
            _ = try await enroller.withdraw(deletesUnsent: nil)
            clock.advance(to: clock.monotonic + .seconds(60))
            let study = try LoadedStudy(
                Array(Self.movable.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
            let record = try await enroller.enrol(
                EnrolmentOptions(loaded: study, participant: "P-2", seed: 5, postURL: "https://study.example/api"))
            for (wish, isDone) in [("1=10:00-11:00", false), ("2=10:00", false), ("1=11:00-20:00", true)] {
                let answer = try await onThread("test-call") {
                    try ControlClient(path: path).call(.moveTimes(wishes: [wish]), within: .seconds(120))
                }
                let isTaken =
                    if case .done(let text)? = answer { text.hasPrefix("Now: 11:00-20:00 from ") } else { false }
                #expect(isTaken == isDone, "\(wish): \(String(describing: answer))")
                #expect(wakes.count == (isDone ? 1 : 0), "moved times are reported at once")
            }
            mailbox.post(.enrolmentChanged)
            let news = await news { if case .enrolmentChanged = $0 { true } else { false } }
            #expect(news.count == 2 && news[0].hasPrefix("followed(") && news[0].contains(record.id), "\(news)")
            #expect(try await !database.facts(of: record.id).variables.isEmpty)
        }
    }

    @Test func whatIsDecidedOfTheOutboxIsUploadedAtOnce() async throws {
        try await with { _, database, _, path in
            let id = try #require(try await database.items().first).item.id
            for (order, isDone) in [
                (OutboxOrder.resend(id: id), false), (.delete(id: "nosuch"), false), (.delete(id: id), true),
            ] {
                let answer = try await onThread("test-call") {
                    try ControlClient(path: path).call(.outbox(order: order), within: .seconds(120))
                }
                #expect((answer == .done(text: "deleted \(id)")) == isDone, "\(String(describing: answer))")
                #expect(wakes.count == (isDone ? 1 : 0))
            }
        }
    }

    @Test func aLookAtTheGraphsIsToldOfWhoTakesPart() async throws {
        try await with { _, database, enroller, path in
            func look() async throws -> ControlAnswer? {
                try await onThread("test-call") { try ControlClient(path: path).call(.graphs, within: .seconds(120)) }
            }
            func rows() async throws -> [Int] {
                var counts: [Int] = []
                for kind in ["graphsOpened", "graphsLeft"] {
                    counts.append(try await database.events(kind: kind).count)
                }
                return counts
            }
            let before = try await database.items().count
            #expect(try await look() == .done(text: ""))
            #expect(try await rows() == [1, 1])
            #expect(try await database.items().count == before + 2)
            clock.advance(to: clock.monotonic + .seconds(60))
            #expect(try await look() == .done(text: ""))
            #expect(try await rows() == [2, 2])
            _ = try await enroller.withdraw(deletesUnsent: nil)
            #expect(try await look() == .refused(reason: "\(EnrolmentError.notEnrolled)"))
            #expect(try await rows() == [2, 2])
        }
    }

    /// Not even where a person with a terminal was quicker.
    @Test func nobodyElseIsTakenOffTheStudyInstead() async throws {
        try await with { service, database, enroller, _ in
            try await database.refuseWrites(true)
            service.withdraw(try await wish(database))
            await clock.whenSleeping(1)
            try await database.refuseWrites(false)
            _ = try await enroller.withdraw(deletesUnsent: nil)
            try await enrol(enroller, "P-2", seed: 4)
            clock.advance(to: clock.monotonic + ControlService.withdrawalPause)
            for _ in 1...200 {
                let present = try await database.latestEnrolment()
                try #require(present?.record.participant == "P-2" && present?.withdrawn == nil)
                await Task.yield()
            }
        }
    }
}

extension StudyDatabase {
    fileprivate func loseStudyFiles() throws { try connection.execute("DELETE FROM study_file") }

    fileprivate func loseEnrolments() throws { try connection.execute("DELETE FROM enrolment") }

    /// No page is left for leaving, which takes some.
    fileprivate func fill() throws {
        try connection.execute(
            """
            CREATE TEMP TRIGGER large AFTER INSERT ON event WHEN NEW.kind = 'withdrawn'
            BEGIN INSERT INTO study_file VALUES ('large', '', 0, zeroblob(1000000)); END;
            PRAGMA max_page_count = 1
            """)
    }

    fileprivate func empty() throws { try connection.execute("PRAGMA max_page_count = 1000000") }

    fileprivate func refuseWrites(_ refuses: Bool) throws {
        try connection.execute("PRAGMA query_only = \(refuses ? "ON" : "OFF")")
    }
}
