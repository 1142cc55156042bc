// SPDX-License-Identifier: Apache-2.0
import Base

extension Digest {
    private init(_ stream: DigestStream) throws(DigestError) {
        guard let digest = Digest(bytes: try stream.finish()) else { throw DigestError(path: nil, code: 0) }
        self = digest
    }

    /// As a function, to be passed to pure code. Ends the program where libcrypto refuses, rather than return an
    /// empty digest, from which all random draws and all enrolment codes would be alike.
    @Sendable package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let digest = try? Digest(of: bytes)
        precondition(digest != nil, "libcrypto has no SHA-256 or no memory")
        return digest?.bytes ?? []
    }

    /// The digest of these bytes. Throws only when libcrypto has no SHA-256 or no memory.
    package init(of content: [UInt8]) throws(DigestError) {
        let stream = try DigestStream()
        try stream.update(content)
        try self.init(stream)
    }

    package init(ofText text: String) throws(DigestError) { try self.init(of: Array(text.utf8)) }

    /// The digest of a file, or of `length` of its bytes from `offset` on, read in pieces of 64 KiB. A
    /// file that ends before is digested to its end.
    package init(ofFile path: String, from offset: Int64 = 0, length: Int64 = .max) throws(DigestError) {
        let stream = try DigestStream(path: path)
        try stream.update(file: path, from: offset, length: length)
        try self.init(stream)
    }
}

/// A digest, or what is made of one (a signature, a code), could not be made.
package struct DigestError: ExplainedError, Sendable, Hashable {
    /// The file; nil for bytes in memory.
    private let path: String?
    /// The errno of reading; 0 when libcrypto refused.
    private let code: CInt
    package init(path: String?, code: CInt) { (self.path, self.code) = (path, code) }
    package var explanation: Explanation {
        guard code == 0 else { return FileError(operation: "read", path: path ?? "", code: code).explanation }
        return Explanation(
            place: path ?? "digest or signature", cause: "libcrypto refused",
            remedy: "check the OpenSSL installation and free memory")
    }
}
