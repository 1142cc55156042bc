// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Signs requests to the lab's receiver with the device's key (RFC 9421, RFC 9530;
/// docs/delivery.md, Signed requests).
package struct RequestSigner: Sendable {
    private let key: Ed25519.PrivateKey
    private let now: @Sendable () -> Instant
    private let drawNonce: @Sendable () -> String

    package init(
        _ key: Ed25519.PrivateKey, now: @escaping @Sendable () -> Instant,
        drawNonce: @escaping @Sendable () -> String = Self.randomNonce
    ) {
        (self.key, self.now, self.drawNonce) = (key, now, drawNonce)
    }

    /// 128 bits of the system's generator.
    @Sendable package static func randomNonce() -> String { Base64.encoded(SecureRandom.bytes(16)) }

    /// The header fields of the signature, to be added to `headers`, which must be all others of the request.
    /// `nonce` is one that the receiver gave because it does not trust this device's clock. Digests the body,
    /// reading its file, unless it is a piece of an upload.
    package func fields(
        of request: HTTPRequest, headers: [WireRequest.Header], nonce: String? = nil
    ) throws -> [WireRequest.Header] {
        let target = try RequestTarget(request.url)
        let digest = try contentDigest(of: request, headers)
        var values = Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        let length = request.body.length ?? 0
        values["content-length"] = length > 0 ? String(length) : nil
        if let digest { values["content-digest"] = digest }
        values["@method"] = request.method
        (values["@authority"], values["@path"], values["@query"]) = (target.authority, target.path, target.query)
        let input = SignatureInput(
            label: SignatureProfile.label, components: SignatureProfile.components { values[$0] != nil },
            created: now().milliseconds / 1000, nonce: nonce ?? drawNonce(), keyID: key.publicKey.hexadecimal,
            algorithm: SignatureProfile.algorithm, tag: SignatureProfile.tag)
        guard let base = input.base({ values[$0] }) else {
            throw TransportError(kind: .badRequest, url: request.url, message: "a line break in a header field")
        }
        let signature = Base64.encoded(try key.sign(Array(base.utf8)))
        return (digest.map { [.init(name: "Content-Digest", value: $0)] } ?? []) + [
            .init(name: "Signature-Input", value: input.field),
            .init(name: "Signature", value: "\(input.label)=:\(signature):"),
        ]
    }

    private func contentDigest(of request: HTTPRequest, _ headers: [WireRequest.Header]) throws -> String? {
        let isPiece = headers.contains { $0.value == SignatureProfile.pieceType }
        guard !isPiece, request.body.length ?? 0 > 0 else { return nil }
        let digest =
            switch request.body {
            case .none: try Digest(of: [])
            case .bytes(let bytes): try Digest(of: bytes)
            case .file(let path, let offset, let length): try Digest(ofFile: path, from: offset, length: length)
            }
        return "sha-256=:\(Base64.encoded(digest.bytes)):"
    }
}

/// Where a request goes, as its signature names it (RFC 9421 §2.2.3, §2.2.6, §2.2.7).
private struct RequestTarget {
    let authority: String
    let path: String
    let query: String

    init(_ address: String) throws(TransportError) {
        let address = HTTPAddress.encoded(address)
        guard let scheme = address.firstRange(of: "://") else {
            throw TransportError(kind: .badRequest, url: address, message: "is no address")
        }
        let rest = address[scheme.upperBound...].prefix { $0 != "#" }
        let place = rest.prefix { $0 != "/" && $0 != "?" }
        let host = place.split(separator: "@", omittingEmptySubsequences: false).last ?? place
        authority = SignatureProfile.authority(String(host), isSecure: address.lowercased().hasPrefix("https:"))
        let target = rest[place.endIndex...]
        let path = target.prefix { $0 != "?" }
        self.path = path.isEmpty ? "/" : String(path)
        query = target[path.endIndex...].isEmpty ? "?" : String(target[path.endIndex...])
    }
}
