// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// One archive on its way to a Bridge server: sign-in, upload request, PUT to the storage, and the call that
/// reports it complete. `SageWire` makes one for each step.
///
/// The calls are those of BridgeServer2 (`AuthenticationController.signIn`,
/// `UploadController.upload` and `uploadComplete`, `UploadService.createUpload`). Each `step()` makes the
/// calls along one arrow. What the next one needs is kept as the outbox item's `Progress`; a session is not.
///
///     nothing ──sign in, POST /v3/uploads──▶ asked ──PUT──▶ taken ──sign in, POST …/complete──▶ delivered
///        ▲                                     │                │ 404
///        │                                     │ no success until it expired
///        └───────────── the next round ────────┴────────────────┘   after the third round: refused
struct BridgeDelivery {
    /// What is kept between two steps.
    struct Progress: Hashable {
        /// Nil = an upload is to be asked for.
        var id: String?
        var url = ""
        /// The storage took the bytes; if `id` is nil, it was in the round before.
        var isTaken = false
        /// When the server's upload address expires, by its clock; Bridge gives it a day.
        var expires = Instant.epoch
        /// How often the delivery was begun again.
        var round = 0

        init() {}

        /// Nil for a text that `text` did not write: the delivery begins again.
        init?(_ text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard lines.count == 5, let round = Int(lines[0]), let seconds = Int64(lines[3]) else { return nil }
            self.round = round
            id = lines[1].isEmpty ? nil : lines[1]
            isTaken = lines[2] == "taken"
            expires = Instant(seconds: seconds)
            url = lines[4]
        }

        var text: String {
            ["\(round)", id ?? "", isTaken ? "taken" : "asked", "\(expires.seconds)", url].joined(separator: "\n")
        }

        /// The start of the next round, with the same bytes.
        var again: Progress {
            var progress = Progress()
            progress.round = round + 1
            progress.isTaken = isTaken
            return progress
        }
    }

    /// How often a delivery is begun with the same bytes before it is refused.
    private static let mostRounds = 3

    /// As the outbox keeps it. Its headers, set by `SageWriter`, describe the delivery; Bridge does not get them.
    let request: WireRequest
    let settings: SageSettings
    /// The network and the clock, and the `Progress` that the last step has returned.
    let transport: WireTransport

    /// The app at the Bridge server.
    static let appHeader = "X-Bridge-App"
    static let nameHeader = "X-Bridge-Name"
    static let encryptedHeader = "X-Bridge-Encrypted"
    /// Followed by a key of the upload's metadata.
    static let metadataPrefix = "X-Bridge-Metadata-"
    static let participantHeader = "X-Participant"

    /// Makes the next calls; nil where the request is not an archive for Bridge.
    func step() throws -> WireStep? {
        guard let app = header(Self.appHeader) else { return nil }
        let progress = transport.location.flatMap(Progress.init) ?? Progress()
        if progress.round >= Self.mostRounds {
            let last =
                progress.isTaken
                ? "the storage took it, and the server did not confirm that it is complete"
                : "the storage did not take it"
            return .finished(
                .refused(
                    reason:
                        "the archive was begun \(progress.round) times and never delivered; the last time \(last): "
                        + "ask the server's operator; the archive is kept here"))
        }
        guard let id = progress.id else { return try ask(app, progress) }
        return progress.isTaken ? try complete(id, app, progress) : try put(progress)
    }

