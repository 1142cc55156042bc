// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The parts of a request that its signature is about, for `SignatureCheck`.
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

struct SignatureProblem: Error, Hashable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
