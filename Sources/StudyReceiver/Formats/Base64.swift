// SPDX-License-Identifier: Apache-2.0

/// Base 64 with padding (RFC 4648 §4), as tus uses it for metadata and checksums. Stricter than FoundationEssentials, which the receiver does
/// without: bits that are left over have to be zero (§3.5).
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes behind a text, or nil when it is not base 64 with its padding.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        let bytes = Array(text.utf8)
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard bytes.count.isMultiple(of: 4), padding <= 2 else { return nil }
        var result: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes.dropLast(padding) {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            buffer = buffer << 6 | UInt32(digit)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            result.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        // Bits that fill up the last digit have to be zero, else two texts would mean the same bytes.
        guard buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return result
    }

    /// The text of some bytes.
    static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = digits[Int(word >> UInt32(18 - 6 * place) & 0x3F)]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
