// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// ChaCha20-Poly1305 (RFC 8439) under one key, by libcrypto, for age files and `DeviceCipher`. One owner at a
/// time.
final class ChaChaPoly {
    static let tagLength = 16
    static let nonceLength = 12

    private let context: OpaquePointer
    private let key: [UInt8]

    /// Nil where libcrypto has no memory or not this cipher; `key` has 32 bytes.
    init?(key: [UInt8]) {
        guard key.count == 32, let context = EVP_CIPHER_CTX_new() else { return nil }
        self.context = context
        self.key = key
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Appends ciphertext and tag. False where libcrypto refuses: what was appended to `out` may then
    /// be plaintext, and must not be used. A nonce serves once under a key.
    func encrypt(_ bytes: ArraySlice<UInt8>, nonce: [UInt8], to out: inout [UInt8]) -> Bool {
        let start = out.count
        out.append(contentsOf: bytes)
        out.append(contentsOf: repeatElement(0, count: Self.tagLength))
        guard EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce) == 1 else { return false }
        return out.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            let place = base + start
            // A stream cipher gives as many bytes as it takes, and none at the end.
            var written: CInt = 0
            return (bytes.isEmpty || EVP_EncryptUpdate(context, place, &written, place, CInt(bytes.count)) == 1)
                && EVP_EncryptFinal_ex(context, place + bytes.count, &written) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(Self.tagLength), place + bytes.count) == 1
        }
    }

    /// Nil where the tag is not that of the ciphertext before it.
    func open(_ encrypted: ArraySlice<UInt8>, nonce: [UInt8]) -> [UInt8]? {
        guard encrypted.count >= Self.tagLength,
            EVP_DecryptInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce) == 1
        else { return nil }
        let count = encrypted.count - Self.tagLength
        var tag = Array(encrypted.suffix(Self.tagLength))
        var bytes = Array(encrypted.prefix(count))
        let isRight = bytes.withUnsafeMutableBufferPointer { buffer in
            var written: CInt = 0
            var nothing: UInt8 = 0
            let isDecrypted =
                count == 0
                || EVP_DecryptUpdate(context, buffer.baseAddress, &written, buffer.baseAddress, CInt(count)) == 1
            return isDecrypted
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(Self.tagLength), &tag) == 1
                && EVP_DecryptFinal_ex(context, &nothing, &written) == 1
        }
        return isRight ? bytes : nil
    }
}
