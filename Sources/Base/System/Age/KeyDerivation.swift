// SPDX-License-Identifier: Apache-2.0

/// HKDF with SHA-256 (RFC 5869).
package enum KeyDerivation {
    /// 32 bytes; throws only where libcrypto has no memory.
    package static func sha256(_ secret: [UInt8], salt: [UInt8], info: String) throws(DigestError) -> [UInt8] {
        let extracted = try MessageCode.sha256(secret, key: salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt)
        return try MessageCode.sha256(Array(info.utf8) + [1], key: extracted)
    }
}
