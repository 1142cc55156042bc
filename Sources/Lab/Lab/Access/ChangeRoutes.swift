// SPDX-License-Identifier: Apache-2.0
import Base

/// What the lab changes, by forms of the page or by scripts, at `POST /changes`: notes, labels and
/// keys of devices. Everything is logged with who, when and what.
struct ChangeRoutes: Sendable {
    let register: LabRegister
    let keys: DeviceKeys
    let clock: any StudyClock

    /// Room for the longest note: 2000 characters of four bytes, percent-encoded.
    private static let bodyLimit = 32_768

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        router.on("POST", "/changes", bodyLimit: Self.bodyLimit, handler: guarded.changing(change))
        router.on("GET", "/api/changes", handler: guarded(list))
    }

    private func change(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Self.checkSite(request)
        let (by, client) = (Guarded.name(request), request.origin.client)
        let (accept, type) = (request.fields["accept"] ?? "", request.fields["content-type"])
        let form = try Self.form(try await request.body.collect(upTo: Self.bodyLimit), type)
        let participant = form["participant"] ?? ""
        guard !participant.isEmpty, participant.count <= DeviceName.longest else {
            throw HTTPFailure(400, "participant has to be 1 to \(DeviceName.longest) characters")
        }
        if form["kind"] != "revoke", let closed = try await register.whyClosed(participant) {
            throw HTTPFailure(409, "\(closed)")
        }
        switch form["kind"] {
        case "note": try await write(form, participant, by, client)
        case "approve": try await approve(form["key"], participant, by, client)
        case "revoke": try await revoke(participant, by, client)
        default: throw HTTPFailure(400, "kind has to be note, approve or revoke")
        }
        guard accept.contains("text/html") else { return .text("{\"changed\":true}\n", type: "application/json") }
        // The browser fetches another page, so that reloading does not send the form again.
        return HTTPResponse(303, fields: ["Location": "/?user=\(Page.percentEncoded(participant))"])
    }

    /// Current browsers say in `Sec-Fetch-Site` whether a page of another site sent the form. `HostGate` has
    /// already checked `Origin`.
    private static func checkSite(_ request: HTTPRequest) throws(HTTPFailure) {
        guard ["same-origin", "none"].contains(request.fields["sec-fetch-site"] ?? "none") else {
            throw HTTPFailure(403, "pages of other sites may not change anything here")
        }
    }

    private static func form(_ bytes: [UInt8], _ type: String?) throws(HTTPFailure) -> [String: String] {
        do {
            let fields = try Form.fields(bytes, contentType: type)
            return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        } catch {
            throw HTTPFailure(400, "\(error)")
        }
    }

    private func write(_ form: [String: String], _ participant: String, _ by: String, _ client: String) async throws {
        // Browsers send the lines of a form with CR LF.
        let text = Self.trimmed((form["note"] ?? "").replacing("\r\n", with: "\n"))
        let label = Self.trimmed(form["label"] ?? "")
        guard label.count <= LabRegister.longestLabel, !label.contains(where: \.isNewline) else {
            throw HTTPFailure(400, "label has to be one line of at most \(LabRegister.longestLabel) characters")
        }
        guard text.count <= LabRegister.longestNote, text.utf8.count <= 4 * LabRegister.longestNote else {
            throw HTTPFailure(400, "note has to be at most \(LabRegister.longestNote) characters")
        }
        let revision = try form["revision"].map { text in
            guard let number = Int64(text) else { throw HTTPFailure(400, "revision has to be a whole number") }
            return number
        }
        try await register.write(
            label: label, text: text, of: participant, seen: revision, by: by, from: client, at: clock.now)
    }

    private static func trimmed(_ text: String) -> String {
        let text = text.drop(while: \.isWhitespace)
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(text[...last])
    }

    private func approve(_ key: String?, _ participant: String, _ by: String, _ client: String) async throws {
        guard let key, DeviceKeys.isBeginning(key) else {
            throw HTTPFailure(
                400, "key has to be the public key, or its first \(DeviceKeys.leastDigits) digits at least")
        }
        let count = try await keys.approve(participant, key: key, at: clock.now)
        guard count < 2 else { throw HTTPFailure(409, "\(count) keys of \(participant) begin so; give more digits") }
        guard count > 0 else {
            throw HTTPFailure(404, "\(participant) has no such key; it waits here once its device has sent something")
        }
        try await register.log(
            .approve, participant, after: "key \(key.prefix(12))", by: by, from: client, at: clock.now)
    }

    private func revoke(_ participant: String, _ by: String, _ client: String) async throws {
        try await keys.revoke(participant, at: clock.now)
        try await register.log(.revoke, participant, after: "every key", by: by, from: client, at: clock.now)
    }

    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let changes = try await register.changes(of: request.queryItem("user"), limit: 1000)
        let value = JSONValue.members([
            "format": .string("studyd-changes"), "version": .int(1), "at": .string(clock.now.rfc3339Zulu()),
            "changes": .array(changes.map(\.json)),
        ])
        return .json(value)
    }
}

extension LabRegister.Change {
    var json: JSONValue {
        .members([
            "id": .int(id), "at": .string(at.rfc3339Zulu()), "by": .text(by.isEmpty ? nil : by),
            "client": .text(client.isEmpty ? nil : client), "kind": .string(kind.rawValue),
            "participant": .text(participant.isEmpty ? nil : participant),
            "before": .text(before.isEmpty ? nil : before), "after": .string(after),
        ])
    }
}
