// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Logging
import Patience
import Simulation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// A device that reports, and a lab that it reports to, in virtual time.
final class ReportBench: Sendable {
    let folder: StateFolder
    let database: StudyDatabase
    let clock: VirtualClock
    let view = SharedState()
    let requests: ReportRequests
    let lab = ReportLab()
    private let stamps: EventClock

    static let start = Instant(seconds: 1_795_629_600)  // 2026-11-25T19:00:00+01:00

    init(_ database: StudyDatabase? = nil, folder: String? = nil) throws {
        self.folder = try StateFolder(folder ?? UploadFixture.folder())
        self.database = try database ?? StudyDatabase(.memory)
        clock = VirtualClock(now: Self.start)
        requests = ReportRequests(clock: clock)
        stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
    }

    var memory: ReportMemoryFile { ReportMemoryFile(in: folder.path) }

    /// `post` stands between the device and the lab; nil = nothing does.
    func service(
        trust: ClockTrust = ClockTrust { (.kernel, .milliseconds(200)) },
        routes: LabRoutes = LabRoutes([], lab: nil), every: Duration = .seconds(3600),
        unlogged: UnloggedRecordings? = nil, _ post: ReportService.Post? = nil
    ) -> ReportService {
        let status = ClockStatus(trust: trust, bound: .seconds(300))
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let watch = StateWatch(
            database, view: view, clock: status, stamps: stamps, folder: folder.path, log: log)
        let reader = ReportReader(
            database: database,
            status: StatusReader(database: database, view: view, stamps: stamps, folder: folder.path), view: view,
            clock: status, stamps: stamps, folder: folder.path, sysfs: "",
            configuration: String(repeating: "0a", count: 32), watch: watch, pace: .init(every: every))
        return ReportService(
            requests, reader: reader, memory: memory, routes: routes, log: log, unlogged: unlogged,
            post: post ?? { [lab] body, path, device, _ in (lab.take(body, path, device), nil) }, stop: {})
    }

    /// Somebody enrols now, as `e1` or whatever `id` says.
    @discardableResult
    func enrol(_ id: String = "e1", participant: String = "P017") async throws -> EnrolmentRecord {
        var record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: try Digest(of: []))
        (record.id, record.participant, record.instant) = (id, participant, clock.now)
        try await database.append([.enrolled(enrolment: record)], at: stamps.stamp(id))
        return record
    }

    /// Prompts end, missed because the device was off.
    func miss(_ numbers: Range<Int>, of enrolment: String = "e1") async throws {
        for number in numbers {
            try await database.append(
                [.concluded(occurrence: Fixture.record(number), outcome: .missed(.deviceOff))],
                at: stamps.stamp(enrolment))
        }
    }

    func leave(_ enrolment: String = "e1", deletesUnsent: Bool = false, deletesData: Bool = false) async throws {
        try await database.withdraw(
            deletesUnsent: deletesUnsent, deletesData: deletesData, sending: [], at: stamps.stamp(enrolment))
    }

    func append(_ events: [StudyEvent], sending drafts: [OutboxDraft] = [], of enrolment: String = "e1") async throws {
        try await database.append(events, sending: drafts, at: stamps.stamp(enrolment))
    }
}

/// What a receiver keeps, by its half of the contract: outcomes by occurrence.
final class ReportLab: Sendable {
    struct State {
        var bodies: [(path: String, device: String, body: [UInt8])] = []
        /// How often an occurrence came as new.
        var outcomes: [String: Int] = [:]
        /// Which content a number stood for.
        var numbers: [Int: [UInt8]] = [:]
        var reused: [Int] = []
        /// What it answers instead of a receipt, in turn.
        var refusals: [LabAnswer] = []
    }

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }
    func refuse(_ answers: [LabAnswer]) { state.withLock { $0.refusals = answers } }

    func reports() throws -> [[String: Any]] { try objects("/reports") }
    func manifests() throws -> [[String: Any]] { try objects("/manifests") }

    private func objects(_ path: String) throws -> [[String: Any]] {
        try now.bodies.filter { $0.path == path }.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any])
        }
    }

    func take(_ body: [UInt8], _ path: String, _ device: String) -> LabAnswer {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else {
            return .refused("no JSON")
        }
        return state.withLock { state in
            if !state.refusals.isEmpty { return state.refusals.removeFirst() }
            state.bodies.append((path, device, body))
            guard path == "/reports" else { return .received(object["day"] as? String ?? "") }
            let number = object["number"] as? Int ?? 0
            if let before = state.numbers[number], before != body { state.reused.append(number) }
            state.numbers[number] = body
            for prompt in object["prompts"] as? [[String: Any]] ?? [] {
                let id = "\(object["enrolment"] ?? "")/\(prompt["occurrence"] ?? "")"
                state.outcomes[id, default: 0] += 1
            }
            return .received("\(number)")
        }
    }
}

/// docs/report.schema.json as Python's jsonschema reads it.
enum ReportSchema {
    static let python = ProcessInfo.processInfo.environment["STUDYD_PYTHON"] ?? "python3"
    static let isThere = run("import jsonschema", []) != nil

    /// What does not fit, of each body a line; an empty one where all does.
    static func faults(of bodies: [[UInt8]]) throws -> [String] {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (index, body) in bodies.enumerated() {
            try Data(body).write(to: URL(fileURLWithPath: "\(folder)/\(index)"))
        }
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            for path in sys.argv[2:]:
                body = json.load(open(path))
                part = {"$ref": "#/$defs/" + body["format"].removeprefix("studyd-"), "$defs": schema["$defs"]}
                print("; ".join(e.json_path + ": " + e.message[:200] for e in jsonschema.Draft202012Validator(part).iter_errors(body)))
            """
        let paths = bodies.indices.map { "\(folder)/\($0)" }
        let output = try #require(run(script, [AgentFixture.package + "/docs/report.schema.json"] + paths))
        return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// What a script printed; nil where it failed.
    static func run(_ script: String, _ arguments: [String]) -> String? { output([python, "-c", script] + arguments) }

    /// The same of any program.
    static func output(_ words: [String]) -> String? {
        let process = Process()
        let output = Foundation.Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitAsleep()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
