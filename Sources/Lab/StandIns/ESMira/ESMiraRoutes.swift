// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// Plays the server of ESMira below `/esmira`: its endpoints at `/esmira/api/….php`, and for the lab what was
/// received (`/api/esmira/…`), and freezing and messages (`/control/esmira/…`). `ChosenStandIns` opens it with
/// `--esmira`.
struct ESMiraRoutes: StandIn {
    private let api: ESMiraAPI
    private let archive: Archive
    private let faults: Faults
    private let clock: any StudyClock
    /// Notes the body of a request with answers that were taken, by which a manifest's line of it counts as
    /// arrived.
    private let notePosted: @Sendable ([UInt8]) async throws -> Void

    private static let bodyLimit = 8 << 20
    private static let fileLimit = 64 << 20

    /// Nil where no study is to be served.
    init?(_ options: ChosenStandIns, _ lab: StandInParts) throws {
        guard !options.esmira.isEmpty else { return nil }
        let store = try ESMiraStore(.file(lab.directory + "/esmira.sqlite"))
        api = ESMiraAPI(
            studies: try ESMiraStudyFolder(options.esmira, store: store, report: lab.report, keep: lab.keepStudy),
            store: store, newID: lab.newID, quota: lab.quota, isRevoked: lab.isRevoked)
        (faults, clock, archive, notePosted) = (lab.faults, lab.clock, lab.archive, lab.notePosted)
    }

