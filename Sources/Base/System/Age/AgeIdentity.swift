// SPDX-License-Identifier: Apache-2.0
import Base

/// What opens a file: the secret half, `AGE-SECRET-KEY-1…`. The device has one in its state folder
/// (`EncryptionKey`); the lab's are given with `--key`.
package struct AgeIdentity: Sendable, Hashable {
    private static let name = "age-secret-key-"
    let secret: [UInt8]
    package let recipient: AgeRecipient

    /// From 32 random bytes; nil for any other number of bytes.
    package init?(secret: [UInt8]) {
        guard let key = X25519.publicKey(of: secret), let recipient = AgeRecipient(publicKey: key) else { return nil }
        (self.secret, self.recipient) = (secret, recipient)
    }

    package init(_ text: String) throws(AgeKeyError) {
        guard let key = Bech32.decoded(text), key.name == Self.name, let identity = AgeIdentity(secret: key.bytes)
        else { throw AgeKeyError(.identity) }
        self = identity
    }

    /// The keys in a text as age-keygen writes it: one a line; lines with `#` are comments.
    package static func all(in text: String) throws(AgeKeyError) -> [AgeIdentity] {
        var found: [AgeIdentity] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let word = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !word.isEmpty, !word.hasPrefix("#") { found.append(try AgeIdentity(word)) }
        }
        guard !found.isEmpty else { throw AgeKeyError(.identity) }
        return found
    }

    /// In upper case, as age-keygen writes it.
    package var text: String { Bech32.encoded(secret, name: Self.name).uppercased() }
}
