// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Base 64 with padding (RFC 4648 §4), in signatures, keys and the HTTP fields of both sides.
package enum Base64 {
    /// The bytes behind a text; nil unless it is exactly what `encoded` writes.
    /// FoundationEssentials alone would also take bits left over in the last digit (§3.5), and two
    /// texts would then mean the same bytes.
    package static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        let text = String(text)
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }

    package static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
