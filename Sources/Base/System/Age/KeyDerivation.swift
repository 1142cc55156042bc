// SPDX-License-Identifier: Apache-2.0

/// HKDF with SHA-256 (RFC 5869), for the keys of age files and `DeviceCipher`.
package enum KeyDerivation {
    /// 32 bytes; throws only where libcrypto has no memory.
    package static func sha256(_ secret: [UInt8], salt: [UInt8], info: String) throws(DigestError) -> [UInt8] {
        let salt = salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt
        let extracted = try MessageAuthenticationCode.sha256(secret, key: salt)
        return try MessageAuthenticationCode.sha256(Array(info.utf8) + [1], key: extracted)
    }
}
