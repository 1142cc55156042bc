// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding (RFC 3986).
package enum PercentCode {
    private static let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

    /// `kept` lists ASCII characters that stay as they are, as the unreserved ones do: `/` in a path.
    package static func encoded(_ text: String, keeping kept: String = "") -> String {
        let plain = Set((plain + kept).utf8)
        return text.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }.joined()
    }
}

/// The text behind percent-encoding (RFC 3986 §2.1), or nil when an escape is broken or the
/// bytes are not UTF-8.
///
/// `plusIsSpace` is the rule of `application/x-www-form-urlencoded`, not of paths.
package func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = rest.next().flatMap(\.hexadecimalDigit), let low = rest.next().flatMap(\.hexadecimalDigit)
            else {
                return nil
            }
            bytes.append(high << 4 | low)
        case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
        default: bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}
