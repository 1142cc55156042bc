// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// A secret that people and scripts have to show for page, data and control. Devices send without it. `Guarded`
/// compares with it what a request shows.
struct AccessToken: Sendable {
    private let digest: [UInt8]

    private static let shortest = 16

    init(_ text: String) throws(DigestError) { digest = try Digest(ofText: text).bytes }

    /// Reads a token's file; where there is none it is made, with a new token that only
    /// its owner can read.
    init(file: String, newToken: () -> String) throws {
        if access(file, F_OK) != 0 {
            let made: File
            do throws(FileError) { made = try File(file, .updateOrCreate) } catch {
                guard error.code == ENOENT else { throw error }
                throw FileError(
                    path: file, message: "cannot be made: its folder is not there",
                    remedy: "make the folder, or name another file")
            }
            try made.write(Array((newToken() + "\n").utf8), at: 0)
            try made.sync()
        }
        var text = ""
        _ = try File.forEachPiece(file) { piece in
            text += String(decoding: piece, as: UTF8.self)
            return text.utf8.count < 4096
        }
        let token = text.prefix { !$0.isNewline }.drop(while: \.isWhitespace)
        guard token.utf8.count >= Self.shortest else {
            throw FileError(
                path: file, message: "its first line has fewer than \(Self.shortest) characters",
                remedy: "write a longer token, or remove the file for a new one")
        }
        try self.init(String(token))
    }

    /// `Authorization: Bearer TOKEN`, or what a browser sends when the token is given as the
    /// password (any name).
    func admits(_ authorization: String?) -> Bool {
        let parts = (authorization ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return false }
        switch parts[0].lowercased() {
        case "bearer": return isRight(Array(parts[1].utf8))
        case "basic":
            guard let pair = Base64.decoded(parts[1]), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
                return false
            }
            return isRight(Array(pair[(colon + 1)...]))
        default: return false
        }
    }

    /// In constant time.
    private func isRight(_ text: [UInt8]) -> Bool {
        guard let given = try? Digest(of: text).bytes else { return false }
        return zip(given, digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
