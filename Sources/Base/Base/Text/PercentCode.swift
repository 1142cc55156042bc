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
