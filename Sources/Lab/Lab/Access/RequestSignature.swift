// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// What the signature of a request shows.
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

struct SignatureProblem: Error, Hashable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// The parts of a request that its signature is about.
struct SignedParts {
    private let request: HTTPRequest

    init(_ request: HTTPRequest) { self.request = request }

    /// One signature that covers everything that means something here (RFC 9421 §7.2.1).
    func input() throws(SignatureProblem) -> SignatureInput {
        guard let field = value("signature-input"), let input = SignatureInput(field: field) else {
            throw SignatureProblem("Signature-Input is not one signature")
        }
        // `Content-Length: 0` may be left unsigned: libcurl adds it to a POST without a body (tus creation).
        let hasLength = value("content-length") != "0"
        let missing = SignatureProfile.components { value($0) != nil && (hasLength || $0 != "content-length") }
            .filter { !input.components.contains($0) }
        guard missing.isEmpty else {
            throw SignatureProblem("the signature does not cover \(missing.joined(separator: ", "))")
        }
        let hasBody = request.body.announcedLength ?? 0 > 0 || value("transfer-encoding") != nil
        let digest = value("content-digest").flatMap(SignatureProfile.sha256(ofDigest:))
        guard !hasBody || digest != nil || value("content-type") == SignatureProfile.pieceType else {
            throw SignatureProblem("a signed body needs Content-Digest with sha-256")
        }
        return input
    }

    func base(_ input: SignatureInput) throws(SignatureProblem) -> String {
        guard let base = input.base(component) else {
            throw SignatureProblem("the signature covers what the request does not have")
        }
        return base
    }

    func signature(_ label: String) throws(SignatureProblem) -> [UInt8] {
        let start = label + "=:"
        guard let field = value("signature"), field.hasPrefix(start), field.hasSuffix(":"),
            let bytes = Base64.decoded(field.dropFirst(start.count).dropLast())
        else { throw SignatureProblem("Signature does not have \(label)") }
        return bytes
    }

    private func component(_ name: String) -> String? {
        switch name {
        case "@method": request.method
        case "@authority":
            value("host").map { SignatureProfile.authority($0, isSecure: request.origin.isSecure) }
        case "@path": request.path
        case "@query": "?" + (request.query ?? "")
        default: value(name)
        }
    }

    /// The values of all fields with that name (RFC 9421 §2.1).
    private func value(_ name: String) -> String? {
        let values = request.fields.all.filter { $0.name.lowercased() == name }.map(\.value.trimmed)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