    private func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }

    private func call(_ method: String, _ path: String, session: String? = nil, _ body: JSONText? = nil) throws
        -> ServerAnswer
    {
        let fields =
            [WireRequest.Header(name: "Content-Type", value: "application/json")]
            + (session.map { [.init(name: "Bridge-Session", value: $0)] } ?? [])
        let base = request.url.hasSuffix("/") ? String(request.url.dropLast()) : request.url
        return try transport.send(
            WireRequest(method: method, url: base + path, headers: fields, body: Array((body ?? .object([])).text.utf8))
        )
    }

    // MARK: - Calls

    /// The session's token, or why there is none.
    private func session(_ app: String) throws -> (token: String?, refusal: String) {
        guard let credential = settings.credential else {
            return (nil, "there is no password for Bridge: name its file as `credential` in [sage] of studyd.toml")
        }
        let answer = try call(
            "POST", "/v4/auth/signIn",
            .object([
                .init("appId", .string(app)),
                .init("externalId", .string(settings.externalID ?? header(Self.participantHeader) ?? "")),
                .init("password", .string(try transport.secret(credential))),
            ]))
        if answer.status == 200, let token = member("sessionToken", of: answer)?.text { return (token, "") }
        let reason =
            switch answer.status {
            case 401, 404: "Bridge has no such account in the app \(app), or the password is wrong"
            case 412: "the account has not consented yet, and Bridge accepts nothing before that"
            case 423: "the account is locked or disabled"
            default: "signing in to Bridge was answered with status \(answer.status)"
            }
        return (nil, reason)
    }

    private func ask(_ app: String, _ progress: Progress) throws -> WireStep {
        let (token, refusal) = try session(app)
        guard let token else { return .finished(.retry(reason: refusal)) }
        let metadata = request.headers.filter { $0.name.hasPrefix(Self.metadataPrefix) }.map {
            JSONText.Member(String($0.name.dropFirst(Self.metadataPrefix.count)), .string($0.value))
        }
        let answer = try call(
            "POST", "/v3/uploads", session: token,
            .object([
                "name": .string(header(Self.nameHeader) ?? "archive.zip"),
                "contentLength": .integer(Int64(request.body.count)),
                "contentMd5": .string(try transport.contentMD5(request.body)), "contentType": .string(Self.contentType),
                "encrypted": .boolean(header(Self.encryptedHeader) == "true"),
                "metadata": metadata.isEmpty ? nil : JSONText.object(metadata), "zipped": .boolean(true),
            ]))
        guard (200...299).contains(answer.status) else { return .finished(refused(answer, "the upload request")) }
        guard let id = member("id", of: answer)?.text, !id.isEmpty, !id.contains("\n"),
            let url = member("url", of: answer)?.text, url.hasPrefix("http"), !url.contains("\n")
        else {
            return .finished(.retry(reason: "the answer to the upload request does not name an upload and an address"))
        }
        var next = progress
        next.id = id
        next.url = url
        next.isTaken = false
        next.expires =
            member("expires", of: answer)?.text.flatMap { try? Instant(rfc3339: $0) }
            ?? transport.now + .seconds(86_400)
        return .located(next.text)
    }

    private static let contentType = "application/zip"

    private func put(_ progress: Progress) throws -> WireStep {
        let answer = try transport.send(
            WireRequest(
                method: "PUT", url: progress.url,
                headers: [
                    .init(name: "Content-Type", value: Self.contentType),
                    .init(name: "Content-MD5", value: try transport.contentMD5(request.body)),
                ], body: request.body))
        guard (200...299).contains(answer.status) else {
            guard transport.now < progress.expires else { return .located(progress.again.text) }
            return .finished(.retry(reason: "the storage answered with status \(answer.status)"))
        }
        var next = progress
        next.isTaken = true
        return .located(next.text)
    }

    private func complete(_ id: String, _ app: String, _ progress: Progress) throws -> WireStep {
        let (token, refusal) = try session(app)
        guard let token else { return .finished(.retry(reason: refusal)) }
        let path = String(id.utf8.map { Self.isPlain($0) ? Character(UnicodeScalar($0)) : "_" })
        let answer = try call("POST", "/v3/uploads/\(path)/complete", session: token)
        switch answer.status {
        case 200...299:
            let status = member("status", of: answer)?.text ?? "\(answer.status)"
            return .finished(.delivered(receipt: "upload \(id): \(status)"))
        case 404: return .located(progress.again.text)
        case 401: return .finished(.retry(reason: "the session has expired"))
        default:
            guard transport.now < progress.expires else { return .located(progress.again.text) }
            return .finished(
                .retry(
                    reason:
                        "the archive was accepted, but the report that it is complete was answered with status \(answer.status)"
                ))
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 95
    }

    private func refused(_ answer: ServerAnswer, _ what: String) -> Verdict {
        let said = member("message", of: answer)?.text.map { ": \($0.prefix(200))" } ?? ""
        return switch answer.status {
        case 400, 413, 422: .refused(reason: "\(what) was answered with status \(answer.status)\(said)")
        case 412: .retry(reason: "the account has not consented yet, and Bridge accepts nothing before that")
        default: .retry(reason: "\(what) was answered with status \(answer.status)\(said)")
        }
    }

    private func member(_ name: String, of answer: ServerAnswer) -> JSONPlace? {
        (try? JSONNode(answer.body)).flatMap { JSONPlace(root: $0).member(name) }
    }
}
