// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import S3Servers
import Study
import SystemKit
import Testing

@testable import Agent

/// A device that is to be paired, and the platform of `radar_server.py`.
final class RadarPlatform {
    static let python = ProcessInfo.processInfo.environment["STUDYD_RADAR_PYTHON"] ?? "python3"
    /// RADAR-Schemas c8b4694.
    static let schemas =
        #filePath.replacing("Tests/AgentTests/Upload/Radar/RadarPlatform.swift", with: "")
        + "../shared/fixtures/delivery/radar-schemas"
    static let isThere: Bool = {
        guard FileManager.default.fileExists(atPath: schemas) else {
            print("SKIPPED: ../shared/fixtures/delivery/radar-schemas is not there")
            return false
        }
        return S3TestServer.runs(python, importing: "fastavro")
    }()
    static let now = Instant(seconds: Int64(Date.now.timeIntervalSince1970))
    static let token = "AbCd.12-"

    let server: LabServer
    let folder: String
    let client: HTTPClient
    private(set) var destination: RadarDestination
    private let settings: [String: DestinationSettings.Value]

    init(_ code: String? = nil, _ more: [String: String] = [:], _ numbers: [String: Int] = [:]) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "radar_server.py")
        server = try LabServer(command: [Self.python, script.path, Self.schemas])
        folder = try UploadFixture.folder()
        client = try HTTPClient(userAgent: "t")
        var texts = [
            "url": server.url(""), "source_producer": "studyd", "features_topic": "studyd_features",
            "position_topic": "android_phone_relative_location",
            "magnetometer_topic": "android_phone_magnetic_field",
        ].merging(more) { $1 }
        texts = texts.filter { !$0.value.isEmpty }
        settings = texts.mapValues { .text($0) }.merging(numbers.mapValues { .number($0) }) { $1 }
        destination = try Self.destination(settings, folder)
        try write(code: code ?? Self.token)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// With a code in the folder, unless one is there.
    static func destination(_ values: [String: DestinationSettings.Value], _ folder: String) throws -> RadarDestination
    {
        if access(folder + "/code", F_OK) != 0 { try write(code: token, folder) }
        let usual: [String: DestinationSettings.Value] = [
            "enrolment": .text(folder + "/code"), "client_id": .text("studyd"), "source_producer": .text("studyd"),
            "source_model": .text("device"), "position_topic": .text("android_phone_relative_location"),
        ]
        return try RadarDestination(
            DestinationSettings(
                name: "radar", takes: .both, values: usual.merging(values) { $1 }, folder: folder + "/destinations"))
    }

    private static func write(code: String, _ folder: String) throws {
        try AtomicFile.write(Array(code.utf8), to: folder + "/code", mode: 0o600)
    }

    func write(code: String) throws { try Self.write(code: code, folder) }

    /// The device was off.
    func restart() throws { destination = try Self.destination(settings, folder) }

    // MARK: The platform

    /// What it is like from now on: keys of `radar_server.py`.
    func set(_ json: String) throws {
        let response = try client.send(
            HTTPRequest(method: "POST", url: server.url("/control"), body: .bytes(Array(json.utf8))))
        try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    }

    private func state(_ key: String) throws -> JSONNode {
        var limits = HTTPLimits()
        (limits.maximumResponse, limits.keptResponse) = (16 << 20, 16 << 20)
        let body = try client.send(HTTPRequest(method: "GET", url: server.url("/state"), limits: limits)).body
        var rules = JSONRules()
        rules.maximumSize = 16 << 20
        return try #require(try JSONNode(body, rules)[key])
    }

    /// The values in a topic, as fastavro or the gateway's rules read them.
    func records(_ topic: String) throws -> [JSONNode] {
        try state("records").elements.filter { $0["topic"]?.text == topic }.compactMap { $0["value"] }
    }

    func keys(_ topic: String) throws -> Set<String> {
        Set(try state("records").elements.filter { $0["topic"]?.text == topic }.compactMap { $0["key"]?.value.text })
    }

    /// How the requests that were taken were written: type, encoding, number of records.
    func posts() throws -> [String] {
        try state("posts").elements.map { post in
            let type = post["type"]?.text?.contains("binary") == true ? "binary" : "json"
            return "\(type) \(post["encoding"]?.text ?? "plain") \(post["count"]?.value.text ?? "")"
        }
    }

    /// The upload backend's records, with their files' bytes as Latin-1.
    func uploads() throws -> [JSONNode] { try state("uploads").elements }

    func requests() throws -> [String] { try state("requests").elements.compactMap(\.text) }

    // MARK: The device

    func job(
        _ draft: OutboxDraft, of enrolment: String = "e1", attempts: Int = 1, now: Instant = RadarPlatform.now
    ) -> DeliveryJob {
        var file: FileReference?
        if case .file(let reference) = draft.content { file = reference }
        let queued = QueuedItem(
            id: "i", origin: draft.origin, itemClass: draft.itemClass, destination: "radar", requestDigest: nil,
            bytes: file?.bytes ?? 0, file: file)
        return DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: enrolment, state: .sending, attempts: attempts, retryAt: nil, note: nil),
            content: draft.content, directory: folder, location: nil, offset: nil,
            now: now)
    }

    /// All its steps, as the runner takes them; the job has the last place. `look` is called after each.
    @discardableResult
    func send(_ job: inout DeliveryJob, look: () throws -> Void = {}) throws -> DeliveryStep {
        try destination.open(client)
        var progress = UploadProgress()
        while true {
            let step = try destination.send(job, by: client)
            try look()
            guard progress.record(step) else { return .finished(.retry(reason: "in circles")) }
            switch step {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            default: return step
            }
        }
    }

    func send(_ draft: OutboxDraft, of enrolment: String = "e1", attempts: Int = 1) throws -> DeliveryStep {
        var job = job(draft, of: enrolment, attempts: attempts)
        return try send(&job)
    }

    // MARK: What it has

    /// proc(5): what this process has open is listed in /proc/self/fd.
    func isOpen(_ name: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == folder + "/" + name
        }
    }

    /// A run with that answer, as the agent keeps it.
    static func answer(_ value: String = "2", run: Int = 1) throws -> OutboxDraft {
        let tree = """
            {"type":"assessment","identifier":"phq8","versionString":"1.4","startDate":"2026-03-02T11:00:00.500+01:00",
            "endDate":"2026-03-02T11:01:00.000+01:00","stepHistory":[
            {"type":"base","identifier":"hello","startDate":"2026-03-02T11:00:00.500+01:00","endDate":"2026-03-02T11:00:01.000+01:00"},
            {"type":"answer","identifier":"phq8_1","startDate":"2026-03-02T11:00:02.000+01:00","endDate":"2026-03-02T11:00:04.250+01:00",
            "answerType":{"type":"number"},"value":\(value),"questionText":"How often?"},
            {"type":"answer","identifier":"left","startDate":"2026-03-02T11:00:05.000+01:00","endDate":"2026-03-02T11:00:06.000+01:00",
            "answerType":{"type":"boolean"}}]}
            """
        let entry = ResultEntry(
            enrolment: "e1", task: "phq8", run: run, tree: try JSONNode(Array(tree.utf8)).value,
            prompted: try Instant(rfc3339: "2026-03-02T09:59:00Z"))
        return entry.draft(to: "radar")
    }

    /// A recording of features with that many epochs of a minute; `row` makes a line of it.
    func features(
        _ rows: Int, name: String = "000001-features.csv",
        row: (Int) -> String = { "\(RadarPlatform.epoch($0)),\($0 * 60).000000,\(Double($0) / 8),1.000" }
    ) throws -> OutboxDraft {
        let head =
            "#studyd recording=1 measure=features\n#device LIS3DH at i2c-1, nominally 0.016667 per second\n#units g,1\n"
            + "time,uptime,enmo,coverage\n"
        return try recording(
            name, head + (0..<rows).map { row($0) + "\n" }.joined(), ["measure": "features", "identifier": "features"])
    }

    static func epoch(_ number: Int) -> String {
        (Instant(seconds: 1_772_000_040) + .seconds(60 * number)).rfc3339(offset: 0)
    }

    func recording(
        _ name: String, _ text: String, _ metadata: [String: String], type: String = "text/csv"
    ) throws -> OutboxDraft {
        try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(name)")
        let file = FileReference(
            path: name, sha256: try Digest(ofText: text).description, bytes: Int64(text.utf8.count),
            contentType: type, recording: "1", metadata: metadata)
        return OutboxDraft(origin: "recording 1", itemClass: .motion, destination: "radar", content: .file(file))
    }
}

extension DeliveryStep {
    var receipt: String? { if case .finished(.delivered(let receipt)) = self { receipt } else { nil } }
    var retry: String? { if case .finished(.retry(let reason)) = self { reason } else { nil } }
    var held: String? { if case .held(let reason) = self { reason } else { nil } }
    var refusal: String? { if case .finished(.refused(let reason)) = self { reason } else { nil } }
    var block: String? { if case .blocked(let explanation, _) = self { explanation.description } else { nil } }
}
