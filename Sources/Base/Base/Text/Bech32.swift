// SPDX-License-Identifier: Apache-2.0

/// Bytes as text with a name and a checksum (BIP 173), as age writes its keys (`AgeIdentity`, `AgeRecipient`).
/// Unlike BIP 173 the text may have up to 1024 characters.
package enum Bech32 {
    private static let digits = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumLength = 6

    /// In lower case; `name` has to be of printable ASCII.
    package static func encoded(_ bytes: [UInt8], name: String) -> String {
        let values = regrouped(bytes, from: 8, to: 5, pads: true) ?? []
        let folded = checksum(expanded(name) + values + [UInt8](repeating: 0, count: checksumLength)) ^ 1
        let check = (0..<checksumLength).map { UInt8(folded >> UInt32(5 * (checksumLength - 1 - $0)) & 31) }
        return name + "1" + String(decoding: (values + check).map { digits[Int($0)] }, as: UTF8.self)
    }

    /// Nil for what is no such text: another digit, both cases, a wrong checksum, bits left over.
    package static func decoded(_ text: String) -> (name: String, bytes: [UInt8])? {
        // ASCII first: Unicode has other letters that become these in lower case.
        guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (33...126).contains($0) }),
            text == text.lowercased() || text == text.uppercased()
        else { return nil }
        let text = text.lowercased()
        guard let separator = text.utf8.lastIndex(of: UInt8(ascii: "1")), separator > text.startIndex else {
            return nil
        }
        let name = String(text[..<separator])
        var values: [UInt8] = []
        for digit in text.utf8[text.utf8.index(after: separator)...] {
            guard let value = digits.firstIndex(of: digit) else { return nil }
            values.append(UInt8(value))
        }
        guard values.count >= checksumLength, checksum(expanded(name) + values) == 1,
            let bytes = regrouped(values.dropLast(checksumLength), from: 5, to: 8, pads: false)
        else { return nil }
        return (name, bytes)
    }

    private static func expanded(_ name: String) -> [UInt8] {
        var values = name.utf8.map { $0 >> 5 }
        values.append(0)
        values += name.utf8.map { $0 & 31 }
        return values
    }

    private static func checksum(_ values: [UInt8]) -> UInt32 {
        let generator: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
        return values.reduce(1) { sum, value in
            let top = sum >> 25
            return generator.indices.reduce((sum & 0x1FF_FFFF) << 5 ^ UInt32(value)) {
                top >> UInt32($1) & 1 == 1 ? $0 ^ generator[$1] : $0
            }
        }
    }

    /// Nil where the bits that are left over at the end are not zero, or could have been a digit.
    private static func regrouped(_ values: some Sequence<UInt8>, from: Int, to: Int, pads: Bool) -> [UInt8]? {
        var (collected, bits, out) = (0, 0, [UInt8]())
        for value in values {
            collected = (collected << from | Int(value)) & 0xFFFF
            bits += from
            while bits >= to {
                bits -= to
                out.append(UInt8(collected >> bits & (1 << to - 1)))
            }
        }
        let rest = collected & (1 << bits - 1)
        if pads { return bits > 0 ? out + [UInt8(rest << (to - bits))] : out }
        return bits < from && rest == 0 ? out : nil
    }
}
