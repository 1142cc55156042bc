// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// What the signature of a request shows: `SignatureCheck` says so, `DeviceGate` acts on it.
enum RequestSignature: Sendable, Hashable {
    case absent
    /// The owner of this public key, 64 hexadecimal digits, made the request just now.
    case valid(key: String)
    /// Why it proves nothing.
    case invalid(String)
}

/// Checks the signatures of requests (RFC 9421), each of which is good once. The router calls `signature` for each
/// request.
final class SignatureCheck: Sendable {
    private let clock: any StudyClock
    private let issuer: NonceIssuer
    private let nonces: Mutex<NonceMemory>

    /// `secret` are random bytes that no one else knows.
    init(clock: any StudyClock, secret: [UInt8]) {
        self.clock = clock
        issuer = NonceIssuer(secret: secret)
        nonces = Mutex(NonceMemory(at: clock.monotonic))
    }

    /// Checks the request's head. The digest of the body is signed with it, and checked as the body is read.
    func signature(of request: HTTPRequest) -> RequestSignature {
        guard request.fields["signature-input"] != nil || request.fields["signature"] != nil else { return .absent }
        do { return .valid(key: try key(of: SignedParts(request))) } catch { return .invalid(error.reason) }
    }

    /// What a client should sign, for a 401 (RFC 9421 §5.1): a nonce of this server makes the
    /// client's clock irrelevant.
    func challenge() -> [(name: String, value: String)] {
        let now = clock.now
        let components = SignatureProfile.components { _ in false }.map { "\"\($0)\"" }.joined(separator: " ")
        let parameters = "created;nonce=\"\(issuer.issue(at: now))\";tag=\"\(SignatureProfile.tag)\""
        return [
            ("Accept-Signature", "\(SignatureProfile.label)=(\(components));\(parameters)"),
            ("Date", HTTPDate.text(now)),
        ]
    }

    private func key(of parts: SignedParts) throws(SignatureProblem) -> String {
        let input = try parts.input()
        guard let created = input.created, let nonce = input.nonce, let name = input.keyID,
            let key = [UInt8](hexadecimal: name), key.count == Ed25519.keyLength
        else { throw SignatureProblem("the signature needs created, nonce, and keyid, the public key in hexadecimal") }
        guard input.algorithm == nil || input.algorithm == SignatureProfile.algorithm,
            input.tag == SignatureProfile.tag
        else { throw SignatureProblem("the signature has to be ed25519 with the tag \(SignatureProfile.tag)") }
        let base = try parts.base(input)
        guard Ed25519.isValid(try parts.signature(input.label), of: Array(base.utf8), by: key) else {
            throw SignatureProblem("the signature is not that of this request by this key")
        }
        try checkTime(created, nonce)
        guard nonces.withLock({ $0.takeFirst(name + nonce, at: clock.monotonic) }) else {
            throw SignatureProblem("this signature was used before")
        }
        return key.hexadecimal
    }

    private func checkTime(_ created: Int64, _ nonce: String) throws(SignatureProblem) {
        let (now, made) = (clock.now, Instant(seconds: created))
        let isNow = max(now, made) - min(now, made) <= SignatureProfile.clockTolerance
        guard isNow || issuer.isFresh(nonce, at: now) else {
            throw SignatureProblem("the signature was made at another time; sign the nonce of Accept-Signature")
        }
    }
}
