// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Compares a body with its `Content-Digest` (RFC 9530) as it comes, for `BodySource`.
final class BodyDigest {
    private let stream: Result<DigestStream, any Error>
    private let wanted: String

    /// Nil where the field names no SHA-256: such a body is not checked.
    init?(_ field: String) {
        guard let wanted = SignatureProfile.sha256(ofDigest: field) else { return nil }
        self.wanted = wanted
        // A body that cannot be compared is not taken for one that fits.
        stream = Result { try DigestStream() }
    }

    func update(_ piece: [UInt8]) throws { try stream.get().update(piece) }

    /// Throws `HTTPFailure` 400 where the whole body is another one. To be called once.
    func check() throws {
        guard Base64.encoded(try stream.get().finish()) == wanted else {
            throw HTTPFailure(400, "the body is not the one that Content-Digest names; send it again")
        }
    }
}
