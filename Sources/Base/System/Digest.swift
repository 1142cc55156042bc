// SPDX-License-Identifier: Apache-2.0
import Base
import CCrypto
import Glibc

extension Digest {
    private init(_ stream: DigestStream) throws(DigestError) {
        guard let digest = Digest(bytes: try stream.finish()) else { throw DigestError(path: nil, code: 0) }
        self = digest
    }

    /// As a function, for what is pure and is handed one; empty where libcrypto refuses.
    @Sendable package static func sha256(_ bytes: [UInt8]) -> [UInt8] { (try? Digest(of: bytes).bytes) ?? [] }

    /// The digest of these bytes. Throws only when libcrypto has no SHA-256 or no memory.
    package init(of content: [UInt8]) throws(DigestError) {
        let stream = try DigestStream()
        try stream.update(content)
        try self.init(stream)
    }

    /// The digest of a text's UTF-8.
    package init(ofText text: String) throws(DigestError) { try self.init(of: Array(text.utf8)) }

    /// The digest of a file, read in pieces of 64 KiB.
    package init(ofFile path: String) throws(DigestError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw DigestError(path: path, code: errno) }
        defer { close(file) }
        let stream = try DigestStream(path: path)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = File.read(file, into: &piece)
            guard count >= 0 else { throw DigestError(path: path, code: errno) }
            if count == 0 { break }
            try stream.update(piece[..<count])
        }
        try self.init(stream)
    }
}

/// A digest could not be made.
package struct DigestError: ExplainedError, Sendable, Hashable {
    /// The file; nil for bytes in memory.
    private let path: String?
    /// The errno of reading; 0 when libcrypto refused.
    private let code: CInt
    package init(path: String?, code: CInt) {
        self.path = path
        self.code = code
    }
    package var explanation: Explanation {
        Explanation(
            place: "SHA-256",
            cause: code == 0
                ? "libcrypto refused: check the OpenSSL installation and free memory"
                : "\(path ?? "") cannot be read (errno \(code)): check that the file exists and its rights")
    }
}
