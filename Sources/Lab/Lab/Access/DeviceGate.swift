// SPDX-License-Identifier: Apache-2.0
import Base

/// Asks devices for their key, where the lab wants one.
struct DeviceGate: Sendable {
    let keys: DeviceKeys
    let mode: DeviceKeyMode
    let clock: any StudyClock

    private static let lengths = 16...256

    /// Whether the request may speak for that participant, and with a key; throws `HTTPFailure` 401
    /// or 403 where it may not.
    @discardableResult
    func admit(_ request: HTTPRequest, for user: String) async throws -> Bool {
        let decision = try await decide(request, user)
        if let refusal = decision.refusal { throw Self.failure(refusal) }
        return decision == .admit(isKeyed: true)
    }

    func decide(_ request: HTTPRequest, _ user: String) async throws -> DeviceKeyDecision {
        let key = request.fields["studyd-key"]
        guard key.map({ Self.lengths.contains($0.utf8.count) }) ?? true else { return .unknown }
        return try await keys.admit(key, for: user, mode: mode, at: clock.now)
    }

    /// The same for posts, which show no key; throws 403 where all of that name is revoked.
    func admitPost(of user: String) async throws {
        let decision = DeviceKeyDecision(.off, known: try await keys.rows(of: user), digest: nil)
        if let refusal = decision.refusal { throw Self.failure(refusal) }
    }

    /// Before a body is read: without any key no request is good.
    func checkKeyIsThere(_ request: HTTPRequest) throws {
        guard mode == .required, request.fields["studyd-key"] == nil,
            let refusal = DeviceKeyDecision.missing.refusal
        else { return }
        throw Self.failure(refusal)
    }

    static func failure(_ refusal: (status: Int, error: String, remedy: String)) -> HTTPFailure {
        HTTPFailure(
            refusal.status, "\(refusal.error); \(refusal.remedy)",
            // RFC 9110 §15.5.2: a 401 names how to prove oneself.
            fields: refusal.status == 401 ? ["WWW-Authenticate": "Studyd-Key realm=\"study-receiver\""] : [:])
    }
}
