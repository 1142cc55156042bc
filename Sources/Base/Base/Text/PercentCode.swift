// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding (RFC 3986) of addresses, forms and names, for the requests that devices send and for the
/// lab's routes.
package enum PercentCode {
    /// `kept` lists ASCII characters that stay as they are, as the unreserved ones do: `/` in a path.
    package static func encoded(_ text: String, keeping kept: String = "") -> String {
        let signs = Set(("-_.~" + kept).utf8)
        return text.utf8.map { byte in
            byte.isASCIILetter || byte.isASCIIDigit || signs.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }.joined()
    }

    /// The text behind it (§2.1); nil where an escape is broken or the bytes are not UTF-8. `plusIsSpace` is the rule
    /// of `application/x-www-form-urlencoded`, not of paths.
    package static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(\.hexadecimalDigit),
                    let low = rest.next().flatMap(\.hexadecimalDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
