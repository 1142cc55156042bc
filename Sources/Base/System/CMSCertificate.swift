// SPDX-License-Identifier: Apache-2.0
import Base
import CCrypto

/// What a certificate (X.509) says of itself. `StudyCertificate` warns of one that is weak or about to end.
package struct CMSCertificate: Sendable, Hashable {
    /// The length of its key; nil where that is not RSA.
    package let rsaBits: Int?
    /// The last moment of its validity.
    package let end: Instant

    package init(rsaBits: Int?, end: Instant) { (self.rsaBits, self.end) = (rsaBits, end) }

    /// Of the first certificate in that text (PEM); nil where there is none.
    package init?(_ pem: String) {
        let bytes = Array(pem.utf8)
        var bits: CInt = 0
        var days: CInt = 0
        var seconds: CInt = 0
        guard studyd_certificate(bytes, bytes.count, &bits, &days, &seconds) != 0 else { return nil }
        self.init(rsaBits: bits > 0 ? Int(bits) : nil, end: Instant(seconds: Int64(days) * 86_400 + Int64(seconds)))
    }
}
