// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// HMAC with SHA-256 (RFC 2104, RFC 6234) by libcrypto, for S3's signatures, keys of age and the receiver's
/// nonces.
package enum MessageAuthenticationCode {
    /// 32 bytes; throws only when libcrypto has no memory, or no SHA-256.
    package static func sha256(_ message: [UInt8], key: [UInt8]) throws(DigestError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        // An empty key must not be a null pointer: HMAC(3) would take the key of the call before.
        let key = key.isEmpty ? [0] : key
        guard HMAC(EVP_sha256(), key, CInt(key.count), message, message.count, &code, &count) != nil, count == 32
        else { throw DigestError(path: nil, code: 0) }
        return Array(code.prefix(32))
    }
}
