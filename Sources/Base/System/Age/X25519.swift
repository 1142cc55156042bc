// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// Diffie-Hellman over Curve25519 (RFC 7748) by libcrypto, for keys of age. Keys are 32 bytes.
enum X25519 {
    static let keyLength = 32

    static func publicKey(of secret: [UInt8]) -> [UInt8]? {
        guard secret.count == keyLength, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, secret, keyLength)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        var (bytes, count) = ([UInt8](repeating: 0, count: keyLength), keyLength)
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == keyLength else { return nil }
        return bytes
    }

    /// Nil also for a point of low order, with which every secret would have the same result.
    static func shared(_ secret: [UInt8], _ other: [UInt8]) -> [UInt8]? {
        guard secret.count == keyLength, other.count == keyLength else { return nil }
        let mine = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, secret, keyLength)
        let theirs = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, other, keyLength)
        let context = mine.flatMap { EVP_PKEY_CTX_new($0, nil) }
        defer {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(mine)
            EVP_PKEY_free(theirs)
        }
        var (bytes, count) = ([UInt8](repeating: 0, count: keyLength), keyLength)
        guard context != nil, theirs != nil, EVP_PKEY_derive_init(context) == 1,
            EVP_PKEY_derive_set_peer(context, theirs) == 1, EVP_PKEY_derive(context, &bytes, &count) == 1,
            count == keyLength, bytes.contains(where: { $0 != 0 })
        else { return nil }
        return bytes
    }
}
