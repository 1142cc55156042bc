// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// The SHA-256 of bytes and of files, as 64 lower-case hexadecimal digits.
public enum FileDigest {
    /// The digest of bytes in memory.
    public static func sha256(_ bytes: [UInt8]) throws(RecordingError) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard bytes.withUnsafeBytes({ studyd_sha256($0.baseAddress, $0.count, &digest) }) == 1 else {
            throw .library(name: "libcrypto", problem: "refuses SHA-256; check the OpenSSL installation")
        }
        return hexadecimal(digest)
    }

    /// The digest of a whole file, read in pieces of 64 kB.
    public static func sha256(of file: DiskFile) throws(RecordingError) -> String {
        guard let context = studyd_sha256_new() else {
            throw .library(name: "libcrypto", problem: "refuses SHA-256; check the OpenSSL installation")
        }
        defer { studyd_sha256_free(context) }
        var offset = 0
        while true {
            let piece = try file.read(65_536, at: offset)
            guard !piece.isEmpty else { break }
            guard piece.withUnsafeBytes({ studyd_sha256_update(context, $0.baseAddress, $0.count) }) == 1 else {
                throw .library(name: "libcrypto", problem: "SHA-256 of \(file.path) failed")
            }
            offset += piece.count
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard studyd_sha256_final(context, &digest) == 1 else {
            throw .library(name: "libcrypto", problem: "SHA-256 of \(file.path) failed")
        }
        return hexadecimal(digest)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
