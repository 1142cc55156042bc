// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc

/// A digest of bytes that come one after the other, computed by libcrypto: `Digest` and `FileDigest` run on it.
/// One owner at a time.
package final class DigestStream {
    /// What is computed; the raw values are those of tus 1.0.0's checksum extension.
    package enum Algorithm: String, CaseIterable, Sendable {
        case md5
        case sha1
        case sha256

        fileprivate var method: OpaquePointer? {
            switch self {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            }
        }
    }

    private let context: OpaquePointer
    private let path: String?

    /// Begins a digest; `path` is the file that is read, for messages. Throws when libcrypto has no
    /// memory or not this algorithm.
    package init(_ algorithm: Algorithm = .sha256, path: String? = nil) throws(DigestError) {
        guard let context = EVP_MD_CTX_new() else { throw DigestError(path: path, code: 0) }
        self.context = context
        self.path = path
        guard EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else { throw DigestError(path: path, code: 0) }
    }

    /// Keeps libcrypto from cleaning up at exit (see `studyd_crypto_outlives_exit`); called first of
    /// all in a program that ends while threads work.
    package static func keepLibrary() { studyd_crypto_outlives_exit() }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: [UInt8]) throws(DigestError) { try update(bytes[...]) }

    package func update(_ bytes: ArraySlice<UInt8>) throws(DigestError) {
        let isDone = bytes.withUnsafeBytes { $0.isEmpty || EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
        guard isDone else { throw DigestError(path: path, code: 0) }
    }

    /// Takes in `length` bytes of a file from `offset` on, or as many as there are, in pieces of 64 KiB.
    package func update(file path: String, from offset: Int64 = 0, length: Int64 = .max) throws(DigestError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw DigestError(path: path, code: errno) }
        defer { close(file) }
        guard offset == 0 || lseek(file, off_t(offset), SEEK_SET) >= 0 else {
            throw DigestError(path: path, code: errno)
        }
        var piece = [UInt8](repeating: 0, count: 65_536)
        var left = length
        while left > 0 {
            let count = File.read(file, into: &piece)
            guard count >= 0 else { throw DigestError(path: path, code: errno) }
            if count == 0 { break }
            let wanted = Int(min(Int64(count), left))
            try update(piece[..<wanted])
            left -= Int64(wanted)
        }
    }

    /// The digest; nothing more can be taken in afterwards.
    package func finish() throws(DigestError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &count) == 1 else { throw DigestError(path: path, code: 0) }
        return Array(digest.prefix(Int(count)))
    }
}
