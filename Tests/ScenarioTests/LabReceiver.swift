// SPDX-License-Identifier: Apache-2.0
import Patience

/// A `study-receiver` that serves `study.json` of a stage, and what it says of what has arrived.
struct LabReceiver: Sendable {
    let stage: Stage
    let process: Child
    /// The file it serves and, without its ending, the folder where it keeps what comes.
    let file: String
    /// `http://127.0.0.1:PORT`.
    let address: String

    /// Starts one; the same held `port` again brings one back with what it had.
    init(
        _ stage: Stage, port: Int = 0, fault: String? = nil, more: [String] = [], name: String = "receiver"
    ) async throws {
        self.stage = stage
        file = name == "receiver" ? "study.json" : name + ".json"
        let study = stage.folder + "/" + file
        if Files.text(study).isEmpty { try Files.write("{}", to: study) }
        let words = ["--port", String(port), "--data", stage.folder + "/" + name, "--serve", study] + more
        let process = try stage.start([Programs.receiver] + words + (fault.map { ["--fault", $0] } ?? []))
        self.process = process
        let line: Substring = try await eventually("the receiver listens; it said: \(process.errors)") {
            if process.end != nil { throw Complaint("the receiver ended: \(process.errors)") }
            return process.output.contains("\n") ? process.output.split(separator: "\n").first : nil
        }
        guard let start = line.firstRange(of: "http://")?.lowerBound else { throw Complaint("no address: \(line)") }
        address = String(line[start...])
    }

    var studyURL: String { address + "/study/" + file }

    /// Writes the study it serves, with this receiver's address for records.
    func serve(_ modules: [String]) throws {
        try Files.write(LabStudy(postURL: address + "/schema", modules: modules).text, to: stage.folder + "/" + file)
    }

    /// Lets devices meet a fault, `none` no more.
    func meet(_ fault: String) async throws {
        let answer = try stage.start(["curl", "-sSf", "-X", "POST", address + "/control/fault?mode=" + fault])
        guard try await answer.ended() == 0 else { throw Complaint("fault \(fault): \(answer.errors)") }
    }

    /// GET of its JSON.
    func get(_ path: String) async throws -> JSON {
        let answer = try stage.start(["curl", "-sSf", "--max-time", "300", address + path])
        guard try await answer.ended() == 0 else { throw Complaint("\(path): \(answer.errors)") }
        return try JSON(parsing: answer.output)
    }

    /// The answers that have arrived, the first of each.
    func answers() async throws -> [JSON] {
        try await records().filter { $0["kind"].text == "survey_response" && $0["duplicateOf"] == .null }
    }

    /// The log records of a page and an event, the first of each.
    func logs(_ page: String, _ event: String) async throws -> [JSON] {
        try await records().filter {
            $0["kind"].text == "log" && $0["duplicateOf"] == .null && $0["fields"]["page"].text == page
                && $0["fields"]["event"].text == event
        }
    }

    /// Everything posted, newest first; at most 1000.
    func records() async throws -> [JSON] { try await get("/api/records").list }

    /// Complete files, the first of each.
    func files() async throws -> [JSON] {
        try await get("/api/files").list.filter {
            $0["complete"].isTrue && $0["sameAs"] == .null && $0["kind"].text != "hello"
        }
    }
}

extension JSON {
    /// The answers that a record carries, by question.
    var responses: JSON { (try? JSON(parsing: self["fields"]["responses"].text)) ?? .null }
}
