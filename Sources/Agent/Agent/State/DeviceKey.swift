// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a device signs its requests to the lab's receiver with: the 32 bytes of an Ed25519 key,
/// kept as base64url without padding (RFC 4648 §5). Drawn at enrolment or by `studyd provision`, kept by
/// `DeviceKeyFile`. Never printed, logged or sent; the receiver knows the public half.
package struct DeviceKey: Sendable, Hashable {
    let text: String
    package let signing: Ed25519.PrivateKey

    /// Drawn by the system's generator.
    package init() {
        var generator = SystemRandomNumberGenerator()
        while true {
            let seed = (0..<Ed25519.keyLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if let key = DeviceKey(seed: seed) {
                self = key
                return
            }
        }
    }

    /// Nil unless these are 32 bytes.
    package init?(seed: [UInt8]) {
        guard let signing = Ed25519.PrivateKey(seed: seed) else { return nil }
        self.signing = signing
        text = Base64.encoded(seed).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil unless `text` is 32 bytes in base64url without padding.
    init?(_ text: String) {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/") + "="
        guard Self.isPlain(text), let key = Base64.decoded(padded).flatMap(DeviceKey.init(seed:)) else { return nil }
        self = key
    }

    /// Letters and digits of base64url alone.
    static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.isBase64URL) }

    /// The public half as the receiver lists it: 64 hexadecimal digits.
    package var publicText: String { signing.publicKey.hexadecimal }

    /// Reads and checks the text of a key that a person provides: the first line of a file that only its owner can
    /// read, or of a systemd credential.
    package static func given(in file: String) throws -> String {
        let text = try SecretFile.read(file)
        guard DeviceKey(text) != nil else {
            throw FileError(
                path: file, message: "is not a device key (32 bytes as base64url, 43 characters)",
                remedy: "make one with: head -c 32 /dev/urandom | basenc --base64url | tr -d =")
        }
        return text
    }
}

extension Unicode.Scalar {
    /// A letter or digit of ASCII, `-` or `_`.
    var isBase64URL: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}
