// SPDX-License-Identifier: Apache-2.0
import Base

/// The beginning of a file of age v1 (C2SP age.md): the file key for each recipient, and a MAC
/// over all of it. `AgeWriter` makes it, `AgeReader` reads it.
struct AgeHeader: Sendable {
    static let fileKeyLength = 16
    private static let version = "age-encryption.org/v1\n"
    /// The length of all lines of a stanza's body but the last, which is shorter.
    private static let columns = 64
    /// In bytes. A longer one is refused: it has room for thousands of recipients.
    static let largest = 1 << 18

    /// The file key, encrypted for one recipient: a line `-> X25519 SHARE`, then the body in base 64.
    struct Stanza: Sendable, Hashable {
        let arguments: [String]
        let body: [UInt8]
    }

    let stanzas: [Stanza]
    /// HMAC-SHA-256 of the header (C2SP age.md, "Header MAC").
    private let code: [UInt8]
    /// What the MAC covers: everything up to and including `---`.
    private let covered: [UInt8]
    /// Of the whole header, in bytes.
    let length: Int

    /// The text of a header. `random` gives as many bytes as it is asked for.
    static func text(
        to recipients: [AgeRecipient], fileKey: [UInt8], random: (Int) -> [UInt8]
    ) throws(AgeFault) -> [UInt8] {
        var text = version
        for recipient in recipients {
            guard let secret = AgeIdentity(secret: random(X25519.keyLength)),
                let wrapping = Wrapping(secret, with: recipient.publicKey, to: recipient)
            else { throw .library }
            text += "-> X25519 \(unpadded(secret.recipient.publicKey))\n\(unpadded(try wrapping.wrap(fileKey)))\n"
        }
        text += "---"
        let code = try code(Array(text.utf8), fileKey)
        return Array("\(text) \(unpadded(code))\n".utf8)
    }

    /// Reads it from the first `largest` bytes of a file, or all of a shorter one.
    init(_ bytes: [UInt8]) throws(AgeFault) {
        guard bytes.starts(with: Self.version.utf8) else {
            throw .header("it does not begin with age-encryption.org/v1")
        }
        var lines = Lines(bytes, at: Self.version.utf8.count)
        var stanzas: [Stanza] = []
        while true {
            let start = lines.place
            let line = try lines.next()
            if line.starts(with: "---".utf8) {
                guard line.starts(with: "--- ".utf8), !stanzas.isEmpty,
                    let code = Self.bytes(line.dropFirst(4)), code.count == 32
                else { throw .header("its last line is malformed") }
                (self.stanzas, self.code, length) = (stanzas, code, lines.place)
                covered = Array(bytes[..<(start + 3)])
                return
            }
            stanzas.append(try Self.stanza(line, &lines))
        }
    }

    /// The file key, by the first identity for which there is a stanza.
    func fileKey(_ identities: [AgeIdentity]) throws(AgeFault) -> [UInt8] {
        if stanzas.contains(where: { $0.arguments[0] == "scrypt" }), stanzas.count > 1 {
            throw .header("a passphrase is beside other recipients")
        }
        for stanza in stanzas where stanza.arguments[0] == "X25519" {
            guard stanza.arguments.count == 2, let share = Self.bytes(Array(stanza.arguments[1].utf8)[...]),
                share.count == X25519.keyLength, stanza.body.count == Self.fileKeyLength + ChaChaPoly.tagLength
            else { throw .header("a recipient is malformed") }
            for identity in identities {
                guard let wrapping = Wrapping(identity, with: share, to: identity.recipient, share: share) else {
                    throw .header("a recipient has a key of low order")
                }
                guard let fileKey = try wrapping.unwrap(stanza.body) else { continue }
                guard try Self.code(covered, fileKey) == code else { throw .headerCode }
                return fileKey
            }
        }
        throw .noMatch
    }

    private static func code(_ text: [UInt8], _ fileKey: [UInt8]) throws(AgeFault) -> [UInt8] {
        do throws(DigestError) {
            let key = try KeyDerivation.sha256(fileKey, salt: [], info: "header")
            return try MessageAuthenticationCode.sha256(text, key: key)
        } catch { throw .library }
    }

    private static func stanza(_ first: ArraySlice<UInt8>, _ lines: inout Lines) throws(AgeFault) -> Stanza {
        guard first.starts(with: "-> ".utf8) else { throw .header("a line is neither a recipient nor the end") }
        let arguments = first.dropFirst(3).split(separator: 0x20, omittingEmptySubsequences: false)
        guard arguments.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (33...126).contains($0) } }) else {
            throw .header("a recipient is malformed")
        }
        var body: [UInt8] = []
        while true {
            let line = try lines.next()
            guard line.count <= columns, let part = bytes(line) else { throw .header("a recipient is malformed") }
            body += part
            if line.count < columns { break }
        }
        return Stanza(arguments: arguments.map { String(decoding: $0, as: UTF8.self) }, body: body)
    }

    /// Base 64 without padding, in its one canonical form.
    private static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard !text.contains(UInt8(ascii: "=")) else { return nil }
        let padding = String(repeating: "=", count: -text.count & 3)
        return Base64.decoded(String(decoding: text, as: UTF8.self) + padding)
    }

    private static func unpadded(_ bytes: [UInt8]) -> String { String(Base64.encoded(bytes).prefix { $0 != "=" }) }

    private struct Lines {
        private let bytes: [UInt8]
        private(set) var place: Int

        init(_ bytes: [UInt8], at place: Int) { (self.bytes, self.place) = (bytes, place) }

        mutating func next() throws(AgeFault) -> ArraySlice<UInt8> {
            guard let end = bytes[place...].firstIndex(of: 0x0A) else {
                throw .header(bytes.count >= largest ? "its header is too long" : "its header is truncated")
            }
            defer { place = end + 1 }
            return bytes[place..<end]
        }
    }
}

/// The key that a file key is wrapped with for one recipient.
private struct Wrapping {
    private static let info = "age-encryption.org/v1/X25519"
    private static let nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceLength)
    private let cipher: ChaChaPoly

    /// The share is the public half of `secret` (when wrapping), or the one of the stanza (when
    /// unwrapping). Nil for a key of low order.
    init?(_ secret: AgeIdentity, with other: [UInt8], to recipient: AgeRecipient, share: [UInt8]? = nil) {
        guard let shared = X25519.shared(secret.secret, other),
            let key = try? KeyDerivation.sha256(
                shared, salt: (share ?? secret.recipient.publicKey) + recipient.publicKey, info: Self.info),
            let cipher = ChaChaPoly(key: key)
        else { return nil }
        self.cipher = cipher
    }

    func wrap(_ fileKey: [UInt8]) throws(AgeFault) -> [UInt8] {
        var body: [UInt8] = []
        guard cipher.encrypt(fileKey[...], nonce: Self.nonce, to: &body) else { throw .library }
        return body
    }

    func unwrap(_ body: [UInt8]) throws(AgeFault) -> [UInt8]? { cipher.open(body[...], nonce: Self.nonce) }
}
