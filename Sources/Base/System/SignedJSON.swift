// SPDX-License-Identifier: Apache-2.0
import Base

/// A JSON object that its author has signed: its last two members are `key`, an Ed25519 public key in
/// hexadecimal, and `signature`, in base 64, of all bytes before `,"signature":`.
///
/// A program that checks it needs no JSON parser, and does not depend on how one formats values. `DayManifest`
/// and `LogSegment` are signed so on the device; `ManifestFolder` in the lab and `studyd recordings` check
/// them.
package enum SignedJSON {
    package enum Verdict: Sendable, Hashable {
        /// There is no signature.
        case unsigned
        /// By this key, 64 hexadecimal digits; whether that key is the right one is for the caller to check.
        case signed(by: String)
        /// There is a signature, but not of these bytes.
        case broken
    }

    private static let opening = ",\"signature\":\""
    private static let keyOpening = ",\"key\":\""
    /// More bytes than a signature adds.
    package static let overhead = 200

    /// `object` is one line that ends with `}`, and has at least one member.
    package static func signed(_ object: String, by key: Ed25519.PrivateKey) throws -> String {
        let head = "\(object.dropLast())\(keyOpening)\(key.publicKey.hexadecimal)\""
        return "\(head)\(opening)\(Base64.encoded(try key.sign(Array(head.utf8))))\"}"
    }

    package static func verdict(_ text: String) -> Verdict {
        let text = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard let place = text.ranges(of: opening).last else { return .unsigned }
        let head = text[..<place.lowerBound]
        guard head.hasSuffix("\""), text.hasSuffix("\"}"),
            let key = [UInt8](hexadecimal: String(head.dropLast().suffix(2 * Ed25519.keyLength))),
            head.dropLast(2 * Ed25519.keyLength + 1).hasSuffix(keyOpening),
            let signature = Base64.decoded(text[place.upperBound...].dropLast(2)),
            Ed25519.isValid(signature, of: Array(head.utf8), by: key)
        else { return .broken }
        return .signed(by: key.hexadecimal)
    }
}
