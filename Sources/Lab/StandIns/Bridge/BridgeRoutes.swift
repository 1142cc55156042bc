// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// Plays a Bridge server of Sage Bionetworks below `/bridge`, its storage below `/bridge/storage`: sign-in,
/// upload request, PUT, complete. `ChosenStandIns` opens it with `--bridge`.
struct BridgeRoutes: StandIn {
    private let api: BridgeAPI
    private let faults: Faults
    private let clock: any StudyClock
    /// Whether the lab takes nothing more in that name.
    private let isRevoked: @Sendable (String) async throws -> Bool
    /// In bytes, for the JSON calls.
    private static let bodyLimit = 65_536

    init?(_ options: ChosenStandIns, _ lab: StandInParts) throws {
        guard let folder = options.bridge else { return nil }
        api = try BridgeAPI(folder, directory: lab.directory + "/bridge", quota: lab.quota, newID: lab.newID)
        (faults, clock, isRevoked) = (lab.faults, lab.clock, lab.isRevoked)
    }

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        router.on(
            "POST", "/bridge/v4/auth/signIn", bodyLimit: Self.bodyLimit,
            handler: faults.around(withBridgeErrors(signIn)))
        router.on(
            "POST", "/bridge/v3/uploads", bodyLimit: Self.bodyLimit, handler: faults.around(withBridgeErrors(ask)))
        router.on("PUT", "/bridge/storage/:id", bodyLimit: BridgeAPI.largest, handler: faults.around(put))
        router.on(
            "POST", "/bridge/v3/uploads/:id/complete", bodyLimit: Self.bodyLimit,
            handler: faults.around(withBridgeErrors(complete)))
    }

    /// The handler, with refusals answered as JSON, as Bridge writes a `BridgeServiceException`.
    private func withBridgeErrors(_ handler: @escaping Router.Handler) -> Router.Handler {
        { request in
            do { return try await handler(request) } catch let refusal as BridgeAPI.Refusal {
                return Self.json(
                    refusal.status, .members(["statusCode": .int(refusal.status), "message": .string(refusal.message)]))
            }
        }
    }

    private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        let members = try await Self.members(request)
        let (token, isConsented) = try await api.signIn(members)
        if case .string(let account)? = members["externalId"], try await isRevoked(account) {
            throw BridgeAPI.Refusal(status: 423, message: "Account disabled, please contact user support")
        }
        return Self.json(
            isConsented ? 200 : 412,
            .members([
                "authenticated": .boolean(true), "consented": .boolean(isConsented), "sessionToken": .string(token),
                "type": .string("UserSessionInfo"),
            ]))
    }

    private func ask(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = request.fields["bridge-session"]
        let storage = request.address + "/bridge/storage"
        let upload = try await api.ask(try await Self.members(request), session: session, at: clock.now)
        return Self.json(
            200,
            .members([
                "id": .string(upload.id), "url": .string("\(storage)/\(upload.id)"),
                "expires": .string(upload.expires.rfc3339Zulu(fractionDigits: 3)), "type": .string("UploadSession"),
            ]))
    }

    /// Answers as S3 does: with an empty body, or an error in XML.
    private func put(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (type, md5) = (request.fields["content-type"], request.fields["content-md5"])
        let id = request.parameters["id"] ?? ""
        let bytes = try await request.body.collect(upTo: BridgeAPI.largest)
        do {
            try await api.put(bytes, to: id, type: type, md5: md5, at: clock.now)
            return HTTPResponse(200)
        } catch let refusal as BridgeAPI.Refusal {
            // The message of such a refusal is `Code: words`.
            let words = refusal.message.split(separator: ":", maxSplits: 1).map(String.init)
            return .text(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(words.first ?? "")</Code><Message>\(words.last ?? "")</Message></Error>",
                status: refusal.status, type: "application/xml")
        }
    }

    private func complete(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        try await api.complete(id, session: request.fields["bridge-session"])
        return Self.json(
            200,
            .members([
                "id": .string(id), "status": .string("validation_in_progress"), "messageList": .array([]),
                "type": .string("UploadValidationStatus"),
            ]))
    }

    private static func members(_ request: HTTPRequest) async throws -> [String: JSONValue] {
        let text = String(decoding: try await request.body.collect(upTo: bodyLimit), as: UTF8.self)
        guard case .object(let members)? = try? JSONReader.value(text) else {
            throw BridgeAPI.Refusal(status: 400, message: "Error parsing JSON in request body")
        }
        return Dictionary(members.map { ($0.name, $0.value) }) { _, last in last }
    }

    private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        .text(value.text, status: status, type: "application/json;charset=utf-8")
    }
}
