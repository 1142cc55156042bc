// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// One step of a recording on its way to RADAR-base's upload backend, as a record with one file; `RadarDestination`
/// makes it for each step.
///
/// The backend keeps no part of a file, does not recognise duplicates and gives no digest, so the device asks
/// before each step what is there. It recognises its own record by `<file>.sha256`, a small file that is
/// created together with the record; the recording's description is another such file.
///
///     no place ──list──▶ ours ──▶ place ──GET──▶ open, without the file ──PUT──▶ asks again
///                 └─none──POST──────▲ │           open, with it ──READY──▶ delivered
///                                     └─404, 410─▶ no place   closed, with it ──▶ delivered
struct RadarUpload {
    struct Backend: Sendable, Hashable {
        /// Below it are `records` and `source-types`.
        let url: String
        let sourceType: String
    }

    private let job: DeliveryJob
    private let payload: UploadPayload
    private let backend: Backend
    private let server: RadarServer
    private let client: HTTPClient
    private var pairing: RadarPairing
    private var name: String { payload.file.path }
    /// The file by which our record is recognised.
    private var mark: String { name + ".sha256" }

    /// How many of the newest records are searched for one that was made, but whose answer was lost.
    private static let newest = 10

    init(_ job: DeliveryJob, to backend: Backend, of server: RadarServer, by client: HTTPClient) throws {
        (self.job, self.backend, self.server, self.client) = (job, backend, server, client)
        payload = try UploadPayload(job, compressing: [])
        guard payload.bytes > 0 else { throw UnusablePayload(reason: "\(payload.path) is empty") }
        let pairing = try server.pairing(of: job.item.enrolment, at: job.now, by: client)
        self.pairing = try server.withProject(pairing, by: client)
    }

    mutating func step() throws -> DeliveryStep {
        guard let place = job.location else { return try find() ?? create() }
        guard let id = RadarUploadRecord.id(place) else { return .located(nil) }
        let response = try ask("GET", "/records/\(id)")
        if isGone(response) { return .located(nil) }
        guard let record = record(response) else { return refused(response, "asking for \(place)") }
        return try next(record)
    }

    private mutating func next(_ record: RadarUploadRecord) throws -> DeliveryStep {
        switch (record.isOpen, record.bytes(of: name)) {
        case (_, let bytes?) where bytes != payload.bytes:
            .finished(.retry(reason: "\(record.path) has \(bytes) bytes of \(name) instead of \(payload.bytes)"))
        case (true, nil): try put(into: record)
        case (true, _): try commit(record)
        case (false, nil): .located(nil)
        case (false, _): delivered(record, record.statusText)
        }
    }

    private func delivered(_ record: RadarUploadRecord, _ statusText: String) -> DeliveryStep {
        .finished(
            .delivered(receipt: "\(backend.url)/\(record.path) has \(payload.bytes) bytes of \(name): \(statusText)"))
    }

    // MARK: - The record

    /// A record that was made for this very file; nil = there is none.
    private mutating func find() throws -> DeliveryStep? {
        let query = [
            ("projectId", pairing.project ?? ""), ("userId", pairing.subject ?? ""), ("sourceType", backend.sourceType),
            ("size", String(Self.newest)),
        ].map { "\($0)=\(PercentCode.encoded($1))" }.joined(separator: "&")
        // No connection for the POST to reuse: on a used one libcurl repeats a POST that got no answer, which
        // would make two records.
        let response = try ask("GET", "/records?\(query)", [.init(name: "Connection", value: "close")])
        guard response.status == 200, let list = response.json?["records"] else {
            return refused(response, "asking for records")
        }
        for record in list.elements.compactMap(RadarUploadRecord.init) where isLikely(record) {
            let path = "/\(record.path)/contents/\(PercentCode.encoded(mark))"
            let marked = try ask("GET", path, [.init(name: "Connection", value: "close")])
            if marked.status == 200, marked.body.starts(with: payload.file.sha256.utf8) { return .located(record.path) }
            if marked.status != 200, !isGone(marked) { return refused(marked, "asking for \(mark)") }
        }
        return nil
    }

    /// Whether the record may be ours, so that its mark is worth fetching.
    private func isLikely(_ record: RadarUploadRecord) -> Bool {
        record.source == pairing.source && record.bytes(of: mark) != nil
            && (record.isOpen || record.bytes(of: name) == payload.bytes)
    }

    private mutating func create() throws -> DeliveryStep {
        guard let project = pairing.project else {
            return .held(reason: "the participant is in no project: assign one in ManagementPortal")
        }
        let description = description
        // In UTC: the sign or unit of an offset can be misread.
        let start = (try? description.map { try JSONNode(Array($0.utf8)) })?["startDate"]?.text.flatMap(Instant.parsed)
        let time = start.map { JSONText.string(String($0.rfc3339Zulu(fractionDigits: 3).dropLast())) }
        let contents = [
            content(mark, "text/plain", "\(payload.file.sha256)  \(name)\n"),
            description.map { content(RecordingName(name)?.description ?? "\(name).json", "application/json", $0) },
        ].compactMap(\.self)
        let data = JSONText.object([
            .init("projectId", .string(project)), .init("userId", .string(pairing.subject ?? "")),
            .init("sourceId", .string(pairing.source ?? "")), .init("time", time ?? .null),
            .init("timeZoneOffset", time == nil ? .null : .integer(0)), .init("contents", .array(contents)),
        ])
        let body = JSONText.object([.init("data", data), .init("sourceType", .string(backend.sourceType))]).text
        let response = try ask("POST", "/records", [Self.json], body: .bytes(Array(body.utf8)))
        if response.status == 201, let record = record(response) { return .located(record.path) }
        return notCreated(response)
    }

