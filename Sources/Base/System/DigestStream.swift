// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// A digest of bytes that come one after the other, computed by libcrypto. One owner at a time.
package final class DigestStream {
    /// What is computed; the raw values are those of tus 1.0.0's checksum extension.
    package enum Algorithm: String, CaseIterable, Sendable {
        case sha1
        case sha256
    }

    private let context: OpaquePointer
    private let path: String?

    /// Begins a digest; `path` is the file it is of, for messages. Throws when libcrypto has no
    /// memory or not this algorithm.
    package init(_ algorithm: Algorithm = .sha256, path: String? = nil) throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else { throw DigestError(path: path, code: 0) }
        self.context = context
        self.path = path
        let method = algorithm == .sha1 ? EVP_sha1() : EVP_sha256()
        guard EVP_DigestInit_ex(context, method, nil) == 1 else { throw DigestError(path: path, code: 0) }
    }

    /// Keeps libcrypto until the process is gone; called first of all in a program that ends
    /// while threads work.
    package static func keepLibrary() { studyd_crypto_outlives_exit() }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: [UInt8]) throws(DigestError) { try update(bytes[...]) }

    package func update(_ bytes: ArraySlice<UInt8>) throws(DigestError) {
        let isDone = bytes.withUnsafeBytes { $0.isEmpty || EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
        guard isDone else { throw DigestError(path: path, code: 0) }
    }

    /// The digest; nothing more can be taken in afterwards.
    package func finish() throws(DigestError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &count) == 1 else { throw DigestError(path: path, code: 0) }
        return Array(digest.prefix(Int(count)))
    }
}
