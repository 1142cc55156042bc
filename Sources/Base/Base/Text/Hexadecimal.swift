// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Bytes from hexadecimal digits of either case; nil for any other text.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.compactMap(\.hexadecimalDigit)
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension UInt8 {
    /// The value of this ASCII character as a hexadecimal digit; nil where it is none.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// `0x0F`: two digits, as datasheets print registers and `i2cdetect` prints addresses.
package func hexadecimal(_ byte: UInt8) -> String { "0x" + [byte].hexadecimal.uppercased() }