    private func content(_ name: String, _ type: String, _ text: String) -> JSONText {
        .object(["fileName": .string(name), "contentType": .string(type), "text": .string(text)])
    }

    /// The text of the recording's description; nil where it is no longer on the disk.
    private var description: String? {
        RecordingName(name).flatMap { try? BoundedFile.text("\(job.directory)/\($0.description)") }
    }

    private func notCreated(_ response: HTTPResponse) -> DeliveryStep {
        guard [400, 404, 422].contains(response.status), ForeignAnswer(response) == nil else {
            return refused(response, "making a record")
        }
        if code(response) == "source_type_not_found" { return .held(reason: backend.noSourceType.description) }
        return .held(
            reason: "the upload backend makes no record: \(response.words); see that it has project "
                + "'\(pairing.project ?? "")' and the settings of source type '\(backend.sourceType)'")
    }

    // MARK: - The file

    private mutating func put(into record: RadarUploadRecord) throws -> DeliveryStep {
        let response = try ask(
            "PUT", "/\(record.path)/contents/\(PercentCode.encoded(name))",
            [.init(name: "Content-Type", value: payload.file.contentType)],
            body: payload.piece(from: 0, length: payload.bytes))
        switch response.status {
        case 200, 201:
            let node = response.json
            guard node?["fileName"]?.text == name, node?["size"]?.value == .integer(payload.bytes) else {
                guard ForeignAnswer(response) == nil else { return refused(response, name) }
                return .finished(.retry(reason: "\(response.words), which is no receipt for \(name)"))
            }
            return .progressed(payload.bytes)
        case 409: return .progressed(nil)
        case 413:
            return .held(
                reason: "\(name) of \(payload.bytes) bytes is too large for the upload backend or its ingress: raise "
                    + "proxy-body-size there, have shorter files by 'rotate', or send recordings to a bucket")
        // The timeout of radar-jersey's ScopedAsyncCoroutineService, which has no Retry-After.
        case 503 where code(response) == "timeout" && response.retryAfter == nil:
            return .held(
                reason: "\(name) of \(payload.bytes) bytes took longer than the 30 s that the upload backend gives a "
                    + "request: have shorter files by 'rotate', or send recordings to a bucket")
        default: return isGone(response) ? .located(nil) : refused(response, "sending \(name)")
        }
    }

    /// Marks the record as ready: from then on nothing can be added, and a converter may take it.
    private mutating func commit(_ record: RadarUploadRecord) throws -> DeliveryStep {
        let body = "{\"status\":\"READY\",\"revision\":\(record.revision)}"
        let response = try ask("POST", "/\(record.path)/metadata", [Self.json], body: .bytes(Array(body.utf8)))
        if response.status == 409 { return .progressed(nil) }
        if isGone(response) { return .located(nil) }
        guard response.status == 200, let node = response.json, let status = node["status"]?.text,
            let revision = node["revision"]?.value
        else { return refused(response, "marking \(record.path) as ready") }
        return delivered(record, "\(status), revision \(revision.text)")
    }

    // MARK: - Requests

    private static let json = WireRequest.Header(name: "Content-Type", value: "application/json")

    private mutating func ask(
        _ method: String, _ path: String, _ headers: [WireRequest.Header] = [], body: HTTPRequest.Body = .none
    ) throws -> HTTPResponse {
        let (server, backend, client) = (server, backend, client)
        return try server.authorized(&pairing, at: job.now, by: client) { pairing in
            try server.ask(method, path, headers, body: body, at: backend.url, token: pairing.access, by: client)
        }
    }

    private func record(_ response: HTTPResponse) -> RadarUploadRecord? {
        [200, 201].contains(response.status) ? response.json.flatMap(RadarUploadRecord.init) : nil
    }

    private func code(_ response: HTTPResponse) -> String? { response.json?["error"]?.text }

    private func isGone(_ response: HTTPResponse) -> Bool {
        [404, 410].contains(response.status) && ForeignAnswer(response) == nil
    }

    /// The step for an answer that is no success: `held` where only this backend is misconfigured, so that
    /// records in topics are still sent.
    private func refused(_ response: HTTPResponse, _ what: String) -> DeliveryStep {
        let words = "\(what) was answered \(response.words)"
        guard ForeignAnswer(response) == nil else { return server.refusal(response, what) }
        return switch response.status {
        case 401, 403:
            .held(
                reason:
                    "\(words): give the OAuth client the resource res_upload, with MEASUREMENT.CREATE and SUBJECT.READ")
        case 404: .held(reason: "\(words): no upload backend is at \(backend.url); set upload_url")
        default: server.refusal(response, what)
        }
    }
}

extension RadarUpload.Backend {
    var noSourceType: Explanation {
        Explanation(
            cause: "the upload backend has no source type '\(sourceType)'",
            remedy: "add it to sourceTypes of its upload.yml, or name another as upload_source_type")
    }

    /// Throws where the backend has no such source type. Needs no token.
    func inspect(_ server: RadarServer, by client: HTTPClient) throws {
        let path = "/source-types/\(PercentCode.encoded(sourceType))"
        let response = try server.ask("GET", path, at: url, by: client)
        if response.status == 404, ForeignAnswer(response) == nil {
            throw RadarStop(step: .blocked(noSourceType, wait: .zero))
        }
        guard response.status == 200, ForeignAnswer(response) == nil else {
            throw RadarStop(step: server.refusal(response, "asking \(url) for its source types"))
        }
    }
}
