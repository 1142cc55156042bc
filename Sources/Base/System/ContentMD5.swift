// SPDX-License-Identifier: Apache-2.0

/// The MD5 of bytes by libcrypto: what `Content-MD5` of RFC 1864 is made of, for servers that demand it (Sage's
/// Bridge). It finds damage in transit, not tampering.
package enum ContentMD5 {
    /// Sixteen bytes; throws where libcrypto is not allowed to make it (FIPS).
    package static func of(_ bytes: [UInt8]) throws(DigestError) -> [UInt8] {
        let stream = try DigestStream(.md5)
        try stream.update(bytes)
        return try stream.finish()
    }

    package static func header(of bytes: [UInt8]) throws(DigestError) -> String { Base64.encoded(try of(bytes)) }
}
