// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc

/// A SHA-256, as 32 bytes, written in lower-case hexadecimal.
public struct Digest: Sendable, Hashable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// Takes a digest made elsewhere; nil unless it has 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The digest of these bytes. Throws only when libcrypto has no SHA-256 or no memory.
    public init(of content: [UInt8]) throws(DigestError) {
        var digest = [UInt8](repeating: 0, count: 32)
        guard studyd_sha256(content, content.count, &digest) == 1 else { throw DigestError(path: nil, code: 0) }
        bytes = digest
    }

    /// The digest of a file, read in pieces of 64 KiB.
    public init(ofFile path: String) throws(DigestError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw DigestError(path: path, code: errno) }
        defer { close(file) }
        guard let context = studyd_sha256_new() else { throw DigestError(path: path, code: 0) }
        defer { studyd_sha256_free(context) }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw DigestError(path: path, code: errno) }
            if count == 0 { break }
            guard studyd_sha256_update(context, piece, count) == 1 else { throw DigestError(path: path, code: 0) }
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard studyd_sha256_final(context, &digest) == 1 else { throw DigestError(path: path, code: 0) }
        bytes = digest
    }

    /// 64 characters of hexadecimal.
    public var description: String { hexadecimal(bytes) }
}

/// Lower-case hexadecimal, two characters a byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Bytes from hexadecimal; nil where it is none.
func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// A digest could not be made.
public struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; nil for bytes in memory.
    public let path: String?
    /// The errno of reading; 0 when libcrypto refused.
    public let code: CInt
    /// A failure at that file.
    public init(path: String?, code: CInt) {
        self.path = path
        self.code = code
    }
    /// Names the file and the remedy.
    public var description: String {
        code == 0
            ? "SHA-256: libcrypto refused: check the OpenSSL installation and free memory"
            : "SHA-256: \(path ?? "") cannot be read (errno \(code)): check that the file exists and its rights"
    }
}
