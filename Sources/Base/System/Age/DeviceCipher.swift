// SPDX-License-Identifier: Apache-2.0

/// Short texts that a device seals for itself alone: ChaCha20-Poly1305 under a key derived from its
/// identity, at a hundredth of the cost of an age file.
package struct DeviceCipher: Sendable {
    private static let mark = "sealed:"
    private let key: [UInt8]

    /// `use` keeps what is sealed for one thing from opening as another.
    package init(_ identity: AgeIdentity, use: String) throws(DigestError) {
        key = try KeyDerivation.sha256(identity.secret, salt: [], info: "studyd \(use)")
    }

    package static func isSealed(_ text: String) -> Bool { text.hasPrefix(mark) }

    package func seal(_ text: String) throws(AgeFault) -> String {
        let nonce = SecureRandom.bytes(ChaChaPoly.nonceLength)
        var sealed = nonce
        guard let cipher = ChaChaPoly(key: key), cipher.seal(Array(text.utf8)[...], nonce: nonce, to: &sealed) else {
            throw .library
        }
        return Self.mark + Base64.encoded(sealed)
    }

    /// Nil where it is sealed by another key, or damaged.
    package func open(_ text: String) -> String? {
        guard Self.isSealed(text), let sealed = Base64.decoded(String(text.dropFirst(Self.mark.count))),
            sealed.count >= ChaChaPoly.nonceLength, let cipher = ChaChaPoly(key: key),
            let bytes = cipher.open(
                sealed[ChaChaPoly.nonceLength...], nonce: Array(sealed.prefix(ChaChaPoly.nonceLength)))
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
