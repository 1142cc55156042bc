// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// Content encrypted to the holder of a certificate: CMS EnvelopedData (RFC 5652), DER, AES-256-CBC with a key of its own.
///
/// As `openssl cms -encrypt -binary -aes-256-cbc -outform DER` makes it. Every sealing makes other bytes: what is to be sent again is kept.
package enum CMSEnvelope {
    /// The sealed bytes; throws where the certificate (X.509, PEM) cannot be read, or takes no key.
    package static func seal(_ content: [UInt8], to certificate: String) throws(CMSError) -> [UInt8] {
        var sealed: UnsafeMutablePointer<UInt8>?
        let pem = Array(certificate.utf8)
        let count = studyd_cms_seal(content, content.count, pem, pem.count, &sealed)
        guard let sealed, count > 0 else { throw CMSError() }
        defer { studyd_crypto_free(sealed) }
        return Array(UnsafeBufferPointer(start: sealed, count: count))
    }
}

/// Nothing can be encrypted to a certificate.
package struct CMSError: ExplainedError, Sendable, Hashable {
    package init() {}

    /// What to look at.
    package var explanation: Explanation {
        Explanation(
            place: "certificate", cause: "libcrypto cannot encrypt with it",
            remedy: "give the study an X.509 certificate in PEM with an RSA key")
    }
}
