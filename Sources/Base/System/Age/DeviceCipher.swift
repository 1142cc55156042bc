// SPDX-License-Identifier: Apache-2.0

/// Short texts that a device encrypts for itself alone: ChaCha20-Poly1305 under a key derived from its
/// identity, at a hundredth of the cost of an age file. `BodyEncryption` makes one for the answers in the
/// store's tables; the lab reads them by it, given the device's key.
package struct DeviceCipher: Sendable {
    private static let mark = "sealed:"
    private let key: [UInt8]

    /// `use` goes into the key, so that a text encrypted for one use does not open under another.
    package init(_ identity: AgeIdentity, use: String) throws(DigestError) {
        key = try KeyDerivation.sha256(identity.secret, salt: [], info: "studyd \(use)")
    }

    package static func isEncrypted(_ text: String) -> Bool { text.hasPrefix(mark) }

    package func encrypt(_ text: String) throws(AgeFault) -> String {
        let nonce = SecureRandom.bytes(ChaChaPoly.nonceLength)
        var encrypted = nonce
        guard let cipher = ChaChaPoly(key: key), cipher.encrypt(Array(text.utf8)[...], nonce: nonce, to: &encrypted)
        else { throw .library }
        return Self.mark + Base64.encoded(encrypted)
    }

    /// Nil where it is encrypted by another key, or damaged.
    package func open(_ text: String) -> String? {
        guard Self.isEncrypted(text), let encrypted = Base64.decoded(String(text.dropFirst(Self.mark.count))),
            encrypted.count >= ChaChaPoly.nonceLength, let cipher = ChaChaPoly(key: key),
            let bytes = cipher.open(
                encrypted[ChaChaPoly.nonceLength...], nonce: Array(encrypted.prefix(ChaChaPoly.nonceLength)))
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
