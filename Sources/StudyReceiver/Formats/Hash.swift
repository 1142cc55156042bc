// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// A digest in progress, computed by libcrypto. One owner at a time.
final class Hash {
    /// The algorithms that uploads may name (tus 1.0.0, checksum extension).
    enum Algorithm: String, CaseIterable, Sendable {
        case sha1
        case sha256
    }

    private let context: OpaquePointer

    /// Begins a digest; throws `HashError` when libcrypto refuses, for want of memory or of the algorithm.
    init(_ algorithm: Algorithm) throws(HashError) {
        guard let context = EVP_MD_CTX_new() else { throw HashError() }
        self.context = context
        let method = algorithm == .sha1 ? EVP_sha1() : EVP_sha256()
        guard EVP_DigestInit_ex(context, method, nil) == 1 else { throw HashError() }
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes in more bytes.
    func update(_ bytes: some Sequence<UInt8>) throws(HashError) {
        let bytes = Array(bytes)
        guard EVP_DigestUpdate(context, bytes, bytes.count) == 1 else { throw HashError() }
    }

    /// The digest; nothing more can be taken in afterwards.
    func finish() throws(HashError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &count) == 1 else { throw HashError() }
        return Array(digest.prefix(Int(count)))
    }

    /// The SHA-256 of some bytes.
    static func sha256(_ bytes: some Sequence<UInt8>) throws(HashError) -> [UInt8] {
        let hash = try Hash(.sha256)
        try hash.update(bytes)
        return try hash.finish()
    }
}

/// libcrypto refused to compute a digest.
struct HashError: Error, CustomStringConvertible {
    var description: String { "libcrypto refused to compute a digest: check free memory and the OpenSSL installation" }
}

extension Sequence<UInt8> {
    /// Two lowercase hexadecimal digits per byte.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
