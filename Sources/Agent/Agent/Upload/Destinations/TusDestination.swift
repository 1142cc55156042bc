// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// A file server that speaks tus 1.0.0 (https://tus.io/protocols/resumable-upload), with the creation
/// extension.
///
/// Files that compress well are sent as Zstandard (`UploadPayload`); metadata describes the file they become,
/// and receipts name both digests. Answers are sent as separate files, `answers-<item>.json`, with `kind`
/// `answers` and the body that the study's server gets.
///
/// A recording's description is a separate upload: a small second item that refers to the same
/// recording. An item is delivered when the server has confirmed its full length; a server that
/// also sends `Repr-Digest` (RFC 9530) has to name our SHA-256.
///
///     no place ──POST──▶ place ──HEAD──▶ offset ──PATCH──▶ offset … ──PATCH──▶ delivered
///        ▲                 │ 403, 404, 410   │ 409, 460
///        └─────────────────┘                 └──▶ HEAD
///
/// The answers below a place are those to HEAD, the ones below an offset those to PATCH. A PATCH that is answered
/// 404 or 410 also leads back to no place, and so does one of a compressed copy answered 460.
package struct TusDestination: DestinationKind {
    package static let kind = "tus"
    /// Recordings, and answers as files.
    package static let takes = DestinationIntake.both
    package static let keys = ServerSettings.keys + [DestinationKey("chunk_kib", .size(16...1_048_576))]
    /// As items name it; `labName` for the receiver that `[upload] recordings` sets up.
    package let name: String
    /// Appended to the `location` of an upload that was begun with the compressed copy: the rest of the
    /// upload has to come from the same copy.
    private static let compressedMark = "#zstd"
    /// The name of the lab's receiver, which `[upload] recordings` sets up.
    package static let labName = "recordings"
    package var isLab: Bool { name == Self.labName }
    /// False for the lab's receiver, which gets manifests with the reports.
    package var keepsDayRecords: Bool { !isLab }
    private let server: ServerSettings
    private let chunk: Int64
    private let limits: HTTPLimits
    private var endpoint: String { server.url }
    /// How long a check may wait for an answer; it has ten seconds in all.
    var patience = Duration.seconds(3)

    /// `endpoint` is the address at which uploads are created; no request carries more than `chunk` bytes.
    package init(
        name: String, endpoint: String, chunk: Int64 = 4 << 20, limits: HTTPLimits = .init()
    ) {
        precondition(chunk > 0, "a chunk needs at least one byte")
        self.name = name
        self.chunk = chunk
        self.limits = limits
        server = ServerSettings(url: endpoint)
    }

    package init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        name = settings.name
        server = try ServerSettings(settings)
        limits = server.limits
        chunk = settings.size("chunk_kib") ?? 4 << 20
    }

    package func open(_ client: HTTPClient) throws { try server.open(client) }

    /// True, since the server's place is logged before a byte is sent there, and is then asked how much it has.
    package let recognisesRepeats = true
    /// Where files are created.
    package var address: String? { endpoint }

    /// Whether files are created there. Servers and proxies answer OPTIONS as they like, but a request of another
    /// version of the protocol has to be refused with 412 and make nothing. It names no length either, so that a
    /// server that does not look at the version has nothing to make.
    package func inspect(by client: HTTPClient, at now: Instant) throws -> String? {
        try open(client)
        var brief = limits
        (brief.connect, brief.total) = (patience, patience)
        let question = HTTPRequest(
            method: "POST", url: endpoint, headers: [field("Tus-Resumable", "0.0.0")], limits: brief)
        // The server was reached before: a slow network is no fault of the address.
        guard let answer = try? client.send(question) else { return nil }
        if let versions = answer["Tus-Version"] ?? answer["Tus-Resumable"] {
            return "takes files by tus \(versions.oneLine(40))"
        }
        let isDone = (200..<300).contains(answer.status) && answer["Location"] == nil
        if isDone || [404, 405].contains(answer.status) {
            throw NoTusServer(endpoint, answer.status, setting: isLab ? "[upload] recordings" : "url of '\(name)'")
        }
        return nil
    }

    /// Sends one POST, HEAD or PATCH, as place and offset of the job demand. Refuses files that are gone or
    /// no longer have their SHA-256; throws the client's errors.
    package func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        var job = job
        let wasCompressed = job.location?.hasSuffix(Self.compressedMark)
        if wasCompressed == true { job.location?.removeLast(Self.compressedMark.count) }
        let step: DeliveryStep
        do {
            let payload = try UploadPayload(job, compressing: wasCompressed == false ? [] : job.compressible)
            // The compressed copy was lost and cannot be made again now: the upload begins again with the
            // file itself.
            guard payload.isCompressed == wasCompressed ?? payload.isCompressed else { return .located(nil) }
            step = try self.step(payload, job, client)
        } catch let unusable as UnusablePayload {
            return .finished(.refused(reason: unusable.reason))
        }
        switch (step, job.content) {
        case (.finished(.delivered), .file(let file)), (.finished(.refused), .file(let file)):
            UploadPayload.discardCopy(of: "\(job.directory)/\(file.path)")
        default: break
        }
        return step
    }

    private func step(_ payload: UploadPayload, _ job: DeliveryJob, _ client: HTTPClient) throws -> DeliveryStep {
        guard let location = job.location.flatMap(secured) else { return try create(payload, job, client) }
        guard let offset = job.offset else { return try ask(location, payload, client) }
        return try send(payload, from: offset, to: location, job, client)
    }

    /// POST: makes the place.
    private func create(_ payload: UploadPayload, _ job: DeliveryJob, _ client: HTTPClient) throws -> DeliveryStep {
        let fields = [
            field("Upload-Length", String(payload.bytes)),
            field("Upload-Metadata", metadata(of: payload.file, try payload.metadata(), job.item)),
        ]
        let response = try client.send(request("POST", endpoint, fields))
        guard response.status == 201, let location = response["Location"], !location.isEmpty else {
            return finished(response, "creation")
        }
        guard let place = secured(HTTPAddress.resolved(location, at: endpoint)) else {
            return .finished(.retry(reason: "the server names a place without TLS: \(location)"))
        }
        return .located(place + (payload.isCompressed ? Self.compressedMark : ""))
    }

    /// HEAD: how much of it is there.
    private func ask(_ location: String, _ payload: UploadPayload, _ client: HTTPClient) throws -> DeliveryStep {
        let response = try client.send(request("HEAD", location))
        if [403, 404, 410].contains(response.status) { return .located(nil) }
        guard (200...204).contains(response.status), let offset = response["Upload-Offset"].flatMap(Int64.init) else {
            // An answer to HEAD has no body that could say who gave it: no reason to refuse
            // a file for good.
            let step = finished(response, "HEAD")
            return if case .finished(.refused(let reason)) = step { .finished(.retry(reason: reason)) } else { step }
        }
        if let length = response["Upload-Length"].flatMap(Int64.init), length != payload.bytes { return .located(nil) }
        return offset == payload.bytes ? try confirm(response, payload, location) : .progressed(offset)
    }

    /// PATCH: the next piece.
    private func send(
        _ payload: UploadPayload, from offset: Int64, to location: String, _ job: DeliveryJob, _ client: HTTPClient
    ) throws -> DeliveryStep {
        let length = payload.bytes
        guard (0..<length).contains(offset) || length == 0 else { return .located(nil) }
        let fields = [
            field("Upload-Offset", String(offset)), field("Content-Type", "application/offset+octet-stream"),
        ]
        var patch = request("PATCH", location, fields)
        patch.body = payload.piece(from: offset, length: min(chunk, max(1, job.chunk), length - offset))
        let response = try client.send(patch)
        switch response.status {
        case 200, 204:
            guard let now = response["Upload-Offset"].flatMap(Int64.init), now > offset || length == 0 else {
                guard ForeignAnswer(response) == nil else { return finished(response, "PATCH") }
                return .finished(.retry(reason: "the server took a piece but did not confirm the new offset"))
            }
            return now == length ? try confirm(response, payload, location) : .progressed(now)
        case 404, 410: return .located(nil)
        // Checksum mismatch: the rest may have been compressed by another version of the library. Begin again.
        case 460 where payload.isCompressed: return .located(nil)
        case 409, 460: return .progressed(nil)
        default: return finished(response, "PATCH")
        }
    }

    private func confirm(_ response: HTTPResponse, _ payload: UploadPayload, _ location: String) throws -> DeliveryStep
    {
        let (file, sent) = (payload.file, try payload.sha256())
        if let digest = response["Repr-Digest"], digest.contains("sha-256="),
            !digest.contains("sha-256=:\(Base64.encoded([UInt8](hexadecimal: sent) ?? [])):")
        {
            return .finished(.refused(reason: "the server has other bytes than we sent: \(digest)"))
        }
        // study-receiver says what lies on its disk: the recording, or what was sent where it could
        // not restore that.
        if let digest = response["Upload-SHA256"]?.lowercased(), digest != file.sha256, digest != sent {
            return .finished(.refused(reason: "the server keeps other bytes than we sent: SHA-256 \(digest)"))
        }
        let own = "\(location) \(file.bytes) bytes sha256 \(file.sha256)"
        let wire = payload.isCompressed ? ", sent as \(payload.bytes) bytes of zstd sha256 \(sent)" : ""
        return .finished(.delivered(receipt: own + wire))
    }

    /// The step for an answer that is no success.
    private func finished(_ response: HTTPResponse, _ step: String) -> DeliveryStep {
        let verdict = verdict(of: response, step)
        if let foreign = ForeignAnswer(response) { return .foreign(foreign, to: step) }
        if case .retry(let reason) = verdict { return .retry(reason, after: response) }
        return .finished(verdict)
    }

    /// Refuses for good only what would be answered the same next time, because the file itself is not
    /// accepted; wrong keys and addresses can be corrected, so they are retried.
    private func verdict(of response: HTTPResponse, _ step: String) -> Verdict {
        let words =
            "\(step) was answered \(response.status) \(String(decoding: response.body.prefix(200), as: UTF8.self))"
        let isFinal =
            [400, 413, 415, 422].contains(response.status)
            && !Self.interruptions.contains { response.body.starts(with: $0.utf8) }
        return isFinal ? .refused(reason: words) : .retry(reason: words)
    }

    /// What tusd says with 400 of a request that broke off on its way (pkg/handler/unrouted_handler.go).
    private static let interruptions = ["ERR_UPLOAD_INTERRUPTED", "ERR_UNEXPECTED_EOF"]

    private func request(_ method: String, _ url: String, _ fields: [WireRequest.Header] = []) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, headers: [field("Tus-Resumable", "1.0.0")] + fields, limits: limits)
    }

    private func field(_ name: String, _ value: String) -> WireRequest.Header { .init(name: name, value: value) }

    /// `key base64(value)` pairs; keys without space or comma.
    private func metadata(of file: FileReference, _ payloadFields: [(String, String)], _ item: OutboxItem) -> String {
        let own =
            payloadFields + [
                ("item", item.item.id), ("enrolment", item.enrolment), ("recording", file.recording ?? ""),
            ]
        let others = file.metadata.sorted { $0.key < $1.key }.filter { pair in
            !pair.key.isEmpty && pair.key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
                && pair.key.utf8.allSatisfy { $0 < 128 } && !own.contains { $0.0 == pair.key }
        }
        return (own + others.map { ($0.key, $0.value) }).filter { !$0.1.isEmpty }
            .map { "\($0.0) \(Base64.encoded(Array($0.1.utf8)))" }.joined(separator: ",")
    }

    /// The place with https where the endpoint has https, since a server behind a proxy may not know of TLS.
    /// Nil for a place on another server without TLS, which would get token and file in the clear.
    private func secured(_ place: String) -> String? {
        guard endpoint.lowercased().hasPrefix("https:"), !place.lowercased().hasPrefix("https:") else { return place }
        let upgraded: String = "https" + place.drop { $0 != ":" }
        let isOurs = WebOrigin(upgraded) == WebOrigin(endpoint) || WebOrigin.isUpgrade(place, endpoint)
        return isOurs ? upgraded : nil
    }
}

/// Something else than a tus server has the address.
private struct NoTusServer: ExplainedError {
    let explanation: Explanation

    init(_ url: String, _ status: Int, setting: String) {
        explanation = Explanation(
            cause: "\(url) does not take files by tus: POST was answered \(status) without Tus-Resumable",
            remedy: "set \(setting) to where files are created: that of study-receiver ends in /files")
    }
}
