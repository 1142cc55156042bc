// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Glibc
import SystemKit

@testable import Lab

/// The folder of a lab, filled by the receiver's own code.
final class LabFixture {
    let directory: String
    private let archive: Archive
    private let uploads: UploadFolder
    private let fleet: FleetArchive
    private var count: Int
    static let now = Instant(seconds: 1_795_680_000)  // 2026-11-26T08:00:00Z
    static let study = "STUDYD1"
    static let studyFile = root + "/studies/sleep-and-movement.json"
    static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    /// In a folder that is there already, ids are numbered from `count` on.
    init(_ folder: String? = nil, from count: Int = 0) throws {
        self.count = count
        directory = folder ?? "/tmp/studyd-dataset-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try File.makeFolder(directory)
        archive = try Archive(.file(directory + "/receiver.sqlite"))
        uploads = try UploadFolder(
            directory, archive, quota: Quota(archive: archive, directory: directory, perDevice: .max, free: 0),
            retention: .seconds(86_400))
        fleet = try FleetArchive(.file(directory + "/fleet.sqlite"))
        KeptStudies.keep([Self.studyFile], in: directory) { _ in }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// A folder beside it, which is removed with it.
    func output(_ name: String = "out") -> String { directory + "/" + name }

    // MARK: What devices send

    func post(
        _ participant: String = "P1", study: String = LabFixture.study, module: Int = 2, name: String = "Right now",
        responses: String = #"{"doing":"Walking","company":"Yes"}"#, due: String = "2026-11-25T09:00:00+01:00",
        answered: String = "2026-11-25T09:01:10+01:00", clockError: String? = "0.25",
        at received: Instant = LabFixture.now
    ) async throws {
        let milliseconds = try Instant(rfc3339: answered).milliseconds + 123
        var fields = [
            ("data_type", "survey_response"), ("user_id", participant), ("study_id", study),
            ("module_index", String(module)), ("module_name", name), ("responses", responses),
            ("response_time", answered), ("response_time_in_ms", String(milliseconds)), ("alert_time", due),
            ("platform", "studyd"),
        ]
        if let clockError { fields.append(("clock_error_in_s", clockError)) }
        let post = SchemaPost(fields.map { FormField(name: $0.0, value: $0.1) })
        guard post.errors.isEmpty else { throw FileError(path: "post", message: post.errors.joined(separator: "; ")) }
        try await archive.store(post, path: "/schema", at: received)
    }

    func log(_ participant: String = "P1", page: String = "home", event: String = "entry") async throws {
        let fields = [
            ("data_type", "log"), ("user_id", participant), ("study_id", Self.study), ("module_index", "-1"),
            ("page", page), ("event", event), ("timestamp", "2026-11-25T09:01:00+01:00"),
            ("timestamp_in_ms", "1795593660500"), ("platform", "studyd"),
        ]
        try await archive.store(
            SchemaPost(fields.map { FormField(name: $0.0, value: $0.1) }), path: "/schema", at: Self.now)
    }

    /// A file by tus; `part` of it is all that comes.
    func upload(
        _ name: String, _ bytes: [UInt8], of participant: String = "P1", study: String? = LabFixture.study,
        enrolment: String? = "e1", enrolled: String = "2026-11-25T08:00:00+01:00", recording: String? = "1",
        part: Int? = nil
    ) async throws {
        count += 1
        let pairs = [
            ("filename", name), ("study", study), ("enrolment", enrolment), ("recording", recording),
            ("enrolled", enrolment == nil ? nil : enrolled), ("participant", participant),
        ]
        let metadata = JSONText.object(pairs.compactMap { pair in pair.1.map { .init(pair.0, .string($0)) } })
        _ = try await uploads.create(
            Upload(
                id: "u\(count)", user: participant, kind: "", name: name, metadata: metadata.text,
                length: Int64(bytes.count), offset: 0, created: Self.now, changed: Self.now, expected: nil,
                mismatches: 0))
        try await uploads.begin("u\(count)", at: 0, checksum: nil, length: nil)
        try await uploads.append("u\(count)", Array(bytes.prefix(part ?? .max)), now: Self.now)
        _ = try await uploads.end("u\(count)", isWhole: part == nil, now: Self.now)
    }

    /// An archive of a run of SageResearch, as `/sage` keeps it.
    func sage(_ bytes: [UInt8], of participant: String = "P1", isEncrypted: Bool = false) async throws {
        let digest = try Digest(of: bytes).description
        try File.makeFolder(directory + "/sage")
        try AtomicFile.write(bytes, to: "\(directory)/sage/\(digest).zip" + (isEncrypted ? ".cms" : ""))
        try await archive.noteSage(digest, bytes: Int64(bytes.count), of: participant, at: Self.now)
    }

    /// A recording with its description, as a device sends both.
    func record(
        _ number: Int = 1, of participant: String = "P1", enrolment: String = "e1", device: UInt32 = 7,
        bytes: [UInt8]? = nil, isDescribed: Bool = true,
        change: (inout RecordingDescription) -> Void = { _ in }
    ) async throws {
        let base = "\(number.padded(6))-magnetometer"
        let bytes = bytes ?? Array("samples of \(participant)".utf8)
        try await upload(
            base + ".csv", bytes, of: participant, enrolment: enrolment, recording: String(number))
        guard isDescribed else { return }
        var note = RecordingDescription(fileName: base + ".csv", contentType: "text/csv", countedUnit: .samples)
        (note.number, note.kind, note.format, note.state) = (number, "magnetometer", "csv", .sealed)
        (note.study, note.participant, note.deviceNumber) = (Self.study, participant, device)
        (note.startDate, note.endDate) = ("2026-11-25T08:00:00Z", "2026-11-25T10:00:00Z")
        (note.offset, note.zone, note.clock, note.clockError) = ("+01:00", "Europe/Berlin", .anchored, 0.2)
        (note.startUptime, note.endUptime, note.bootID) = (100, 7300, "b1")
        (note.nominalRate, note.samplesStored, note.samplesLost) = (20, 108_000, ["ringFull": 36_000])
        note.anchors = [.init(uptime: 100, time: "2026-11-25T08:00:00Z", source: "gps", uncertainty: 0.1)]
        (note.bytes, note.sha256) = (bytes.count, try Digest(of: bytes).description)
        change(&note)
        try await upload(
            base + ".json", Array(note.json.indentedText.utf8), of: participant, enrolment: enrolment,
            recording: String(number))
    }

    /// Prompts as JSON objects of a report.
    func report(
        _ prompts: String, of participant: String = "P1", enrolment: String = "e1", state: String = "recording",
        at received: Instant = LabFixture.now
    ) async throws {
        let text = """
            {"format":"studyd-report","version":1,"number":1,"at":"2026-11-26T08:00:00.000+01:00","reason":"hour",
             "nextReportWithin":3900,"device":"\(participant)","study":"\(Self.study)","participant":"\(participant)",
             "enrolment":"\(enrolment)","program":{"version":"0.9.0","commit":null},
             "clock":{"source":"kernel","trusted":true,"uncertainty":0.2},"ledger":null,"prompts":[\(prompts)],
             "recordings":{"newest":null,"coverage":[]},"outbox":{"waiting":0,"bytes":0,"oldestSeconds":null},
             "disk":{"free":1,"total":2,"low":false},"card":{"written":null,"life":null},
             "power":{"underVoltage":false,"battery":null},"temperature":null,"faults":[],"configuration":null,
             "state":"\(state)","nextPrompt":null}
            """
        let report = try DeviceReport(try JSONReader.value(text))
        try await fleet.take(report, isKeyed: false, from: "test", at: received)
    }

    static func prompt(
        _ occurrence: String, task: String = "moment", due: String = "2026-11-25T09:00:00.000+01:00",
        outcome: String = "completed", reason: String? = nil
    ) -> String {
        let isAnswered = outcome == "completed"
        return """
            {"occurrence":"\(occurrence)","task":"\(task)","due":"\(due)","outcome":"\(outcome)",
             "reason":\(reason.map { "\"\($0)\"" } ?? "null"),
             "presented":\(reason == nil ? "\"2026-11-25T09:00:02.000+01:00\"" : "null"),
             "opened":\(isAnswered ? "\"2026-11-25T09:00:30.000+01:00\"" : "null"),
             "ended":"2026-11-25T09:01:10.000+01:00","presses":\(isAnswered ? #"{"doing":3,"company":1}"# : "{}"),
             "clockError":0.5}
            """
    }

    /// Lines of a day's manifest.
    func manifest(
        _ entries: String, day: String = "2026-11-25", of participant: String = "P1",
        study: String = LabFixture.study, enrolment: String = "e1"
    ) async throws {
        let text = """
            {"format":"studyd-manifest","version":1,"device":"\(participant)","study":"\(study)",
             "participant":"\(participant)","enrolment":"\(enrolment)","day":"\(day)","entries":[\(entries)]}
            """
        try await fleet.take(try DeviceManifest(try JSONReader.value(text)), here: [], at: Self.now)
    }

    static func entry(
        _ name: String, sha256: String = String(repeating: "a", count: 64), kind: String = "recording",
        state: String = "delivered", why: String? = nil
    ) -> String {
        """
        {"kind":"\(kind)","id":"9","name":"\(name)","sha256":"\(sha256)","bytes":1000,"count":9,"state":"\(state)",
         "why":\(why.map { "\"\($0)\"" } ?? "null")}
        """
    }

    /// Lines of a manifest: delivered answers, numbered from 0.
    static func submissions(_ bodies: [UInt8]...) throws -> String {
        try bodies.enumerated().map { number, body in
            entry("answers-\(number)", sha256: try Digest(of: body).description, kind: "submission")
                .replacing(#""id":"9""#, with: #""id":"\#(number)""#)
        }.joined(separator: ",")
    }

    /// Notes the body of an answer as taken.
    func notePosted(_ body: [UInt8]) async throws { try await fleet.notePosted(body) }

    /// Two participants with answers, misses, recordings and something that is missing.
    static func filled() async throws -> LabFixture {
        let lab = try LabFixture()
        for participant in ["P1", "P2"] {
            let device: UInt32 = participant == "P1" ? 7 : 8
            try await lab.post(participant)
            try await lab.post(
                participant, module: 1, name: "Good morning",
                responses: #"{"slept-well":"No","rested":7,"what-woke":""}"#,
                due: "2026-11-26T07:00:00+01:00", answered: "2026-11-26T07:20:00+01:00")
            try await lab.log(participant)
            try await lab.record(of: participant, device: device)
            try await lab.report(
                [
                    prompt("moment/1"), prompt("morning/1", task: "morning", due: "2026-11-26T07:00:00.000+01:00"),
                    prompt("moment/2", due: "2026-11-25T13:00:00.000+01:00", outcome: "expired"),
                    prompt("moment/3", due: "2026-11-25T15:00:00.000+01:00", outcome: "missed", reason: "device-off"),
                    prompt("evening/1", due: "2026-11-25T21:00:00.000+01:00", outcome: "missed", reason: "locked"),
                ].joined(separator: ","), of: participant)
        }
        try await lab.manifest(
            [
                entry("000002-magnetometer.csv"),
                entry("000003-magnetometer.csv", state: "given up", why: "the disk was full"),
            ]
            .joined(separator: ",").replacing(#""id":"9","name":"000003"#, with: #""id":"10","name":"000003"#))
        return lab
    }
}