    func sections(address: String, now: Instant) async throws -> [HTML] {
        try await ESMiraCard.all(api, address: address, now: now)
    }

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        for method in ["GET", "POST"] {
            router.on(method, "/esmira/api/:name", bodyLimit: Self.fileLimit, handler: faults.around(answer))
        }
        router.on("GET", "/api/esmira/:study/:file", handler: guarded(download))
        router.on("POST", "/control/esmira/:action", bodyLimit: 1 << 16, handler: guarded.changing(control))
    }

    // MARK: The server

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let name = request.parameters["name"] ?? ""
        do { return Self.json(try await answer(name, request)) } catch let refusal as ESMiraRefusal {
            // A device that is locked tries again and again, and would push out the refusals of others.
            return try await Self.json(refusal == .locked ? refusal.json : noted(refusal.json, name))
        }
    }

    private func answer(_ name: String, _ request: HTTPRequest) async throws -> JSONValue {
        let now = clock.now
        let language = request.queryItem("lang") ?? String((request.fields["accept-language"] ?? "en").prefix(2))
        func body() async throws -> [UInt8] { try await request.body.collect(upTo: Self.bodyLimit) }
        switch name {
        case "studies.php":
            return try await api.studies(
                key: request.queryItem("access_key"), language: language,
                withFinished: request.queryItem("include_finished_studies") != nil)
        case "statistics.php":
            return try await api.statistics(study: request.queryItem("id"), key: request.queryItem("access_key"))
        case "datasets.php":
            let bytes = try await body()
            let answer = try await api.datasets(bytes, at: now)
            if Self.reasons(answer).isEmpty { try await notePosted(bytes) }
            return try await noted(answer, name)
        case "file_uploads.php": return try await api.file(try await Self.parts(request), at: now)
        case "update.php": return try await api.update(try await body(), language: language, at: now)
        case "save_message.php":
            let bytes = try await body()
            let answer = try await api.message(bytes, at: now)
            try await notePosted(bytes)
            return answer
        case "save_merlin_log.php": return try await api.scriptLog(try await body(), at: now)
        case "reward.php": return try await api.reward(try await body(), at: now)
        default: throw HTTPFailure(404, "ESMira's server has no such endpoint here; docs/esmira.md lists them")
        }
    }

    private static func parts(_ request: HTTPRequest) async throws -> [MultipartForm.Part] {
        let bytes = try await request.body.collect(upTo: fileLimit)
        guard let type = request.fields["content-type"].flatMap(HeaderValue.init), type.token == "multipart/form-data",
            let boundary = type.parameters["boundary"],
            let parts = try? MultipartForm.parts(bytes, boundary: boundary)
        else { throw ESMiraRefusal("Missing data") }
        return parts
    }

    /// Refusals of whole requests and of entries are kept for the page.
    private func noted(_ answer: JSONValue, _ name: String) async throws -> JSONValue {
        let reasons = Self.reasons(answer)
        if !reasons.isEmpty {
            try await archive.refuse(
                reasons, path: "ESMira \(name.split(separator: ".").first ?? "")", user: nil, at: clock.now)
        }
        return answer
    }

    private static func reasons(_ answer: JSONValue) -> [String] {
        [answer["error"]?.string].compactMap(\.self)
            + (answer["dataset"]?["states"]?.array ?? []).compactMap { $0["error"]?.string }
    }

    private static func json(_ value: JSONValue) -> HTTPResponse {
        .text(value.text, type: "application/json;charset=UTF-8")
    }

    // MARK: The lab

    /// `/api/esmira/4711/50001.csv`, `events.csv`, `participants`, `messages`, `files`, `reports`;
    /// `/api/esmira/file/NUMBER`.
    private func download(_ request: HTTPRequest) async throws -> HTTPResponse {
        let file = request.parameters["file"] ?? ""
        let word = request.parameters["study"] ?? ""
        if word == "file" { return try await content(file) }
        guard let study = Int(word) else { throw HTTPFailure(404, "\(word) is not the number of a study") }
        // Reads changed studies again and prepares their tables, for what follows.
        _ = try await api.studies.all()
        if file.hasSuffix(".csv") {
            guard let csv = try await api.store.transaction({ try $0.csv(String(file.dropLast(4)), of: study) }) else {
                throw HTTPFailure(404, "study \(study) has no table \(file)")
            }
            return .text(csv, type: "text/csv; charset=utf-8")
        }
        guard let list = try await list(file, of: study) else {
            throw HTTPFailure(404, "use TABLE.csv, participants, messages, files or reports")
        }
        return .json(list)
    }

    private func list(_ name: String, of study: Int) async throws -> JSONValue? {
        try await api.store.transaction { tables in
            switch name {
            case "participants":
                return .array(
                    try tables.users(of: study).map { user in
                        .members([
                            "userId": .string(user.name), "joined": .int(user.joined), "latest": .int(user.handled),
                            "datasets": .int(user.datasets), "group": .int(user.group), "app": .string(user.app),
                            "rewarded": .boolean(user.isRewarded), "questionnaires": user.countsJSON,
                        ])
                    })
            case "messages":
                return .array(
                    try tables.messages(of: study).map { message in
                        message.json(from: message.sender).with("userId", .string(message.user))
                    })
            case "files":
                return .array(
                    try tables.media(of: study).map { file in
                        .members([
                            "number": .int(file.id), "userId": .string(file.user), "name": .string(file.name),
                            "bytes": .int(file.bytes), "received": .int(file.received),
                        ])
                    })
            case "reports":
                return .array(
                    try tables.reports(of: study).map { report in
                        .members(["received": .int(report.received), "content": .string(report.content)])
                    })
            default: return nil
            }
        }
    }

    private func content(_ number: String) async throws -> HTTPResponse {
        guard let id = Int64(number), let bytes = try await api.store.transaction({ try $0.content(id) }) else {
            throw HTTPFailure(404, "no file with that number")
        }
        return HTTPResponse(
            200,
            fields: [
                "Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff",
                "Content-Disposition": "attachment; filename=\"esmira-\(id)\"",
            ], content: .bytes(bytes))
    }

    /// `frozen?study=4711&value=true` and `message?study=4711[&user=ID]` with the text as body; only from this
    /// machine, even with a token.
    private func control(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Faults.checkOrigin(request)
        let action = request.parameters["action"]
        guard let id = request.queryItem("study").flatMap(Int.init) else {
            throw HTTPFailure(400, "study is missing: a study's number")
        }
        guard try await api.studies.all().contains(where: { $0.id == id }) else {
            throw HTTPFailure(404, "study \(id) is not served")
        }
        switch action {
        case "frozen":
            guard let value = request.queryItem("value"), ["true", "false"].contains(value) else {
                throw HTTPFailure(400, "value is true or false")
            }
            try await api.store.transaction { try $0.freeze(id, value == "true") }
            return .text("study \(id) is \(value == "true" ? "frozen" : "open")\n")
        case "message":
            let user = request.queryItem("user")
            let bytes = try await request.body.collect(upTo: 1 << 16)
            guard let text = String(validating: bytes, as: UTF8.self), text.utf8.count >= 2 else {
                throw HTTPFailure(400, "the message is the body of the request: a text of two letters at least")
            }
            let count = try await api.send(text, to: user, of: id, at: clock.now)
            return .text("sent to \(count) of study \(id)\n")
        default: throw HTTPFailure(404, "there are frozen and message")
        }
    }
}
