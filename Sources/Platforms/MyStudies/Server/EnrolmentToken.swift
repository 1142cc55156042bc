// SPDX-License-Identifier: Apache-2.0
import Study

/// A token with which a participant enrols: letters A to Z, the last of them a check letter by Luhn's rule mod
/// 26. `MyStudiesOptions` takes it from the command line, and `MyStudiesServer` sends it.
///
/// Checked before any network is used, so that a typing mistake is reported at once. The
/// rule is the Response server's; its stand-in in `study-receiver` has it as `MyStudiesToken`.
package struct EnrolmentToken: Sendable, Hashable {
    /// In capitals, without white space around it.
    package let text: String

    /// Trims and capitalises as the server does; nil where anything but A to Z is in it, or
    /// the check letter does not fit. The length is checked by the server.
    package init?(_ typed: String) {
        let letters = typed.drop(while: \.isWhitespace).uppercased().utf8.map { $0 }
        let end = letters.lastIndex { !Self.space.contains($0) }.map { $0 + 1 } ?? 0
        let codes = letters[..<end].map { Int($0) - Int(UInt8(ascii: "A")) }
        guard codes.count > 1, codes.allSatisfy((0..<26).contains), Self.sum(codes) % 26 == 0 else {
            return nil
        }
        text = String(decoding: letters[..<end], as: UTF8.self)
    }

    private static let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// From the right, with the factors 1 and 2 in turn; the two digits of a product in base 26 are
    /// added.
    private static func sum(_ codes: [Int]) -> Int {
        codes.reversed().enumerated().reduce(0) { sum, entry in
            let product = (1 + entry.offset % 2) * entry.element
            return sum + product / 26 + product % 26
        }
    }
}
