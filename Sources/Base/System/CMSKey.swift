// SPDX-License-Identifier: Apache-2.0
import Base
import CCrypto

/// A private key that opens what `CMSEnvelope` has encrypted to its certificate. The lab opens archives with
/// it.
package struct CMSKey: Sendable, Hashable {
    /// Parsed again for each use, so that nothing has to be freed.
    private let pem: [UInt8]

    /// Reads a key in PEM; throws for another file, and for a key with a passphrase.
    package init(file path: String) throws {
        pem = try BoundedFile.read(path, limit: 1 << 20)
        guard let key = studyd_private_key(pem, pem.count) else {
            throw FileError(
                path: path, message: "is no private key in PEM, or has a passphrase",
                remedy: "take the passphrase off with: openssl pkey -in KEY -out OPEN-KEY")
        }
        EVP_PKEY_free(key)
    }

    /// The content; nil where it is encrypted to another key, or is damaged.
    package func open(_ encrypted: [UInt8]) -> [UInt8]? {
        guard let key = studyd_private_key(pem, pem.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        guard let content = studyd_cms_open(encrypted, encrypted.count, key) else { return nil }
        defer { BIO_free(content) }
        var bytes: UnsafeMutablePointer<CChar>?
        let count = studyd_bio_bytes(content, &bytes)
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
