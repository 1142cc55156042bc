// SPDX-License-Identifier: Apache-2.0
import Base

/// Who can open a file: an X25519 key of age, `age1…`. The configuration's `[encryption]` names the lab's.
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
