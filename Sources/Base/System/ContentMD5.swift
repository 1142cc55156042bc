// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// The MD5 of bytes by libcrypto: what `Content-MD5` of RFC 1864 is made of. It finds damage in
/// transit, not tampering.
package enum ContentMD5 {
    /// Sixteen bytes; throws where libcrypto is not allowed to make it (FIPS).
    package static func of(_ bytes: [UInt8]) throws(DigestError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let isDone = bytes.withUnsafeBytes {
            EVP_Digest($0.baseAddress, $0.count, &digest, &count, EVP_md5(), nil) == 1
        }
        guard isDone, count == 16 else { throw DigestError(path: nil, code: 0) }
        return Array(digest.prefix(16))
    }

    package static func header(of bytes: [UInt8]) throws(DigestError) -> String { Base64.encoded(try of(bytes)) }
}
