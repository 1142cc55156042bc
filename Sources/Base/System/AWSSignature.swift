// SPDX-License-Identifier: Apache-2.0
import Base

/// Signature Version 4 of Amazon Web Services as S3 wants it, for the device's uploads and the lab's mirror:
/// the path is percent-encoded once and not normalised (AWS General Reference, "Create a signed AWS API
/// request"; S3 API Reference, "Authenticating Requests (AWS Signature Version 4)").
///
/// libcurl has a signer, which in Debian 12 (7.88) signs queries without value and keys with `=`
/// wrongly.
package struct AWSSignature: Sendable, Hashable {
    /// Who signs. `session` is the token that temporary keys come with.
    package struct Keys: Sendable, Hashable {
        package let access: String
        package let secret: String
        package var session: String?

        package init(access: String, secret: String, session: String? = nil) {
            (self.access, self.secret, self.session) = (access, secret, session)
        }
    }

    /// A field of a head, or a part of a query.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// What is signed. Path and names are as they are meant, not percent-encoded.
    package struct Request: Sendable, Hashable {
        let method: String
        /// With its port, where that is not the scheme's own.
        let host: String
        /// Begins with `/`.
        let path: String
        package var query: [Field]
        /// All of them are signed.
        package var headers: [Field]
        /// SHA-256 of the body in hexadecimal.
        let payload: String

        package init(
            method: String, host: String, path: String, query: [Field] = [], headers: [Field] = [], payload: String
        ) {
            (self.method, self.host, self.path) = (method, host, path)
            (self.query, self.headers, self.payload) = (query, headers, payload)
        }

        /// Path and query as they are sent, and signed.
        package var target: String {
            PercentCode.encoded(path, keeping: "/") + (query.isEmpty ? "" : "?" + canonicalQuery)
        }

        /// Sorted by the encoded name, then by the encoded value; a name without value has `=`.
        package var canonicalQuery: String {
            query.map { (PercentCode.encoded($0.name), PercentCode.encoded($0.value)) }
                .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        }
    }

    private let keys: Keys
    private let region: String
    private let service: String

    package init(keys: Keys, region: String, service: String = "s3") {
        (self.keys, self.region, self.service) = (keys, region, service)
    }

    /// The request's header fields and those that prove who sent it, at that moment of UTC.
    package func signed(_ request: Request, at moment: Instant) throws(DigestError) -> [Field] {
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
    package func canonical(_ request: Request) -> String {
        let fields = Self.fields(request).map { "\($0.name):\($0.value)\n" }.joined()
        return [
            request.method, PercentCode.encoded(request.path, keeping: "/"), request.canonicalQuery, fields,
            Self.names(request), request.payload,
        ].joined(separator: "\n")
    }

    package func textToSign(_ canonical: String, _ time: String) throws(DigestError) -> String {
        "AWS4-HMAC-SHA256\n\(time)\n\(scope(time))\n\(try Digest(ofText: canonical))"
    }

    package func signature(of text: String, _ time: String) throws(DigestError) -> String {
        var key = Array("AWS4\(keys.secret)".utf8)
        for part in [time.prefix(8).description, region, service, "aws4_request"] {
            key = try MessageAuthenticationCode.sha256(Array(part.utf8), key: key)
        }
        return try MessageAuthenticationCode.sha256(Array(text.utf8), key: key).hexadecimal
    }

    private func scope(_ time: String) -> String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

    /// `20130524T000000Z`.
    package static func time(_ moment: Instant) -> String {
        moment.rfc3339Zulu().filter { $0 != "-" && $0 != ":" }
    }

    /// The fields to be signed, sorted by their names in lower case; fields of one name are joined by commas.
    private static func fields(_ request: Request) -> [Field] {
        let all = [Field(name: "host", value: request.host)] + request.headers
        return Dictionary(grouping: all) { $0.name.lowercased() }.sorted { $0.key < $1.key }.map { name, fields in
            .init(name: name, value: fields.map { folded($0.value) }.joined(separator: ","))
        }
    }

    private static func names(_ request: Request) -> String { fields(request).map(\.name).joined(separator: ";") }

    /// Without blanks at its ends, and one for each run of them within.
    private static func folded(_ value: String) -> String {
        value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
