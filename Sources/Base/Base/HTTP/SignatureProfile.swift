// SPDX-License-Identifier: Apache-2.0

/// What a device signs of its requests to the lab's receiver, and the receiver demands
/// (docs/delivery.md, Signed requests). RFC 9421 §7.2.1 leaves it to the application. `RequestSigner` signs by
/// it, and `SignatureCheck` in the lab checks by it.
package enum SignatureProfile {
    package static let label = "s"
    package static let algorithm = "ed25519"
    /// Keeps a signature from being used for something else (§7.2.7).
    package static let tag = "studyd"
    /// A device's clock may be off by this much; beyond it the receiver gives a nonce to sign.
    package static let clockTolerance: Duration = .seconds(300)

    /// The content type of pieces of files. They need no `Content-Digest`, since `Upload-Metadata` has
    /// that of the whole file: no piece is read twice.
    package static let pieceType = "application/offset+octet-stream"

    private static let derived = ["@method", "@authority", "@path", "@query"]
    /// Fields that mean something to the receiver.
    private static let fields = [
        "content-type", "content-length", "content-digest", "upload-offset", "upload-length", "upload-metadata",
        "studyd-device", "studyd-log", "studyd-compliance", "x-participant", "studyd-enrolment-code",
    ]

    /// The components of a request, in the order in which studyd signs them: whichever of the fields it has.
    package static func components(_ has: (String) -> Bool) -> [String] { derived + fields.filter(has) }

    /// The value of `@authority` (§2.2.3): host and port as a `Host` field has them.
    package static func authority(_ host: String, isSecure: Bool) -> String {
        let (host, usual) = (host.lowercased(), isSecure ? ":443" : ":80")
        return host.hasSuffix(usual) ? String(host.dropLast(usual.count)) : host
    }

    /// The SHA-256 of a `Content-Digest` (RFC 9530 §2) as base 64; nil where it has none.
    package static func sha256(ofDigest field: String) -> String? {
        for member in field.split(separator: ",") {
            let text = member.drop { $0 == " " }
            guard text.hasPrefix("sha-256=:"), text.hasSuffix(":") else { continue }
            return String(text.dropFirst(9).dropLast())
        }
        return nil
    }
}
