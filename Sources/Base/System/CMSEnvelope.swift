// SPDX-License-Identifier: Apache-2.0
import Base
import CCrypto

/// Content encrypted to the holder of a certificate: CMS EnvelopedData (RFC 5652), DER, AES-256-CBC with a
/// fresh key. `ArchivePacker` encrypts uploads to the study's certificate by it.
///
/// As `openssl cms -encrypt -binary -aes-256-cbc -outform DER` makes it. Every encryption gives
/// different bytes: keep what may have to be sent again.
package struct CMSEnvelope: ~Copyable {
    private let encrypted: OpaquePointer

    /// The encrypted bytes; throws where the certificate (X.509, PEM) cannot be read, or takes no key.
    /// Content without another owner is released as soon as it is encrypted: no more than two of
    /// content, ciphertext and result are in memory at once.
    package static func encrypt(_ content: consuming [UInt8], to certificate: String) throws(CMSError) -> [UInt8] {
        let envelope = try CMSEnvelope(content, to: certificate)
        content = []
        return try envelope.bytes
    }

    private init(_ content: borrowing [UInt8], to certificate: String) throws(CMSError) {
        let pem = Array(certificate.utf8)
        guard let encrypted = studyd_cms_encrypt(content, content.count, pem, pem.count) else { throw CMSError() }
        self.encrypted = encrypted
    }

    deinit { CMS_ContentInfo_free(encrypted) }

    /// libcrypto writes straight into the array: no second copy.
    private var bytes: [UInt8] {
        get throws(CMSError) {
            let length = Int(i2d_CMS_ContentInfo(encrypted, nil))
            guard length > 0 else { throw CMSError() }
            let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                var place = buffer.baseAddress
                count = max(0, Int(i2d_CMS_ContentInfo(encrypted, &place)))
            }
            guard bytes.count == length else { throw CMSError() }
            return bytes
        }
    }
}

/// A certificate that nothing can be encrypted to.
package struct CMSError: ExplainedError, Sendable, Hashable {
    package init() {}

    package var explanation: Explanation {
        Explanation(
            place: "certificate", cause: "libcrypto cannot encrypt with it",
            remedy: "give the study an X.509 certificate in PEM with an RSA key")
    }
}
