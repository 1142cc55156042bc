// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The SHA-256 of bytes and of files, as 64 lower-case hexadecimal digits.
package enum FileDigest {
    package static func sha256(_ bytes: [UInt8]) throws(FileError) -> String { try self.bytes(bytes).hexadecimal }

    /// The same as 32 bytes.
    static func bytes(_ bytes: [UInt8]) throws(FileError) -> [UInt8] {
        do throws(DigestError) {
            return try Digest(of: bytes).bytes
        } catch {
            throw .library(name: "libcrypto", problem: "refuses SHA-256; check the OpenSSL installation")
        }
    }

    /// The digest of a whole file, read in pieces of 64 kB.
    package static func sha256(of file: File) throws(FileError) -> String {
        guard let stream = try? DigestStream() else {
            throw .library(name: "libcrypto", problem: "refuses SHA-256; check the OpenSSL installation")
        }
        var offset = 0
        while true {
            let piece = try file.read(65_536, at: offset)
            guard !piece.isEmpty else { break }
            guard (try? stream.update(piece[...])) != nil else { throw failure(of: file) }
            offset += piece.count
        }
        guard let digest = try? stream.finish() else { throw failure(of: file) }
        return digest.hexadecimal
    }

    private static func failure(of file: File) -> FileError {
        .library(name: "libcrypto", problem: "SHA-256 of \(file.path) failed")
    }
}
