// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Dataset
import Foundation
import Glibc
import Patience
import S3Servers
import StandIns
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Lab
@testable import Study

/// From a device's own destinations to a dataset, with nothing between but a bucket of another project's
/// server, or a folder.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MirrorTests {
    enum Place: String, CaseIterable, Sendable {
        case stick = ""
        case swift = "swift_server.py"
        case moto = "moto_server.py"
    }

    static let python = ProcessInfo.processInfo.environment["STUDYD_S3_PYTHON"] ?? "python3"
    static let places: [Place] =
        [.stick] + (S3TestServer.runs(python, importing: "swift, pyeclib, botocore") ? [.swift] : [])
        + (S3TestServer.runs(python, importing: S3TestServer.moto) ? [.moto] : [])

    private static let running = Mutex<[Place: S3TestServer]>([:])

    private static func server(_ place: Place) throws -> S3TestServer {
        try running.withLock { running in
            if let server = running[place] { return server }
            let server = try S3TestServer(python, place.rawValue)
            running[place] = server
            return server
        }
    }

    /// A device's side, and what is to be read of it.
    private struct Rig {
        let folder: String
        let destination: any Destination
        let source: any MirrorSource
        let options: [String]
        let client: HTTPClient
    }

    private func rig(_ place: Place) throws -> Rig {
        let folder = "/tmp/studyd-mirror-\(UUID())"
        try File.makeFolder(folder)
        let client = try HTTPClient(userAgent: "t")
        guard place != .stick else {
            try File.makeFolder(folder + "/stick")
            try AtomicFile.write([], to: folder + "/stick/mark")
            let stick = try DirectoryDestination(
                DestinationSettings(
                    name: "files", takes: .both, values: ["path": .text(folder + "/stick"), "marker": .text("mark")]))
            // Nothing lies there yet.
            return Rig(
                folder: folder, destination: stick, source: Later { StickFolder(folder + "/stick") },
                options: ["--data", folder + "/stick"], client: client)
        }
        let server = try Self.server(place)
        let secret = folder + "/secret"
        try AtomicFile.write(Array(server.secret.utf8), to: secret, mode: 0o600)
        let prefix = "a b+ż/\(UUID())"
        let bucket = try S3Destination(
            DestinationSettings(
                name: "files", takes: .both,
                values: [
                    "url": .text(server.url), "bucket": .text("study"), "access_key": .text(server.access),
                    "secret_key": .text(secret), "prefix": .text(prefix),
                ]))
        try bucket.open(client)
        let url = "s3://study/\(prefix)"
        let at = try #require(S3Bucket.Place(url, endpoint: server.url))
        return Rig(
            folder: folder, destination: bucket,
            source: S3Bucket(at, keys: .init(access: server.access, secret: server.secret), clock: SystemClock()),
            options: [
                "--data", url, "--s3-url", server.url, "--s3-access-key", server.access, "--s3-secret-key", secret,
            ], client: client)
    }

    /// A stick that is looked at when it is asked for.
    private struct Later: MirrorSource {
        let make: @Sendable () -> StickFolder?
        struct Nothing: Error {}
        private var now: StickFolder { get throws { if let found = make() { found } else { throw Nothing() } } }
        var name: String { "stick" }
        func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?) { try now.page(token) }
        func separateConnection() -> any MirrorSource { self }
        func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead {
            try now.head(of: entry, count: count)
        }
        func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8] {
            try now.bytes(of: entry, from: offset, count: count)
        }
    }

    private func send(_ draft: OutboxDraft, _ id: String, _ rig: Rig) throws {
        var file: FileReference?
        if case .file(let reference) = draft.content { file = reference }
        let queued = QueuedItem(
            id: id, origin: draft.origin, itemClass: draft.itemClass, destination: "files", requestDigest: nil,
            bytes: 1,
            file: file)
        var job = DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: draft.content, directory: rig.folder, location: nil, offset: nil,
            now: Instant(seconds: Int64(Date.now.timeIntervalSince1970)),
            owner: ["study": LabFixture.study, "participant": "P ż"])
        for _ in 0..<50 {
            let step = try rig.destination.send(job, by: rig.client)
            switch step {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            case .finished(.delivered): return
            default: throw FileError(path: id, message: "\(step)")
            }
        }
    }

    private static let record: EnrolmentRecord? = {
        let instant = Instant(seconds: 1_795_590_000)
        let enrolment = Enrolment(
            id: "e1", studyID: LabFixture.study, participant: ParticipantID("P ż"), condition: nil, instant: instant,
            local: LocalDateTime(instant, offset: 3600), seed: [UInt8](repeating: 1, count: 32))
        return try? EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "x", fileDigest: Digest(of: []))
    }()

    /// What describes a recording, as its device sends it.
    private func description(_ number: Int, _ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        var note = RecordingDescription(fileName: name, contentType: "text/csv", countedUnit: .samples)
        (note.number, note.kind, note.format, note.state) = (number, "magnetometer", "csv", .sealed)
        (note.study, note.participant, note.deviceNumber) = (LabFixture.study, "P ż", 7)
        (note.bytes, note.sha256) = (bytes.count, try Digest(of: bytes).description)
        return Array(note.json.indentedText.utf8)
    }

    private func send(file name: String, _ bytes: [UInt8], recording: Int, _ id: String, _ rig: Rig) throws {
        try AtomicFile.write(bytes, to: "\(rig.folder)/\(name)")
        let file = FileReference(
            path: name, sha256: try Digest(of: bytes).description, bytes: Int64(bytes.count), contentType: "text/csv",
            recording: String(recording), metadata: ["study": LabFixture.study, "participant": "P ż"])
        try send(
            OutboxDraft(
                origin: "recording \(recording)", itemClass: .motion, destination: "files", content: .file(file)),
            id, rig)
    }

    /// Two recordings, an answer as schema's servers get it, the day's manifest, which names a third
    /// recording too, and the log. Where `isWhole`, that one comes as well, and every description.
    private func fill(_ rig: Rig, isForm: Bool = true, isWhole: Bool = false) async throws {
        let record = try #require(Self.record)
        let key = try #require(DeviceKey(seed: [UInt8](repeating: 9, count: 32)))
        var entries: [Agent.ProducedItem] = []
        for number in 1...3 {
            let name = "\(number.padded(6))-magnetometer.csv"
            let bytes = Array("samples \(number)".utf8)
            let digest = try Digest(of: bytes).description
            entries.append(
                Agent.ProducedItem(
                    kind: .recording, id: String(number), name: name, sha256: digest, bytes: Int64(bytes.count),
                    count: 1,
                    fate: .delivered, why: nil))
            if number < 3 || isWhole { try send(file: name, bytes, recording: number, "r\(number)", rig) }
            guard isWhole else { continue }
            let text = try description(number, name, bytes)
            try send(
                file: "\(number.padded(6))-magnetometer.json", text, recording: number, "d\(number)", rig)
        }
        let fields = [
            "data_type": "survey_response", "user_id": "P ż", "study_id": LabFixture.study, "module_index": "2",
            "module_name": "Right now", "responses": #"{"doing":"Walking"}"#,
            "response_time": "2026-11-25T09:01:10+01:00", "response_time_in_ms": "1795593670123",
            "alert_time": "2026-11-25T09:00:00+01:00", "platform": "studyd",
        ]
        let parts = fields.sorted { $0.key < $1.key }.map {
            "--bound\r\nContent-Disposition: form-data; name=\"\($0.key)\"\r\n\r\n\($0.value)\r\n"
        }
        let body = Array((parts.joined() + "--bound--\r\n").utf8)
        // moto takes the body of a PUT with a form's type for a form, and keeps nothing of it.
        let type = WireRequest.Header(
            name: "Content-Type", value: isForm ? "multipart/form-data; boundary=bound" : "application/octet-stream")
        try send(
            OutboxDraft(
                origin: "submitted m/1", itemClass: .answers, destination: "files",
                content: .request(WireRequest(method: "POST", url: "https://x", headers: [type], body: body))),
            "a1", rig)
        entries.append(
            Agent.ProducedItem(
                kind: .submission, id: "a1", name: "answers-a1", sha256: try Digest(of: body).description,
                bytes: Int64(body.count), count: nil, fate: .delivered, why: nil))
        let day = try LocalDate(parsing: "2026-11-25")
        let manifest = try DayManifest(record: record, day: day, entries: entries).signed(by: key.signing)
        try send(
            DayRecord.draft(DayRecord.manifestName(day, part: 1), manifest[0], of: record, to: "files"), "m1", rig)
        let database = try StudyDatabase(.memory)
        let stamp = EventStamp(
            wall: record.instant, monotonic: .zero, bootID: "b", zoneOffset: 3600, enrolment: "e1")
        try await database.append([.enrolled(enrolment: record)], at: stamp)
        let occurrence = OccurrenceRecord(
            Occurrence(
                id: "mood/1", task: "mood", taskIndex: 0, number: 101,
                local: LocalDateTime(record.instant, offset: 3600), due: record.instant,
                expires: record.instant + .seconds(600), resolution: .repeated))
        try await database.append([.prompted(occurrence: occurrence)], at: stamp)
        try await database.append([.concluded(occurrence: occurrence, outcome: .missed(.deviceOff))], at: stamp)
        let zone = try Zone.load("Europe/Berlin")
        let (segment, _) = try #require(
            try await database.logSegment(upTo: record, to: "files", zone: zone, signedBy: key.signing))
        try send(segment, "l1", rig)
    }

    /// In a later segment than their outcomes, which may come after the one with what came of the prompt since.
    @Test(
        arguments: [
            ([0, 1, 2], [["1 missed", "2 missed"], ["1 missed"], ["1 missed", "2 expired"]]),
            ([0, 2, 1], [["1 missed", "2 missed"], ["1 missed", "2 expired"], ["1 missed", "2 expired"]]),
            ([1, 2, 0], [[], ["2 expired"], ["1 missed", "2 expired"]]), ([1, 0], [[], ["1 missed"]]),
        ] as [([Int], [[String]])])
    func whatAWrongClockBroughtIsTakenBack(order: [Int], outcomes: [[String]]) async throws {
        let (rig, record) = (try rig(.stick), try #require(Self.record))
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        func concluded(_ number: Int, _ outcome: Outcome) -> StudyEvent {
            .concluded(
                occurrence: OccurrenceRecord(
                    Occurrence(
                        id: "mood/\(number)", task: "mood", taskIndex: 0, number: number, local: record.local,
                        due: record.instant, expires: nil, resolution: .unique)), outcome: outcome)
        }
        let (database, lab) = (try StudyDatabase(.memory), rig.folder + "/lab")
        let stamp = EventStamp(
            wall: record.instant, monotonic: .zero, bootID: "b", zoneOffset: 3600, enrolment: record.id)
        var (segments, kept): ([OutboxDraft], [[String]]) = ([], [])
        let rows: [[StudyEvent]] = [
            [.enrolled(enrolment: record), concluded(1, .missed(.deviceOff)), concluded(2, .missed(.deviceOff))],
            [.occurrencesReturned(occurrences: ["mood/2"])], [concluded(2, .expired)],
        ]
        for events in rows {
            try await database.append(events, at: stamp)
            let (segment, _) = try #require(
                try await database.logSegment(upTo: record, to: "files", zone: .utc, signedBy: nil))
            try await database.append([], sending: [segment], at: stamp)
            segments.append(segment)
        }
        for number in order {
            try send(segments[number], "l\(number)", rig)
            #expect(try await Mirror(of: rig.source, into: lab).run().problems.isEmpty)
            let fleet = try FleetArchive(.file(lab + "/fleet.sqlite"))
            let source = FleetSource.id(study: record.studyID, device: record.participant, enrolment: record.id)
            let prompts = try await fleet.prompts(of: source, limit: 9)
            kept.append(prompts.map { "\($0.occurrence.dropFirst(5)) \($0.outcome)" }.sorted())
        }
        #expect(kept == outcomes)
    }

    @Test(arguments: places) func aBucketOrAStickAloneBecomesTheDatasetThatTheReceiverWouldGive(_ place: Place)
        async throws
    {
        let rig = try rig(place)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig, isForm: place != .moto)
        let lab = rig.folder + "/lab"
        let first = try await Mirror(of: rig.source, into: lab).run()
        #expect(first.files == 5 && first.problems.isEmpty, "\(first)")
        let again = try await Mirror(of: rig.source, into: lab).run()
        #expect(again == Mirror.Outcome(), "only what is new is fetched")
        let dataset = try LabFolder(lab, study: nil, studyFiles: [LabFixture.studyFile])
        let participant = try #require(dataset.participants.first)
        #expect(participant.id == "P ż" && dataset.participants.count == 1)
        let record = try dataset.record(of: participant)
        #expect(record.recordings.map(\.name) == ["000001-magnetometer.csv", "000002-magnetometer.csv"])
        #expect(try String(contentsOfFile: record.recordings[1].source, encoding: .utf8) == "samples 2")
        #expect(record.submissions.map { $0.answers.map(\.value) } == [["Walking"]])
        #expect(record.prompts.map { "\($0.outcome) \($0.reason ?? "")" } == ["missed device-off"])
        // What the manifest names and is not here.
        let holes = record.missing.filter(\.isHole).map(\.name)
        #expect(holes.contains("000003-magnetometer.csv") && !holes.contains("answers-a1"), "\(holes)")
        // The command does the same into its own cache.
        let words =
            rig.options + ["--cache", rig.folder + "/cache", "-o", rig.folder + "/out", "--with-holes", "--to", "csv"]
        try await ExportCommand.parse(words).run()
        let missing = try String(contentsOfFile: rig.folder + "/out/missing.csv", encoding: .utf8)
        #expect(missing.contains("000003-magnetometer.csv"))
    }

    /// As after a restore that leaves `mirror.sqlite` out.
    @Test func whatIsFetchedAgainIsNotStoredTwice() async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let lab = rig.folder + "/lab"
        for _ in 0..<2 {
            let outcome = try await Mirror(of: rig.source, into: lab).run()
            #expect(outcome.files == 5 && outcome.problems.isEmpty, "\(outcome)")
            for end in ["", "-wal", "-shm"] { unlink("\(lab)/mirror.sqlite\(end)") }
        }
        let archive = try Archive(.file(lab + "/receiver.sqlite"))
        #expect(try await archive.device("P ż")?.answers == 1)
        let records = try await archive.records(user: nil, limit: 9)
        #expect(records.count == 1)
        let record = try #require(records.first)
        for (path, wait, isHere) in [(record.path, 0, true), ("b", 0, false), (record.path, 1, false)] {
            let moment = record.received + .milliseconds(wait)
            #expect(try await archive.has(record.post, path: path, at: moment) == isHere, "\(path) \(wait)")
        }
    }

    // MARK: The lab's page

    private struct NoonClock: StudyClock {
        var now: Instant { Instant(seconds: 1_795_690_000) }
        var monotonic: MonotonicTime { .zero }
        var marks: ClockMarks { ClockMarks() }
        func sleep(until deadline: MonotonicTime) async throws {}
    }

    private static let views = [
        "/", "/?user=P%20%C5%BC", "/api/devices", "/api/files", "/api/records?user=P%20%C5%BC", "/api/missing",
        "/tables/participants.csv",
    ]

    /// What the lab's server shows of a folder.
    private func shown(_ folder: String) async throws -> [String: String] {
        let receiver = try Receiver(
            Receiver.Options(directory: folder), clock: NoonClock(), draw: { 0 }, newID: { "id" }, report: { _ in })
        let ports = AsyncStream<Int>.makeStream()
        async let running: Void = receiver.server.run(port: 0) { ports.continuation.yield($0) }
        var found: [String: String] = [:]
        for await port in ports.stream {
            // The page names the folder in the command that exports it.
            found = try await views(at: port).mapValues { $0.replacing(folder, with: "DATA") }
            break
        }
        receiver.server.stop()
        try await running
        return found
    }

    /// A page names its address.
    private func views(at port: Int) async throws -> [String: String] {
        var found: [String: String] = [:]
        for view in Self.views {
            let request = Agent.HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)\(view)")
            let text = try await onThread("t-page") {
                String(decoding: try HTTPClient(userAgent: "t").send(request).body, as: UTF8.self)
            }
            found[view] = text.replacing("127.0.0.1:\(port)", with: "HOST")
        }
        return found
    }

    // MARK: The program

    private static let programs = LabFixture.root + "/.build/debug"

    /// Until it is closed, the built program listens.
    private final class Program {
        private let process = Process()
        private let input = Pipe()
        let port: Int

        init(_ words: [String], home: String) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: MirrorTests.programs + "/study-receiver")
            process.arguments =
                [
                    "--port", "0", "--end-with-input", "--clock-from", "2026-11-26T12:00:00Z", "--serve",
                    LabFixture.studyFile,
                ]
                + words
            process.environment = MirrorTests.environment(home)
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            var line = ""
            while !line.hasSuffix("\n") {
                let byte = output.fileHandleForReading.readData(ofLength: 1)
                guard !byte.isEmpty else { throw FileError(path: "study-receiver", message: "ended: \(line)") }
                line += String(decoding: byte, as: UTF8.self)
            }
            port = try #require(line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) })
        }

        deinit {
            try? input.fileHandleForWriting.close()
            process.waitAsleep()
        }
    }

    /// The one of a researcher with that home.
    private static func environment(_ home: String) -> [String: String] {
        let own = ProcessInfo.processInfo.environment
        return ["HOME": home, "PATH": programs + ":" + (own["PATH"] ?? "")]
    }

    private static func command(_ page: String?) throws -> String {
        let text = try #require(page?.split(separator: "<pre tabindex=\"0\">").dropFirst().first)
        let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        let shown = try #require(text.firstRange(of: "</pre>").map { String(text[..<$0.lowerBound]) })
        return marks.reduce(shown) { $0.replacing($1.0, with: $1.1) }
    }

    /// A shell carries out what the page shows, in a folder of its own; every file of the dataset.
    private func carryOut(_ command: String, in folder: String, home: String) throws -> [String: Data] {
        try File.makeFolder(folder)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = Self.environment(home)
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        try process.run()
        process.waitAsleep()
        #expect(process.terminationStatus == 0, "\(command)")
        let dataset = folder + "/dataset"
        let names = try FileManager.default.subpathsOfDirectory(atPath: dataset).filter { $0.contains(".") }
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: "\(dataset)/\($0)"))) })
    }

    /// The first line in which they differ, but for the command.
    private static func difference(_ pages: [[String: String]]) -> String? {
        for view in views {
            let lines = pages.map { page in
                (page[view] ?? "").split(separator: "\n").filter { !$0.contains("study-receiver export") }
            }
            guard lines[0] != lines[1] || lines[0].isEmpty else { continue }
            let pair = zip(lines[0], lines[1]).first { $0 != $1 }
            return "\(view): \(lines.map(\.count)) lines, \(pair.map { "\($0) and \($1)" } ?? "")"
        }
        return nil
    }

    @Test(
        .enabled(if: access(programs + "/study-receiver", X_OK) == 0, "no debug build of the program beside the tests"),
        arguments: places.filter { $0 != .stick })
    func theProgramOnABucketShowsAndExportsWhatItDoesOfTheSameLabInAFolder(_ place: Place) async throws {
        let rig = try rig(place)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig, isForm: place != .moto, isWhole: true)
        let (lab, home) = (rig.folder + "/lab", rig.folder + "/home")
        _ = try await Mirror(of: rig.source, into: lab).run()
        let bucket = try Program(rig.options, home: home)
        let folder = try Program(["--data", lab], home: home)
        func shown() async throws -> [[String: String]] {
            [try await views(at: bucket.port), try await views(at: folder.port)]
        }
        // Both clocks go on, and so may the word for how long ago something was.
        var pages = try await shown()
        for _ in 0..<20 where Self.difference(pages) != nil { pages = try await shown() }
        #expect(Self.difference(pages) == nil)
        let commands = try pages.map { try Self.command($0["/"]) }
        #expect(commands[0].contains("--data '\(rig.options[1])'") && !commands[0].contains("/.cache/"))
        #expect(commands[1].contains("--data \(lab) "))
        // Both while their servers run.
        let datasets = try commands.enumerated().map {
            try carryOut($0.element, in: "\(rig.folder)/typed\($0.offset)", home: home)
        }
        #expect(datasets[0].keys.sorted() == datasets[1].keys.sorted())
        #expect(datasets[0].keys.count { $0.hasPrefix("recordings/") && $0.hasSuffix(".csv") } == 3)
        for (name, bytes) in datasets[0] { #expect(datasets[1][name] == bytes, "\(name)") }
        let answers = String(decoding: datasets[0]["answers.csv"] ?? Data(), as: UTF8.self)
        #expect(answers.contains("Walking") && answers.contains("P ż"))
    }

    /// `--data s3://…`: a cache that was deleted comes again by listing, and shows what the mirrored folder
    /// shows, byte for byte; a stick with the same files shows the same recordings.
    @Test(arguments: places) func theLabsPageOfABucketIsThatOfItsFolder(_ place: Place) async throws {
        let rig = try rig(place)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig, isForm: place != .moto)
        let options = try BucketOptions.parse(Array(rig.options.dropFirst(2)) + ["--cache", rig.folder + "/cache"])
        var pages: [[String: String]] = []
        for _ in 1...2 {
            let cache = try await options.folder(
                rig.options[1], [:], clock: SystemClock(), warn: { Issue.record("\($0)") })
            pages.append(try await shown(cache))
            try FileManager.default.removeItem(atPath: cache)
        }
        _ = try await Mirror(of: rig.source, into: rig.folder + "/lab").run()
        pages.append(try await shown(rig.folder + "/lab"))
        for view in Self.views {
            #expect(pages[0][view] == pages[1][view] && pages[0][view] == pages[2][view], "\(view)")
        }
        let stick = try self.rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: stick.folder) }
        try await fill(stick, isForm: place != .moto)
        _ = try await Mirror(of: stick.source, into: stick.folder + "/lab").run()
        let other = try await shown(stick.folder + "/lab")
        #expect(try names(pages[0]["/api/files"]) == names(other["/api/files"]))
        #expect(pages[0]["/api/missing"]?.contains("000003-magnetometer.csv") == true)
    }

    /// Each file's name and digest.
    private func names(_ files: String?) throws -> Set<String> {
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data((files ?? "").utf8)) as? [[String: Any]])
        #expect(!list.isEmpty)
        return Set(list.map { "\($0["name"] ?? $0["filename"] ?? "") \($0["sha256"] ?? "")" })
    }

    /// What is damaged on its way is named, and tried again; all else comes.
    @Test func aDamagedFileAManifestOfSomebodyElseAndAChangedLogAreNamed() async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let place = rig.folder + "/stick/\(LabFixture.study)/P%20%C5%BC/e1"
        let manifest = place + "/manifest-2026-11-25.json"
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        try text.replacing("000003", with: "000004").write(toFile: manifest, atomically: true, encoding: .utf8)
        let log = try #require(FileManager.default.contentsOfDirectory(atPath: place).first { $0.hasPrefix("log-") })
        try Data("not gzip".utf8).write(to: URL(fileURLWithPath: "\(place)/\(log)"))
        // What a Mac leaves on every stick that it opens.
        for name in [".DS_Store", "._000001-magnetometer.csv"] {
            try Data("Mac OS X".utf8).write(to: URL(fileURLWithPath: "\(place)/\(name)"))
        }
        let outcome = try await Mirror(of: rig.source, into: rig.folder + "/lab").run()
        #expect(outcome.files == 3 && outcome.problems.count == 2, "\(outcome)")
        #expect(outcome.problems.joined().contains("its signature is not of these bytes"))
        #expect(outcome.problems.joined().contains("the data is damaged"))
    }

    /// Into a folder that devices report to: the receiver has keys in the participant's name there.
    @Test(
        arguments: [
            (nil, false), (["own": DeviceKeys.State.approved], false), (["own": .revoked, "other": .approved], false),
            (["own": .waiting], false), (["other": .approved], true), (["own": .waiting, "other": .approved], true),
        ] as [([String: DeviceKeys.State]?, Bool)])
    func aLogOfAnotherKeyThanTheParticipantsIsNamed(known: [String: DeviceKeys.State]?, isNamed: Bool) async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let lab = rig.folder + "/lab"
        try File.makeFolder(lab)
        for (name, state) in known ?? [:] {
            let seed: UInt8 = name == "own" ? 9 : 8
            let key = try #require(DeviceKey(seed: [UInt8](repeating: seed, count: 32))).publicText
            _ = try DeviceKeys(.file(lab + "/devices.sqlite"))
            try Connection(.file(lab + "/devices.sqlite")).run(
                "INSERT INTO key VALUES ('P ż', ?, ?, 0, 0)", key, state.rawValue)
        }
        let outcome = try await Mirror(of: rig.source, into: lab).run()
        #expect(outcome.files == (isNamed ? 4 : 5) && outcome.problems.count == (isNamed ? 1 : 0), "\(outcome)")
        let words = "is signed by a key that the receiver does not know as theirs"
        #expect(outcome.problems.allSatisfy { $0.contains("/log-") && $0.contains(words) }, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: lab + "/logs").count == (isNamed ? 0 : 1))
        guard isNamed else { return }
        let own = try #require(DeviceKey(seed: [UInt8](repeating: 9, count: 32))).publicText
        try await DeviceKeys(.file(lab + "/devices.sqlite")).add([(user: "P ż", key: own)], at: .epoch)
        #expect(try await Mirror(of: rig.source, into: lab).run().files == 1, "approved, it is taken")
    }

    /// Neither where it is not known any more what was fetched, nor from another participant's folder.
    @Test func nothingOfAnErasedParticipantIsFetchedAgain() async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let lab = rig.folder + "/lab"
        _ = try await Mirror(of: rig.source, into: lab).run()
        let rows = StandInOptions.participantRows(of: "P ż")
        let found = try Erasure(of: "P ż", in: lab, rows).survey().map(\.name)
        #expect(found == ["receiver.sqlite", "fleet.sqlite", "files/", "logs/", "manifests/"])
        try await EraseCommand<StandInOptions>.parse(["P ż", "--data", lab, "--yes"]).run()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: lab + "/mirror.sqlite" + end) }
        for _ in 0..<2 {
            let again = try await Mirror(of: rig.source, into: lab).run()
            #expect(again == Mirror.Outcome(erased: 5))
        }
        let study = rig.folder + "/stick/" + LabFixture.study
        try FileManager.default.moveItem(atPath: study + "/P%20%C5%BC", toPath: study + "/P2")
        for erased in [5, 0] {
            let moved = try await Mirror(of: rig.source, into: lab).run()
            #expect(moved == Mirror.Outcome(erased: erased))
        }
        #expect(try Erasure(of: "P ż", in: lab, rows).survey() == [])
        #expect(FolderListing.readable(lab + "/files").isEmpty && FolderListing.readable(lab + "/logs").isEmpty)
    }

    /// A stick on which one file is gone when its turn comes.
    private struct Losing: MirrorSource {
        let stick: StickFolder
        let lost: String
        var name: String { stick.name }
        func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?) {
            let page = try stick.page(token)
            unlink("\(stick.name)/\(lost)")
            return page
        }
        func separateConnection() -> any MirrorSource { self }
        func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead {
            try stick.head(of: entry, count: count)
        }
        func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8] {
            try stick.bytes(of: entry, from: offset, count: count)
        }
    }

    /// The kernel's word for one file; the first in the listing, so that all others come behind it.
    @Test func aFileThatCannotBeReadKeepsNoOtherBack() async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let stick = try #require(StickFolder(rig.folder + "/stick"))
        let lost = try #require(try stick.page(nil).entries.first).key
        let outcome = try await Mirror(of: Losing(stick: stick, lost: lost), into: rig.folder + "/lab").run()
        #expect(outcome.files == 4 && outcome.problems.count == 1, "\(outcome)")
        #expect(outcome.problems.first?.hasPrefix("\(lost): cannot open") == true, "\(outcome)")
    }

    /// A source of two files, of which the second is cut short until it is whole again.
    private final class Shrinking: MirrorSource {
        let name = "shrinking"
        private let isWhole = Mutex(false)
        private let asked = Mutex<[Int64]>([])
        private let whole = (0..<30).map { UInt8($0) }
        /// Where bytes were asked for.
        var offsets: [Int64] { asked.withLock { $0 } }

        func grow() { isWhole.withLock { $0 = true } }
        func separateConnection() -> any MirrorSource { self }
        func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?) {
            let entries = [("000001-x.csv", 10), ("000002-x.csv", 30)].map { file, size in
                MirrorEntry(key: "mood/P1/e1/\(file)", bytes: Int64(size), modified: .epoch, version: "1")
            }
            return (entries, nil)
        }
        func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead {
            MirrorHead(labels: [:], bytes: Array(whole.prefix(entry.bytes == 10 ? 10 : 12)))
        }
        func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8] {
            asked.withLock { $0.append(offset) }
            return isWhole.withLock { $0 } ? Array(whole.dropFirst(Int(offset))) : []
        }
    }

    /// A bucket with these objects, each with its SHA-256 or none.
    private struct Listed: MirrorSource {
        let name = "listed"
        let hasDigests = true
        let problemIfEmpty: String? = "nothing lies there"
        let objects: [(key: String, sha256: String?)]

        func separateConnection() -> any MirrorSource { self }
        func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?) {
            (objects.map { MirrorEntry(key: $0.key, bytes: 3, modified: .epoch, version: "1") }, nil)
        }
        func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead {
            let digest = objects.first { $0.key == entry.key }?.sha256
            return MirrorHead(labels: digest.map { ["sha256": $0] } ?? [:], bytes: [1, 2, 3])
        }
        func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8] { [] }
    }

    @Test func whatIsNotAsItShouldBeIsSaidInTheMirrorsWords() async throws {
        let right = try Digest(of: [1, 2, 3]).description
        let wrong = String(repeating: "ab", count: 32)
        let cases: [(objects: [(key: String, sha256: String?)], files: Int, problem: String, remark: String)] = [
            ([], 0, "listed: nothing lies there", ""), ([("mood/P1/e1/1.csv", right)], 1, "", ""),
            ([("mood/P1/e1/2.csv", nil)], 1, "", "mood/P1/e1/2.csv: its metadata has no SHA-256"),
            ([("mood/P1/e1/3.csv", wrong)], 0, "(its SHA-256 is \(right)); it is fetched again the next time", ""),
            ([("9001/../e1/4.csv", right)], 0, "9001/../e1/4.csv: '.' and '..' are no names", ""),
            ([("mood/P1/%2E%2E/5.csv", right)], 0, "'.' and '..' are no names", ""),
        ]
        for (objects, files, problem, remark) in cases {
            let lab = "/tmp/studyd-mirror-\(UUID())"
            defer { try? FileManager.default.removeItem(atPath: lab) }
            let outcome = try await Mirror(of: Listed(objects: objects), into: lab).run()
            #expect(outcome.files == files, "\(outcome)")
            for (found, words) in [(outcome.problems, problem), (outcome.remarks, remark)] {
                #expect(found.count == (words.isEmpty ? 0 : 1) && found.allSatisfy { $0.contains(words) }, "\(found)")
                #expect(!found.joined().contains("upload") && !found.joined().contains("send"), "\(found)")
            }
        }
    }

    /// A hundred have a line; `--data` says the same as `mirror`.
    @Test(
        arguments: [(1, nil), (100, nil), (101, "and 1 more without a SHA-256"), (103, "and 3 more without a SHA-256")]
            as [(Int, String?)])
    func filesThatNothingConfirmsAreNamedUpToAHundred(count: Int, last: String?) async throws {
        let lab = "/tmp/studyd-mirror-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: lab) }
        let source = Listed(objects: (1...count).map { (key: "mood/P1/e1/\($0).csv", sha256: nil) })
        let options = try BucketOptions.parse(["--cache", lab])
        var said: [String] = []
        let folder = try await options.fetch(source, [:], warn: { said.append($0) })
        #expect(folder == lab)
        #expect(said.count { $0.hasSuffix("so that it was not checked") } == min(count, 100), "\(said)")
        #expect(said.count == min(count, 100) + (last == nil ? 0 : 1))
        if let last { #expect(said.last == last) }
    }

    /// What came of it is kept, and it is gone on with behind that; how far all is counts what could not be taken.
    @Test func aFileThatIsCutShortIsGoneOnWithTheNextTime() async throws {
        let lab = "/tmp/studyd-mirror-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: lab) }
        try File.makeFolder(lab)
        let source = Shrinking()
        let mirror = try Mirror(of: source, into: lab)
        let shares = Mutex<[Double]>([])
        let first = try await mirror.run { share in shares.withLock { $0.append(share) } }
        #expect(first.files == 1 && first.bytes == 10)
        #expect(first.problems == ["mood/P1/e1/000002-x.csv: became shorter while it was read"])
        #expect(shares.withLock { $0 } == [0.25, 1])
        source.grow()
        let second = try await mirror.run()
        #expect(second.files == 1 && second.problems.isEmpty, "\(second)")
        #expect(source.offsets == [12, 12])
        let place = try #require(FolderListing.readable(lab + "/files").first { $0.hasSuffix("000002-x.csv") })
        #expect(try BoundedFile.read("\(lab)/files/\(place)") == (0..<30).map { UInt8($0) })
    }

    /// open(2), ELOOP: a folder that cannot be listed, even by root.
    @Test func aFolderThatCannotBeListedIsAProblem() async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        try #require(symlink("loop", "\(rig.folder)/stick/\(LabFixture.study)/loop") == 0)
        let stick = try #require(StickFolder(rig.folder + "/stick"))
        let outcome = try await Mirror(of: stick, into: rig.folder + "/lab").run()
        #expect(outcome.files == 5 && outcome.problems.count == 1, "\(outcome)")
        #expect(outcome.problems.first?.contains("/\(LabFixture.study)/loop: ") == true, "\(outcome)")
    }

    /// A computer's own folders have no labels either.
    @Test(arguments: ["000001-accelerometer.cwa", "1000000-accelerometer.cwa"])
    func recordingsWithoutTheirLabelsAreAProblem(_ recording: String) async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let folders = ["\(LabFixture.study)/P9/e9", "photos/2026/summer"]
        for (folder, name) in zip(folders, [recording, "20260101-120000.jpg"]) {
            try File.makeFolder("\(rig.folder)/stick/\(folder)")
            try AtomicFile.write([1], to: "\(rig.folder)/stick/\(folder)/\(name)")
        }
        let stick = try #require(StickFolder(rig.folder + "/stick"))
        let outcome = try await Mirror(of: stick, into: rig.folder + "/lab").run()
        #expect(outcome.files == 5 && outcome.problems.count == 1, "\(outcome)")
        #expect(outcome.problems.first?.contains("/P9/e9: labels.json is missing") == true, "\(outcome)")
    }

    /// ext4 keeps times up to 2446, and a wrong clock writes them: later than an `Instant` can say.
    @Test func aFileFromTheYear2300IsListed() throws {
        let folder = "/tmp/studyd-stick-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = folder + "/mood/P1/e1"
        try File.makeFolder(place)
        for name in ["labels.json", "1.csv"] { try AtomicFile.write(Array("{}".utf8), to: "\(place)/\(name)") }
        let times = [timespec](repeating: timespec(tv_sec: 10_413_792_000, tv_nsec: 1), count: 2)
        try #require(utimensat(AT_FDCWD, place + "/1.csv", times, 0) == 0)
        #expect(try StickFolder(folder)?.page(nil).entries.map(\.key) == ["mood/P1/e1/1.csv"])
    }

    /// Five years of days are no sign of a forger.
    @Test func aManifestTooManyIsNotCalledForged() async throws {
        let rig = try rig(.stick)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        try await fill(rig)
        let lab = rig.folder + "/lab"
        _ = try await Mirror(of: rig.source, into: lab).run()
        let script = """
            import sqlite3, sys
            fleet = sqlite3.connect(sys.argv[1])
            (device,) = fleet.execute("SELECT device FROM manifest").fetchone()
            fleet.executemany("INSERT INTO manifest VALUES (?, ?, 1, 1)", [(device, f"day {i}") for i in range(1999)])
            fleet.commit()
            """
        try #require(DatasetProgram.run(["python3", "-c", script, lab + "/fleet.sqlite"]) != nil)
        let (record, day) = (try #require(Self.record), try LocalDate(parsing: "2026-11-26"))
        let key = try #require(DeviceKey(seed: [UInt8](repeating: 9, count: 32)))
        let manifest = try DayManifest(record: record, day: day, entries: []).signed(by: key.signing)
        try send(
            DayRecord.draft(DayRecord.manifestName(day, part: 1), manifest[0], of: record, to: "files"), "m2", rig)
        let problems = try await Mirror(of: rig.source, into: lab).run().problems
        #expect(problems.count == 1 && problems[0].contains("2000 manifests"), "\(problems)")
    }

    /// `~2` is the second content of a name; any other `~` is the name's own.
    @Test(arguments: [
        ("1.csv", "1.csv"), ("1.csv~2", "1.csv"), ("1.csv~12", "1.csv"), ("a~b.csv", "a~b.csv"),
        ("a~b.csv~3", "a~b.csv"), ("1.csv~x", "1.csv~x"), ("1.csv~2x", "1.csv~2x"),
    ]) func aFilesNameIsThatOfAllItsContents(file: String, name: String) {
        let entry = MirrorEntry(key: "a prefix/mood/P1/e1/\(file)", bytes: 1, modified: .epoch, version: "")
        #expect(entry.fileName == name)
    }

    /// By which each has a cache of its own.
    @Test func aFolderHasOneAddressAndABucketOneOnEachServer() throws {
        let folder = "/tmp/studyd-stick-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try File.makeFolder(folder + "/mood/P1/e1")
        try AtomicFile.write(Array("{}".utf8), to: folder + "/mood/P1/e1/labels.json")
        // From any folder, since the root's parent is the root.
        let relative = String(repeating: "../", count: 30) + folder.dropFirst()
        for path in [folder, folder + "/", relative] { #expect(StickFolder(path)?.address == folder, "\(path)") }

        let keys = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"]
        for server in ["https://a.example", "https://b.example"] {
            let options = try BucketOptions.parse(["--s3-url", server])
            let bucket = try options.source("s3://study/mood", keys, clock: SystemClock())
            #expect(bucket?.address == server + "/study/mood/")
        }
    }

    @Test(arguments: [
        ("/nowhere/stick", "No such file"), ("study/mood", "No such file"), ("/dev/null/stick", "Not a directory"),
        ("/bin/sh", "no stick"),
    ])
    func aSourceThatIsNoStickSaysWhy(_ source: String, _ why: String) async throws {
        let error = await #expect(throws: FileError.self) {
            try await MirrorCommand.parse([source, "-o", "/nowhere/lab"]).run()
        }
        #expect("\(String(describing: error))".contains(why), "\(String(describing: error))")
        #expect("\(String(describing: error))".contains("name s3://BUCKET/PREFIX"), "a bucket needs it, too")
    }

    @Test func anAddressAndKeysAreAskedForWithARemedy() throws {
        let options = try BucketOptions.parse([])
        func source(_ data: String, _ environment: [String: String] = [:]) throws -> (any MirrorSource)? {
            try options.source(data, environment, clock: SystemClock())
        }
        let error = #expect(throws: (any Error).self) { try source("s3://b") }
        #expect("\(String(describing: error))".contains("AWS_SECRET_ACCESS_KEY"))
        let keys = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"]
        #expect(try source("s3://b/c/d", keys)?.name == "s3://b/c/d/")
        #expect(throws: (any Error).self) { try source("s3://", keys) }
        #expect(try source("/tmp", keys) == nil)
    }
}
