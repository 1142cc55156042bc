// SPDX-License-Identifier: Apache-2.0
import Base

/// Asks devices to sign with their key, where the lab wants it (`--device-keys`): routes for devices, such as
/// `TusRoutes`, call `admit` before they take anything.
struct DeviceGate: Sendable {
    let keys: DeviceKeys
    let register: LabRegister
    let archive: Archive
    let mode: DeviceKeyMode
    let clock: any StudyClock
    let signatures: SignatureCheck

    /// Whether the request may speak for that participant, and is signed with a good key; throws
    /// `HTTPFailure` 401 or 403 where it may not.
    @discardableResult
    func admit(_ request: HTTPRequest, for user: String) async throws -> Bool {
        let decision = try await decide(request, user)
        guard var refusal = decision.refusal else { return decision == .admit(isKeyed: true) }
        // The refusal is given also where it cannot be noted, as on a full disk.
        if decision == .revoked { try? await noteRevoked(request, user, refusal.error) }
        var fields: HTTPFields = [:]
        if decision == .unknown, request.fields[EnrolmentCode.field] != nil {
            refusal.error += ", and its enrolment code is none, was used, is over, or is another participant's"
            fields[EnrolmentCode.field] = EnrolmentCode.refused
        }
        throw failure(refusal, fields)
    }

    /// Lists what came with a revoked key among the refusals, by which a stolen device is found; nothing of an erased
    /// participant.
    private func noteRevoked(_ request: HTTPRequest, _ user: String, _ reason: String) async throws {
        guard case .valid(let key) = request.signature, try await register.erasedAt(of: user) == nil,
            try await keys.rows(of: user).contains(where: { $0.key == key && $0.state == .revoked })
        else { return }
        try await archive.refuse([reason], path: String(request.path.prefix(200)), user: user, at: clock.now)
    }

    func decide(_ request: HTTPRequest, _ user: String) async throws -> DeviceKeyDecision {
        // Not even the key is noted, which would wait for an approval that is never given.
        if try await register.erasedAt(of: user) != nil { return .revoked }
        return switch request.signature {
        case .valid(let key):
            try await keys.admit(
                key, for: user, mode: mode, code: request.fields[EnrolmentCode.field].flatMap(EnrolmentCode.init),
                at: clock.now)
        case .invalid(let reason) where mode != .off: .unproven(reason)
        case .absent, .invalid: try await keys.admit(nil, for: user, mode: mode, at: clock.now)
        }
    }

    /// Whether nothing more is taken in that name.
    func isClosed(_ user: String) async throws -> Bool {
        if try await register.erasedAt(of: user) != nil { return true }
        return try await keys.isRevoked(user)
    }

    /// Throws 403 where nothing more is taken in that name.
    func checkOpen(_ user: String) async throws {
        if try await isClosed(user), let refusal = DeviceKeyDecision.revoked.refusal { throw failure(refusal) }
    }

    /// To be called before a body is read: throws where signatures are required and the request has none.
    func checkSignatureIsThere(_ request: HTTPRequest) throws {
        guard mode == .required, request.signature == .absent, let refusal = DeviceKeyDecision.missing.refusal
        else { return }
        throw failure(refusal)
    }

    private func failure(
        _ refusal: (status: Int, error: String, remedy: String), _ fields: HTTPFields = [:]
    ) -> HTTPFailure {
        var fields = fields
        if refusal.status == 401 {
            // RFC 9110 §15.5.2: a 401 names how to prove oneself.
            fields["WWW-Authenticate"] = "Signature realm=\"study-receiver\""
            for field in signatures.challenge() { fields[field.name] = field.value }
        }
        return HTTPFailure(refusal.status, "\(refusal.error); \(refusal.remedy)", fields: fields)
    }
}
