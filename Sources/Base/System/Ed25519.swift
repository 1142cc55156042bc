// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// Signatures by Ed25519 (RFC 8032 §5.1), made and checked by libcrypto: a device signs requests, manifests and
/// log segments, the receiver countersigns. The same message and key give the same signature.
package enum Ed25519 {
    /// The bytes of a secret seed, and of a public key.
    package static let keyLength = 32
    package static let signatureLength = 64

    /// A private key, kept as the 32 bytes from which RFC 8032 §5.1.5 derives it.
    package struct PrivateKey: Sendable, Hashable {
        private let seed: [UInt8]
        package let publicKey: [UInt8]

        /// Nil unless `seed` has 32 bytes, which libcrypto checks.
        package init?(seed: [UInt8]) {
            guard let key = Self.open(seed) else { return nil }
            defer { EVP_PKEY_free(key) }
            var (bytes, count) = ([UInt8](repeating: 0, count: keyLength), keyLength)
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 else { return nil }
            self.seed = seed
            publicKey = bytes
        }

        private static func open(_ seed: [UInt8]) -> OpaquePointer? {
            EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        }

        /// 64 bytes; throws only where libcrypto has no memory or not this algorithm.
        package func sign(_ message: [UInt8]) throws(DigestError) -> [UInt8] {
            let key = Self.open(seed)
            let context = EVP_MD_CTX_new()
            defer {
                EVP_MD_CTX_free(context)
                EVP_PKEY_free(key)
            }
            var (signature, count) = ([UInt8](repeating: 0, count: signatureLength), signatureLength)
            guard key != nil, context != nil, EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                EVP_DigestSign(context, &signature, &count, message, message.count) == 1
            else { throw DigestError(path: nil, code: 0) }
            return signature
        }
    }

    /// Whether the owner of that public key signed that message. False for what is no signature or
    /// no key, also by its length, which libcrypto checks.
    package static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        return key != nil && context != nil && EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
