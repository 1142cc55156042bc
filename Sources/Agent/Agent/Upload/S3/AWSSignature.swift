// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Signature Version 4 of Amazon Web Services as S3 wants it: the path is percent-encoded once and
/// not normalised (AWS General Reference, "Create a signed AWS API request"; S3 API Reference,
/// "Authenticating Requests (AWS Signature Version 4)").
///
/// libcurl has a signer, which in Debian 12 (7.88) signs queries without value and keys with `=`
/// wrongly.
struct AWSSignature: Sendable, Hashable {
    /// Who signs. `session` goes with keys that are lent for a time.
    struct Keys: Sendable, Hashable {
        let access: String
        let secret: String
        var session: String?
    }

    /// What is signed. Path and names are as they are meant, not percent-encoded.
    struct Request: Sendable, Hashable {
        let method: String
        /// With its port, where that is not the scheme's own.
        let host: String
        /// Begins with `/`.
        let path: String
        var query: [WireRequest.Header] = []
        /// All of them are signed.
        var headers: [WireRequest.Header] = []
        /// SHA-256 of the body in hexadecimal.
        let payload: String

        /// Path and query as they are sent, and signed.
        var target: String {
            AWSSignature.encoded(path, keeping: "/") + (query.isEmpty ? "" : "?" + canonicalQuery)
        }

        /// Sorted by the encoded name, then by the encoded value; a name without value has `=`.
        var canonicalQuery: String {
            query.map { (AWSSignature.encoded($0.name), AWSSignature.encoded($0.value)) }
                .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        }
    }

    let keys: Keys
    let region: String
    var service = "s3"

    /// The request's header fields and those that prove who sent it, at that moment of UTC.
    func signed(_ request: Request, at moment: Instant) throws(DigestError) -> [WireRequest.Header] {
        let time = Self.time(moment)
        var request = request
        request.headers.append(.init(name: "x-amz-date", value: time))
        if let session = keys.session { request.headers.append(.init(name: "x-amz-security-token", value: session)) }
        let signature = try signature(of: textToSign(canonical(request), time), time)
        let proof =
            "AWS4-HMAC-SHA256 Credential=\(keys.access)/\(scope(time)), "
            + "SignedHeaders=\(Self.names(request)), Signature=\(signature)"
        return request.headers + [.init(name: "Authorization", value: proof)]
    }

    /// `method`, path, query, header fields, their names and the payload's digest, a line each.
    func canonical(_ request: Request) -> String {
        let fields = Self.fields(request).map { "\($0.name):\($0.value)\n" }.joined()
        return [
            request.method, Self.encoded(request.path, keeping: "/"), request.canonicalQuery, fields,
            Self.names(request), request.payload,
        ].joined(separator: "\n")
    }

    func textToSign(_ canonical: String, _ time: String) throws(DigestError) -> String {
        "AWS4-HMAC-SHA256\n\(time)\n\(scope(time))\n\(try Digest(ofText: canonical))"
    }

    func signature(of text: String, _ time: String) throws(DigestError) -> String {
        var key = Array("AWS4\(keys.secret)".utf8)
        for part in [time.prefix(8).description, region, service, "aws4_request"] {
            key = try MessageCode.sha256(Array(part.utf8), key: key)
        }
        return try MessageCode.sha256(Array(text.utf8), key: key).hexadecimal
    }

    private func scope(_ time: String) -> String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

    /// `20130524T000000Z`.
    static func time(_ moment: Instant) -> String {
        moment.rfc3339Zulu().filter { $0 != "-" && $0 != ":" }
    }

    /// By name in lower case, in order, those of one name as one.
    private static func fields(_ request: Request) -> [WireRequest.Header] {
        let all = [WireRequest.Header(name: "host", value: request.host)] + request.headers
        return Dictionary(grouping: all) { $0.name.lowercased() }.sorted { $0.key < $1.key }.map { name, fields in
            .init(name: name, value: fields.map { folded($0.value) }.joined(separator: ","))
        }
    }

    private static func names(_ request: Request) -> String { fields(request).map(\.name).joined(separator: ";") }

    /// Without blanks at its ends, and one for each run of them within.
    private static func folded(_ value: String) -> String {
        value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Percent-encoded but for RFC 3986's unreserved characters and those of `kept`.
    static func encoded(_ text: String, keeping kept: String = "") -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~\(kept)".utf8)
        return text.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }.joined()
    }
}
