// SPDX-License-Identifier: Apache-2.0
import Base

/// Who can open a file: an X25519 key of age, `age1…`.
package struct AgeRecipient: Sendable, Hashable, CustomStringConvertible {
    private static let name = "age"
    let publicKey: [UInt8]

    init?(publicKey: [UInt8]) {
        guard publicKey.count == X25519.keyLength else { return nil }
        self.publicKey = publicKey
    }

    package init(_ text: String) throws(AgeKeyError) {
        guard !text.uppercased().contains("AGE-SECRET-KEY-") else { throw AgeKeyError(.secret) }
        let isOther = ["age1pq1", "age1tag1", "age1tagpq1", "ssh-"].contains(where: text.hasPrefix)
        guard !isOther, let key = Bech32.decoded(text), text == text.lowercased(), key.name == Self.name,
            let recipient = AgeRecipient(publicKey: key.bytes)
        else { throw AgeKeyError(isOther ? .otherKind(text) : .malformed(text)) }
        self = recipient
    }

    package var description: String { Bech32.encoded(publicKey, name: Self.name) }
}

/// What opens a file: the secret half, `AGE-SECRET-KEY-1…`.
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
        else {
            throw AgeKeyError(.identity)
        }
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

/// A text is no key of age. The text of a secret one is not repeated.
package struct AgeKeyError: ExplainedError, Sendable, Hashable {
    enum Problem: Sendable, Hashable {
        case malformed(String)
        case otherKind(String)
        case secret
        case identity
    }

    private let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var explanation: Explanation {
        switch problem {
        case .malformed(let text):
            Explanation(
                cause: "\"\(text.prefix(80))\" is no recipient of age",
                remedy: "copy the line that begins with age1, 62 characters, from 'age-keygen -y identity.txt'")
        case .otherKind(let text):
            Explanation(
                cause: "\"\(text.prefix(80))\" is a recipient of a kind that studyd does not seal to",
                remedy: "use one of X25519, which 'age-keygen' makes: age1 and 58 more characters")
        case .secret:
            Explanation(
                cause: "this is a secret key, which must not be on a device",
                remedy:
                    "write its public half, from 'age-keygen -y identity.txt', and make another key if this file was "
                    + "on a device")
        case .identity:
            Explanation(
                cause: "there is no key of age in it",
                remedy: "give the file that 'age-keygen -o identity.txt' made, with a line AGE-SECRET-KEY-1…")
        }
    }
}
