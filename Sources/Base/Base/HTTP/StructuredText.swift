// SPDX-License-Identifier: Apache-2.0

/// Reads structured fields (RFC 8941) for `SignatureInput`, as far as signatures and digests are written with
/// them.
struct StructuredText {
    /// A bare item (§3.3).
    enum Item: Hashable {
        case integer(Int64)
        case string(String)
        case boolean(Bool)
    }

    private let bytes: [UInt8]
    private var place = 0
    /// True from the first malformed parameter on.
    private var isBroken = false

    /// Nil for what has other characters than ASCII's visible ones and blanks.
    init?(_ text: String) {
        bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    }

    /// Everything was read, and no parameter was broken.
    var isAtEnd: Bool { place == bytes.count && !isBroken }

    /// A dictionary's or parameter's name (§3.1.2).
    static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isSmallASCIILetter || first == UInt8(ascii: "*") else { return false }
        return text.utf8.allSatisfy(isOfKey)
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        byte.isSmallASCIILetter || byte.isASCIIDigit || "_-.*".utf8.contains(byte)
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() { while take(" ") {} }

    /// An inner list (§3.1.1) of strings without parameters.
    mutating func takeInnerList() -> [String]? {
        guard take("(") else { return nil }
        var items: [String] = []
        while true {
            skipBlanks()
            if take(")") { return items }
            guard let text = takeString(), next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
            items.append(text)
        }
    }

    /// The next `;name=value` (§3.1.2); nil where none follows, or a malformed one, after which `isAtEnd` stays false.
    mutating func takeParameter() -> (String, Item)? {
        guard take(";") else { return nil }
        skipBlanks()
        let start = place
        while let byte = next, Self.isOfKey(byte) { place += 1 }
        let key = String(decoding: bytes[start..<place], as: UTF8.self)
        let value = take("=") ? takeItem() : .boolean(true)
        isBroken = isBroken || !Self.isKey(key) || value == nil
        return isBroken ? nil : value.map { (key, $0) }
    }

    private mutating func takeItem() -> Item? {
        if next == UInt8(ascii: "\"") { return takeString().map(Item.string) }
        if take("?") { return take("1") ? .boolean(true) : take("0") ? .boolean(false) : nil }
        return takeInteger().map(Item.integer)
    }

    /// At most 15 digits (§3.3.1).
    private mutating func takeInteger() -> Int64? {
        let start = place
        _ = take("-")
        while let byte = next, byte.isASCIIDigit, place - start < 16 { place += 1 }
        let number = Int64(String(decoding: bytes[start..<place], as: UTF8.self))
        return number.flatMap { $0.magnitude < 1_000_000_000_000_000 ? $0 : nil }
    }

    private mutating func takeString() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    return nil
                }
                place += 1
                text.append(escaped)
            default: text.append(byte)
            }
        }
        return nil
    }
}
