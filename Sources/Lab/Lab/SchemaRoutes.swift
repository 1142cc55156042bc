// SPDX-License-Identifier: Apache-2.0
import Base

/// Takes what the schema app posts, at `/schema` and any path below it, and what momenTUM's posts,
/// at `/schema/response` and `/schema/log`.
struct SchemaRoutes: Sendable {
    let archive: Archive
    /// Simulated faults, to try devices with; also what a post that was taken is answered (`/control/answer`).
    let faults: Faults
    let clock: any StudyClock
    let quota: Quota
    let fleet: FleetArchive
    let gate: DeviceGate

    private static let bodyLimit = 1024 * 1024

    func addRoutes(to router: inout Router) {
        router.on("POST", "/schema/*rest", bodyLimit: Self.bodyLimit, handler: faults.around(receive))
    }

    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        let path = String(request.path.prefix(200))
        let bytes = try await request.body.collect(upTo: Self.bodyLimit)
        let fields: [FormField]
        do {
            fields = try Form.fields(bytes, contentType: request.fields["content-type"])
        } catch {
            return try await refuse([error.description], path: path, user: nil)
        }
        // Logs have the same fields in both.
        let post = SchemaPost(fields, isMomentum: path.hasSuffix("/response"))
        guard post.errors.isEmpty else { return try await refuse(post.errors, path: path, user: post["user_id"]) }
        try await gate.admit(request, for: post["user_id"] ?? "")
        try await quota.admit(Int64(bytes.count), of: post["user_id"] ?? "")
        try await archive.store(post, path: path, at: clock.now)
        // Stored: a manifest may count the body as arrived.
        try await fleet.notePosted(bytes)
        return faults.answer
    }

    private func refuse(_ reasons: [String], path: String, user: String?) async throws -> HTTPResponse {
        if let user { try await gate.checkOpen(user) }
        try await quota.admitRefusal(of: user)
        try await archive.refuse(reasons, path: path, user: user, at: clock.now)
        return .text(reasons.joined(separator: "\n") + "\n", status: 400)
    }
}
