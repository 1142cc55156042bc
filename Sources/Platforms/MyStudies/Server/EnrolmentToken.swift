// SPDX-License-Identifier: Apache-2.0
import Study

/// A token with which a participant enrols: letters A to Z, the last of them a check letter by
/// Luhn's rule mod 26.
///
/// Checked before any network is used, so that a typing mistake is reported at once. Source: the
/// Response server's token rule.
package struct EnrolmentToken: Sendable, Hashable {
    /// In capitals, without white space around it.
    package let text: String

    /// Trims and capitalises as the server does; nil where a letter is none or the check letter
    /// does not fit. The length is the server's affair.
    package init?(_ typed: String) {
        let letters = typed.drop(while: \.isWhitespace).uppercased().utf8.map { $0 }
        let end = letters.lastIndex { !Self.space.contains($0) }.map { $0 + 1 } ?? 0
        let codes = letters[..<end].map { Int($0) - 65 }
        guard codes.count > 1, codes.allSatisfy((0..<26).contains), Self.sum(codes, from: 1) % 26 == 0 else {
            return nil
        }
        text = String(decoding: letters[..<end], as: UTF8.self)
    }

    /// The check letter for these letters; nil where one of them is none.
    package static func checkLetter(for body: String) -> Character? {
        let codes = body.uppercased().utf8.map { Int($0) - 65 }
        guard !codes.isEmpty, codes.allSatisfy((0..<26).contains) else { return nil }
        let check = (26 - sum(codes, from: 2) % 26) % 26
        return Character(Unicode.Scalar(UInt8(65 + check)))
    }

    private static let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// From the right, with factors that alternate beginning with `first`; the two digits of a
    /// product in base 26 are added.
    private static func sum(_ codes: [Int], from first: Int) -> Int {
        codes.reversed().enumerated().reduce(0) { sum, entry in
            let product = (entry.offset % 2 == 0 ? first : 3 - first) * entry.element
            return sum + product / 26 + product % 26
        }
    }
}
