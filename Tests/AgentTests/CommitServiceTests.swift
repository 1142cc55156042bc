// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Logging
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10))) struct CommitServiceTests {
    let clock = VirtualClock(now: Instant(seconds: 1_800_000_000))
    let mailbox = Mailbox()

    private func service(_ database: StudyDatabase) -> CommitService {
        var log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        return CommitService(
            mailbox: mailbox, clock: clock, log: log, wakeUploader: {}, append: CommitService.appending(to: database))
    }

    private func stamp(_ second: Int64 = 0) -> EventStamp {
        EventStamp(
            wall: Instant(seconds: 1_800_000_000 + second), monotonic: MonotonicTime(nanoseconds: second),
            bootID: "boot", zoneOffset: 0, enrolment: "e1")
    }

    private func occurrence(_ number: Int) -> OccurrenceRecord {
        let due = Instant(seconds: 1_800_000_000 + Int64(number))
        return OccurrenceRecord(
            Occurrence(
                id: "mood/\(number)", task: "mood", taskIndex: 0, number: number, local: LocalDateTime(due, offset: 0),
                due: due, expires: nil))
    }

    private func draft(_ text: String) -> OutboxDraft {
        OutboxDraft(
            origin: text, itemClass: .answers, destination: "schema",
            content: .request(WireRequest(method: "POST", url: "http://x", headers: [], body: Array(text.utf8))))
    }

    private func commit(_ events: [StudyEvent], _ drafts: [OutboxDraft] = [], submission: Bool = false) -> StudyCommit {
        var commit = StudyCommit()
        commit.events = events
        commit.drafts = drafts
        if submission { commit.events.append(Self.submitted) }
        return commit
    }

    private static let submitted = StudyEvent.submitted(
        task: "mood", opening: 1, submission: SubmissionRecord(Fixture.submission))

    /// What the loop was sent, in words.
    private func told(_ count: Int) async -> [String] {
        var told: [String] = []
        for await event in mailbox.events {
            if case .committed(let runs) = event {
                told.append("committed(\(runs.map { "\($0.task)/\($0.opening)" }.joined()))")
            } else {
                told.append("\(event)")
            }
            if told.count == count { break }
        }
        return told
    }

    @Test func commitsInOrderAndSaysWhenAnAnswerIsStored() async throws {
        let database = try StudyDatabase(.memory)
        let service = service(database)
        service.commit(commit([]), at: stamp())
        service.commit(commit([.listOpened]), at: stamp(1))
        service.commit(commit([.listLeft], [draft("a")], submission: true), at: stamp(2))
        service.finish()
        await service.work()
        #expect(await told(2) == ["committed()", "committed(mood/1)"])
        #expect(try await database.events().map(\.event).prefix(2) == [.listOpened, .listLeft])
        #expect(try await database.items().count == 1)
    }

    @Test func whatTheStoreRefusesTakesNothingElseWithItAndIsNotConfirmed() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([.concluded(occurrence: occurrence(1), outcome: .completed)], at: stamp())
        let service = service(database)
        let events: [StudyEvent] = [
            .menuOpened, .concluded(occurrence: occurrence(1), outcome: .expired),
            .concluded(occurrence: occurrence(2), outcome: .declined),
        ]
        service.commit(commit(events, [draft("a"), draft("b")], submission: true), at: stamp(1))
        service.commit(commit([.menuLeft]), at: stamp(2))
        service.finish()
        await service.work()
        let told = await told(2)
        #expect(told == ["fault(Optional(\"The device could not store everything\"))", "committed()"])
        #expect(try await database.outcomes(of: "e1") == ["mood/1": .completed, "mood/2": .declined])
        let kept = try await database.events().map(\.event)
        #expect(kept.contains(.menuOpened) && kept.contains(.menuLeft))
        #expect(
            kept.contains { event in
                if case .fault("store", let message) = event { message.contains("mood/1") } else { false }
            })
        #expect(try await database.items().count == 2)
        #expect(try await database.verifyLog() == nil)
    }

    /// The journal is for operators: it names the kind of what was refused, without a word of the
    /// answer.
    @Test func aRefusedAnswerIsNotWrittenIntoTheJournal() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([.concluded(occurrence: occurrence(1), outcome: .completed)], at: stamp())
        let lines = Mutex<[String]>([])
        let log = Logger(label: "test") { _ in RecordingHandler { line in lines.withLock { $0.append(line) } } }
        let service = CommitService(
            mailbox: mailbox, clock: clock, log: log, wakeUploader: {}, append: CommitService.appending(to: database))
        let secret = AnswerRecord(
            question: "mood", value: .text("a secret word"), presented: nil, answered: .zero, presses: 1)
        service.commit(
            commit(
                [
                    .answered(task: "mood", opening: 1, answer: secret),
                    .concluded(occurrence: occurrence(1), outcome: .expired),
                ]), at: stamp(1))
        service.finish()
        await service.work()
        let text = lines.withLock { $0.joined(separator: "\n") }
        #expect(text.contains("the store refused") && text.contains("answered concluded"), "\(text)")
        #expect(!text.contains("secret"), "\(text)")
        let faults = try await database.events(kind: "fault").map { "\($0.event)" }
        #expect(faults.count == 1 && faults[0].contains("refused concluded") && !faults[0].contains("secret"))
    }

    /// Each transaction is a flush of the flash. A press by itself waits, for an answer or for two
    /// seconds; nothing else does.
    @Test func pressesWaitForWhatIsMadeOfThem() async throws {
        let database = try StudyDatabase(.memory)
        let disk = FullDisk(database, refusals: 0)
        let service = CommitService(
            mailbox: mailbox, clock: clock, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            wakeUploader: {},
            append: { try await disk.append($0) })
        async let ran: Void = service.work()
        for number in 0..<10 {
            let event = StudyEvent.pressed(button: 0, at: MonotonicTime(nanoseconds: Int64(number)))
            service.commit(commit([event]), at: stamp(Int64(number)))
        }
        await clock.whenSleeping(1)
        #expect(await disk.tries == 0)
        service.commit(commit([.listOpened]), at: stamp(10))
        #expect(await told(11).count == 11)
        #expect(await disk.tries == 1 && clock.sleeping == 0, "the next press waits from its own moment")
        let walls = try await database.events().map(\.stamp.wall)
        #expect(walls == walls.sorted() && Set(walls).count == 11)
        // Alone, two seconds.
        service.commit(commit([.released(button: 0, at: .zero)]), at: stamp(11))
        await clock.whenSleeping(1)
        clock.advance(to: clock.monotonic + CommitQueue.patience - .milliseconds(1))
        #expect(await disk.tries == 1)
        clock.advance(to: clock.monotonic + .milliseconds(1))
        #expect(await told(1) == ["committed()"])
        #expect(await disk.tries == 2)
        // Readers of the log, and the end, do not wait for them.
        service.commit(commit([.pressed(button: 0, at: .zero)]), at: stamp(12))
        await service.waitUntilDrained()
        #expect(try await database.events().count == 13)
        service.finish()
        await ran
    }

    /// A run that was submitted shortly before its participant left may still be queued.
    @Test func resultsAreRemovedBehindWhatIsOnItsWay() async throws {
        let fixture = try SoundFixture()
        let results = ResultFolder(fixture.path + "/results")
        let service = CommitService(
            mailbox: mailbox, clock: clock, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            results: results, wakeUploader: {}, append: CommitService.appending(to: try StudyDatabase(.memory)))
        var row = commit([.listOpened], submission: true)
        row.results = ["e1", "e2"].map { ResultEntry(enrolment: $0, task: "mood", run: 1, tree: .object([])) }
        service.commit(row, at: stamp(1))
        async let removed: Void = service.removeResults(of: "e1")
        async let ran: Void = service.work()
        await removed
        service.finish()
        await ran
        #expect(results.results(of: "e1").isEmpty)
        #expect(results.results(of: "e2") == [fixture.path + "/results/e2/mood-1.json"])
    }

    private func certificate(in folder: String) throws -> String? {
        guard
            system(
                "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=study -days 3 -keyout \(folder)/key.pem -out \(folder)/cert.pem >/dev/null 2>&1"
            ) == 0
        else {
            print("SKIPPED: the program openssl is not installed")
            return nil
        }
        return String(decoding: try BoundedFile.read(folder + "/cert.pem"), as: UTF8.self)
    }

    private func archive(of recordings: [String], for recipient: String?) -> OutboxDraft {
        var request = WireRequest(method: "POST", url: "http://x", headers: [], body: [])
        request.recipient = recipient
        request.archive = WireArchive(written: LocalDateTime(Instant(seconds: 1_800_000_000), offset: 0)) {
            unreadable in
            let here = recordings.filter { !unreadable.contains($0) }
            return [.init("says", .bytes(Array(here.joined(separator: " ").utf8)))]
                + here.map {
                    .init($0, .recorded(RecordedPart(files: [$0], form: .asItIs, marks: [], end: 0)))
                }
        }
        return OutboxDraft(origin: "run 1", itemClass: .answers, destination: "sage", content: .request(request))
    }

    /// What is sent is opened by `openssl cms` and `unzip -t`. Nothing is mapped at address 0 of
    /// `/proc/self/mem`: the kernel answers EIO.
    @Test func whatCannotBeReadIsLeftOutAndSaidAndTheRestIsSent() async throws {
        let folder = "/tmp/studyd-commit-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try #require(mkdir(folder, 0o700) == 0)
        defer { _ = system("rm -r \(folder)") }
        guard let recipient = try certificate(in: folder) else { return }
        try AtomicFile.write(Array("good".utf8), to: folder + "/1.flac")
        try #require(symlink("/proc/self/mem", folder + "/2.flac") == 0)
        let database = try StudyDatabase(.memory)
        let service = CommitService(
            mailbox: mailbox, clock: clock, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            packer: RequestPacker(folder: folder), wakeUploader: {},
            append: CommitService.appending(to: database))
        service.commit(
            commit([.listOpened], [archive(of: ["1.flac", "2.flac", "3.flac"], for: recipient)]), at: stamp(1))
        service.finish()
        await service.work()
        let messages = try await database.events().compactMap { row -> String? in
            if case .fault("delivery", let message) = row.event { message } else { nil }
        }
        #expect(messages.count == 2)
        #expect(messages.first?.contains("2.flac: cannot read") == true, "\(messages)")
        #expect(messages.last?.contains("3.flac: cannot open") == true, "\(messages)")
        let item = try #require(
            try await database.nextItem(
                for: "sage", of: "e1", at: clock.now, longestWait: .seconds(60)))
        guard case .request(let request) = try await database.content(of: item) else { throw CancellationError() }
        try AtomicFile.write(request.body, to: folder + "/sealed")
        #expect(
            system(
                "cd \(folder) && openssl cms -decrypt -binary -inform DER -in sealed -inkey key.pem -out a.zip && unzip -t a.zip >/dev/null && unzip -p a.zip says > says && unzip -p a.zip 1.flac > sound"
            ) == 0)
        #expect(try BoundedFile.read(folder + "/says") == Array("1.flac".utf8))
        #expect(try BoundedFile.read(folder + "/sound") == Array("good".utf8))
    }

    @Test func whatCannotBeEncryptedIsNotSentAndSaidSo() async throws {
        let database = try StudyDatabase(.memory)
        let service = service(database)
        var plain = WireRequest(method: "POST", url: "http://x", headers: [], body: [1])
        plain.recipient = "no certificate"
        let bare = OutboxDraft(origin: "run 2", itemClass: .answers, destination: "sage", content: .request(plain))
        service.commit(commit([.listOpened], [archive(of: [], for: "no certificate"), bare, draft("a")]), at: stamp(1))
        service.finish()
        await service.work()
        #expect(try await database.items().map(\.item.origin) == ["a"])
        let faults = try await database.events().compactMap { row -> String? in
            if case .fault("delivery", let message) = row.event { message } else { nil }
        }
        #expect(faults.map { $0.prefix(24) } == ["nothing is sent of run 1", "nothing is sent of run 2"], "\(faults)")
        #expect(faults.allSatisfy { $0.contains("certificate") })
    }

    @Test func whatTheDiskRefusesIsTriedAgainAndToldOnce() async throws {
        let database = try StudyDatabase(.memory)
        let disk = FullDisk(database, refusals: 3)
        let service = CommitService(
            mailbox: mailbox, clock: clock, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            wakeUploader: {},
            append: { try await disk.append($0) })
        service.commit(commit([.listOpened], submission: true), at: stamp(1))
        service.finish()
        async let ran: Void = service.work()
        for _ in 0..<3 {
            await clock.whenSleeping(1)
            clock.advance(to: clock.monotonic + CommitService.pause)
        }
        await ran
        #expect(
            await told(3) == [
                "fault(Optional(\"The device cannot store data; free space on the disk that holds it\"))", "fault(nil)",
                "committed(mood/1)",
            ])
        #expect(try await database.events().map(\.event) == [.listOpened, Self.submitted])
        #expect(await disk.tries == 4)
    }

    /// At the pace of one try in two seconds, ten minutes are 300 tries.
    @Test(arguments: [(1, [1]), (300, [1]), (301, [1, 300]), (601, [1, 300, 300])])
    func theJournalSaysOnceInTenMinutesThatTheDiskRefuses(refusals: Int, counts: [Int]) async throws {
        let disk = FullDisk(try StudyDatabase(.memory), refusals: refusals)
        let lines = Mutex<[String]>([])
        let service = CommitService(
            mailbox: mailbox, clock: clock,
            log: Logger(label: "test") { _ in RecordingHandler { line in lines.withLock { $0.append(line) } } },
            wakeUploader: {},
            append: { try await disk.append($0) })
        service.commit(commit([.listOpened]), at: stamp(1))
        service.finish()
        async let ran: Void = service.work()
        for _ in 0..<refusals {
            await clock.whenSleeping(1)
            clock.advance(to: clock.monotonic + CommitService.pause)
        }
        await ran
        let said = lines.withLock { $0 }
        #expect(said.count == counts.count + 1 && said.last?.hasPrefix("the disk takes commits again") == true)
        for (line, count) in zip(said, counts) {
            #expect(line.contains("cannot commit") && line.contains("free space on the disk"), "\(line)")
            #expect(line.replacing("\"", with: "").contains("refusals: \(count)"), "\(line)")
        }
    }

    @Test func aRefusalAfterTheDiskTookCommitsIsSaidAtOnce() {
        let lines = Mutex<[String]>([])
        let journal = RefusalJournal(
            Logger(label: "test") { _ in RecordingHandler { line in lines.withLock { $0.append(line) } } })
        let start = clock.monotonic
        journal.logRecovery()
        for second in [0, 1] { journal.logRefusal(CancellationError(), at: start + .seconds(second)) }
        #expect(lines.withLock { $0.count } == 1)
        journal.logRecovery()
        journal.logRecovery()
        #expect(lines.withLock { $0.count } == 2)
        for second in [2, 3] { journal.logRefusal(CancellationError(), at: start + .seconds(second)) }
        #expect(lines.withLock { $0.count } == 3)
    }

    /// The researcher sees no answer: the journal has to say that there was one.
    @Test func whatTheDiskDoesNotTakeBeforeTheEndIsNamed() async throws {
        let disk = FullDisk(try StudyDatabase(.memory), refusals: .max)
        let lines = Mutex<[String]>([])
        let service = CommitService(
            mailbox: mailbox, clock: clock,
            log: Logger(label: "test") { _ in RecordingHandler { line in lines.withLock { $0.append(line) } } },
            wakeUploader: {},
            append: { try await disk.append($0) })
        service.commit(commit([.listOpened]), at: stamp(1))
        let running = Task { await service.work() }
        await clock.whenSleeping(1)
        service.commit(commit([.menuOpened, .menuLeft]), at: stamp(2))
        async let drained: Void = service.waitUntilDrained()
        running.cancel()
        await running.value
        await drained
        let lost = lines.withLock { $0.filter { $0.contains("not stored before the end") } }
        #expect(lost.count == 2 && lost.first?.contains("listOpened") == true, "\(lost)")
        #expect(lost.last?.contains("menuOpened menuLeft") == true, "\(lost)")
    }
}

/// A store on a disk that is full for the first tries.
private actor FullDisk {
    private let database: StudyDatabase
    private let refusals: Int
    private(set) var tries = 0

    init(_ database: StudyDatabase, refusals: Int) {
        self.database = database
        self.refusals = refusals
    }

    func append(_ entries: [StoreEntry]) async throws {
        tries += 1
        guard tries > refusals else {
            throw DatabaseError(kind: .diskFull, code: 13, message: "database or disk is full", statement: "COMMIT")
        }
        try await database.append(entries)
    }
}

/// Gives each line with its metadata to a closure.
private struct RecordingHandler: LogHandler {
    let take: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    init(_ take: @escaping @Sendable (String) -> Void) { self.take = take }
    func log(event: LogEvent) { take("\(event.message) \(event.metadata ?? [:])") }
}
