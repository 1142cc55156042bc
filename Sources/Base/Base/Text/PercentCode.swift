// SPDX-License-Identifier: Apache-2.0

/// Texts in an address, of which each byte that may not stand there is `%` and two digits.
package enum PercentCode {
    private static let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

    /// Percent-encoded but for RFC 3986's unreserved characters and those of `kept`.
    package static func encoded(_ text: String, keeping kept: String = "") -> String {
        let plain = Set((plain + kept).utf8)
        return text.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }.joined()
    }
}
