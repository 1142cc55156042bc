// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Foundation
import Logging
import Patience
import S3Servers
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10))) struct DayRecordTests {
    private static let day = Duration.seconds(86_400)

    private struct Rig {
        let bench: ReportBench
        let service: DayRecordService
    }

    /// Destinations `bucket` and, where it is wanted, `stick`; the clock is trusted or not.
    private func rig(
        _ destinations: [String] = ["bucket"], isTrusted: Bool = true, bench: ReportBench? = nil
    ) throws -> Rig {
        let bench = try bench ?? ReportBench()
        let trust = ClockTrust { isTrusted ? (.kernel, .milliseconds(200)) : (.unknown, .seconds(9_000)) }
        let key = DeviceKeyFile(bench.folder)
        try key.prepare(DeviceKey(seed: [UInt8](repeating: 7, count: 32)))
        return Rig(
            bench: bench,
            service: DayRecordService(
                database: bench.database, destinations: destinations, routes: LabRoutes([], lab: nil), key: key,
                stamps: EventClock(clock: bench.clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin)),
                clock: ClockStatus(trust: trust, bound: .seconds(300)), wakeUploader: {},
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    }

    private func pass(_ days: Int, _ bench: ReportBench) {
        bench.clock.advance(to: bench.clock.monotonic + Self.day * days)
    }

    private func names(_ rig: Rig, of destination: String = "bucket") async throws -> [String] {
        try await rig.bench.database.items().filter { $0.item.destination == destination }.map(\.item.origin)
    }

    @Test func eachDayThatIsOverHasAManifestAndTheLogSoFarOnce() async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        #expect(try await rig.service.queueDue() == 0, "the day is not over")
        pass(2, rig.bench)
        try await rig.service.queueDue()
        try await rig.service.queueDue()
        let found = try await names(rig)
        #expect(found.filter { $0.hasPrefix("manifest") } == ["manifest-2026-11-25.json", "manifest-2026-11-26.json"])
        let rows = found.compactMap(DayRecord.lastRow)
        #expect(found.first == "log-000000001-000000001.jsonl.gz" && rows == rows.sorted())
        // The ledger holds: all that was queued waits.
        let counts = try await rig.bench.database.counts()
        #expect(counts.isBalanced && counts.items[.waiting] == found.count)
    }

    @Test func aDestinationThatComesLaterGetsTheLogFromItsFirstRow() async throws {
        let first = try rig()
        try await first.bench.enrol()
        pass(1, first.bench)
        try await first.service.queueDue()
        let both = try rig(["bucket", "stick"], bench: first.bench)
        pass(1, first.bench)
        try await both.service.queueDue()
        let stick = try await names(both, of: "stick")
        #expect(stick.first?.hasPrefix("log-000000001-") == true)
        #expect(stick.filter { $0.hasPrefix("manifest") }.count == 2)
        #expect(try await names(both).filter { $0.hasPrefix("manifest") }.count == 2)
    }

    @Test func withoutATrustedClockNoDayIsOver() async throws {
        let rig = try rig(isTrusted: false)
        try await rig.bench.enrol()
        pass(3, rig.bench)
        #expect(try await rig.service.queueDue() == 0)
    }

    @Test func whoLeavesGetsTheLastDayAtOnceAndNothingMore() async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        try await rig.bench.leave()
        try await rig.service.queueDue()
        pass(5, rig.bench)
        try await rig.service.queueDue()
        #expect(try await names(rig).filter { $0.hasPrefix("manifest") } == ["manifest-2026-11-25.json"])
    }

    @Test func theLastDayWaitsUntilTheLogKnowsTheRecordings() async throws {
        let rig = try rig(["bucket", "stick"])
        let recordings = rig.bench.folder.recordings
        var service = rig.service
        service.unlogged = UnloggedRecordings(in: recordings, rig.bench.database)
        let record = try await rig.bench.enrol()
        var open = RecordingDescription(
            fileName: "000001-sound.flac", contentType: "audio/flac", countedUnit: .samples)
        (open.number, open.kind, open.study) = (1, "sound", record.studyID)
        open.participant = record.participant
        try File.makeFolder(recordings)
        try AtomicFile.write(open.text(), to: "\(recordings)/000001-sound.open")
        try await rig.bench.leave()
        #expect(try await service.queueDue() == 0)
        try await rig.bench.append([.recordingSealed(recording: Fixture.recording("1", .sound))])
        try await service.queueDue()
        for destination in ["bucket", "stick"] {
            let manifests = try await names(rig, of: destination).filter { $0.hasPrefix("manifest") }
            #expect(manifests == ["manifest-2026-11-25.json"])
        }
    }

    /// More rows than a segment holds: the next begins behind it, and none is told twice.
    @Test func aLongLogComesInSegmentsThatFollowEachOther() async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        let count = LogSegment.mostRows * 2 + 5
        try await rig.bench.append((0..<count).map { .presented(occurrence: "o/\($0)") })
        pass(1, rig.bench)
        try await rig.service.queueDue()
        let segments = try await segments(rig)
        #expect(segments.map(\.numbers.count) == [LogSegment.mostRows, LogSegment.mostRows, 8])
        #expect(segments.flatMap(\.rows).filter { $0.kind == "presented" }.count == count)
        for (one, next) in zip(segments, segments.dropFirst()) {
            #expect(next.previous == one.hash && next.numbers.lowerBound == one.numbers.upperBound + 1)
        }
    }

    /// The next participant's rows and outcomes are under their own name, also where the former one's last
    /// day is made long after; `cryptography` and `hashlib` find the chain whole across the hand-over.
    @Test func theRowsOfTheNextParticipantAreInTheirOwnSegments() async throws {
        let rig = try rig()
        try await rig.bench.append([.agentStopped(reason: "before anyone")], of: "")
        try await rig.bench.enrol()
        try await rig.bench.miss(101..<103)
        try await rig.bench.leave()
        try await rig.bench.enrol("e2", participant: "P018")
        try await rig.bench.miss(101..<104, of: "e2")
        pass(3, rig.bench)
        try await rig.service.queueDue()
        let segments = try await segments(rig)
        #expect(Set(segments.map(\.participant)) == ["P017", "P018"])
        for segment in segments {
            let isFirst = segment.participant == "P017"
            #expect(segment.enrolment == (isFirst ? "e1" : "e2"))
            let ended = segment.rows.filter { $0.kind == "concluded" }
            #expect(ended.allSatisfy { $0.enrolment == segment.enrolment })
            #expect(segment.prompts.text.components(separatedBy: "\"missed\"").count - 1 == ended.count)
        }
        #expect(segments.flatMap(\.rows).count { $0.kind == "concluded" } == 5)
        for (one, next) in zip(segments, segments.dropFirst()) {
            #expect(next.previous == one.hash && next.numbers.lowerBound == one.numbers.upperBound + 1)
        }
        // Each item is its own participant's, so that who leaves and has everything deleted takes no other's.
        for item in try await rig.bench.database.items() where item.item.origin.hasPrefix("log-") {
            guard case .request(let request) = try await rig.bench.database.content(of: item) else { continue }
            #expect(request.headers.contains { $0.name == "enrolment" && $0.value == item.enrolment })
        }
    }

    /// What is in a bucket may be made by anyone, and need not be signed.
    @Test func aSegmentOfOtherRowsThanItsHeadSaysIsRefused() async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        try await rig.bench.miss(101..<105)
        pass(1, rig.bench)
        try await rig.service.queueDue()
        let segment = try #require(try await segments(rig).first)
        let last = segment.numbers.upperBound
        let path = "\(rig.bench.folder.path)/log-000000001-\(last.padded(9)).jsonl.gz"
        let content = try GzipFile.contents(File(path, .read), limit: 1 << 20)
        let lines = content.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        let end = try #require(lines[0].firstRange(of: ",\"key\":")).lowerBound
        func read(_ changes: [(String, String)], _ rows: ArraySlice<String>) throws -> LogSegmentFile {
            let rest = ([lines[1]] + rows).joined(separator: "\n") + "\n"
            var head = String(lines[0][..<end]) + "}"
            for (old, new) in changes { head.replace(old, with: new) }
            let digest = try #require(head.firstRange(of: "\"sha256\":\"")).upperBound
            head.replaceSubrange(digest..<head.index(digest, offsetBy: 64), with: try Digest(ofText: rest).description)
            return try LogSegmentFile(Array("\(head)\n\(rest)".utf8), of: "x.jsonl.gz")
        }
        let rows = lines[2...]
        #expect(try read([], rows).numbers == segment.numbers)
        func upTo(_ number: String) -> (String, String) { ("\"last\":\(last)", "\"last\":\(number)") }
        func hash(_ hash: String) -> (String, String) { ("\"hash\":\"\(segment.hash)", "\"hash\":\"\(hash)") }
        let largest = "\(Int64.max)"
        let hashes = segment.rows.map(\.hash)
        let cases: [(changes: [(String, String)], rows: ArraySlice<String>)] = [
            ([upTo(largest)], rows), ([upTo("\(last + 1)")], rows),
            ([hash(hashes[hashes.count - 2])], rows.dropLast()),
            ([("\"previous\":\"\(segment.previous)", "\"previous\":\"\(hashes[0])")], rows.dropFirst()),
            ([upTo(largest), hash(segment.previous)], []),
        ]
        for (changes, rows) in cases {
            #expect(throws: FileError.self, "\(changes)") { try read(changes, rows) }
        }
    }

    /// Sealed one day, taken away the next: by the participant, or where its time to be kept is over.
    @Test(arguments: [(RemovalReason.withdrawal, false), (.diskCap, false), (.retention, true)])
    func whatALaterSegmentRemovesIsNotExpected(_ reason: RemovalReason, isExpected: Bool) async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        let recording = Fixture.recording("1", .motion)
        try await rig.bench.append([.recordingSealed(recording: recording)])
        pass(1, rig.bench)
        try await rig.service.queueDue()
        try await rig.bench.append([.recordingRemoved(recording: "1", reason: reason)])
        pass(1, rig.bench)
        try await rig.service.queueDue()
        let segments = try await segments(rig)
        #expect(segments.count == 2)
        let produced = LogSegmentFile.produced(by: segments).filter { $0.name == recording.path }
        #expect(produced.map(\.isExpected) == [isExpected])
        #expect(segments[0].isCopy(of: segments[0]) && !segments[1].isCopy(of: segments[0]))
    }

    private func segments(_ rig: Rig) async throws -> [LogSegmentFile] {
        var found: [LogSegmentFile] = []
        for item in try await rig.bench.database.items() where item.item.origin.hasPrefix("log-") {
            guard case .request(let request) = try await rig.bench.database.content(of: item) else { continue }
            let path = rig.bench.folder.path + "/" + item.item.origin
            try Data(request.body).write(to: URL(fileURLWithPath: path))
            found.append(try LogSegmentFile(path))
        }
        return found
    }

    /// What a participant said is in none of them; that they said something is.
    @Test func answersAreTheirSealsAndPromptsAreTold() async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        let answer = AnswerRecord(
            question: "secret question", value: .text("secret answer"), presented: nil, answered: .zero, presses: 3)
        try await rig.bench.append([.answered(task: "t", opening: 1, answer: answer)])
        try await rig.bench.miss(101..<103)
        pass(1, rig.bench)
        try await rig.service.queueDue()
        let segment = try #require(try await segments(rig).first)
        #expect(segment.rows.map(\.kind) == ["enrolled", "answered", "concluded", "concluded"])
        #expect(segment.rows.map { $0.body != nil } == [false, false, true, true])
        #expect(segment.prompts.text.contains("\"missed\"") && segment.key != nil)
        for file in try FileManager.default.contentsOfDirectory(atPath: rig.bench.folder.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: rig.bench.folder.path + "/" + file))
            #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(file)")
        }
    }

    static let python = ProcessInfo.processInfo.environment["STUDYD_PYTHON"] ?? "python3"
    static let hasCryptography = S3TestServer.runs(python, importing: "cryptography")

    /// Python's `cryptography` and `hashlib` agree, and see each of these changes.
    @Test(.enabled(if: hasCryptography, "cryptography is missing"))
    func anotherProgramVerifiesSignaturesAndTheChain() async throws {
        let rig = try rig()
        try await rig.bench.enrol()
        try await rig.bench.miss(101..<121)
        pass(1, rig.bench)
        try await rig.service.queueDue()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var files: [String] = []
        for item in try await rig.bench.database.items() {
            guard case .request(let request) = try await rig.bench.database.content(of: item) else { continue }
            files.append("\(folder)/\(item.item.origin)")
            try Data(request.body).write(to: URL(fileURLWithPath: files[files.count - 1]))
        }
        let text = try String(contentsOfFile: "\(folder)/manifest-2026-11-25.json", encoding: .utf8)
        files.append("\(folder)/manifest-changed.json")
        try text.replacing("2026-11-25", with: "2026-11-24").write(
            toFile: files[files.count - 1], atomically: true, encoding: .utf8)
        let key = try #require(DeviceKey(seed: [UInt8](repeating: 7, count: 32))).publicText
        #expect(
            try judged(files) == [
                "log-000000001-000000021.jsonl.gz\t\(key)\t1-21\twhole\t20", "manifest-2026-11-25.json\t\(key)",
                "manifest-changed.json\tbroken",
            ])
        #expect(SignedJSON.verdict(text) == .signed(by: key))
        #expect(SignedJSON.verdict(text.replacing("2026-11-25", with: "2026-11-24")) == .broken)
        #expect(SignedJSON.verdict(text.replacing(key, with: String(key.reversed()))) == .broken)
        for end in ["\"]", "\",", "'}", "}"] { #expect(SignedJSON.verdict(text.dropLast(2) + end) == .broken) }
        #expect(SignedJSON.verdict("{\"a\":1}") == .unsigned)
    }

    private func judged(_ files: [String]) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "day_records.py")
        process.arguments = [Self.python, script.path] + files
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
