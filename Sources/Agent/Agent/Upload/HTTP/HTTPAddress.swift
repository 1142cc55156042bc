// SPDX-License-Identifier: Apache-2.0

/// Addresses as people write them.
enum HTTPAddress {
    /// The address with what a path or a query may not contain percent-encoded, as browsers do
    /// (WHATWG URL, query percent-encode set): blanks, quotation marks, angle brackets, and
    /// whatever is not ASCII. What is encoded already stays, and so does the host.
    static func encoded(_ address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return address }
        let path = address[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? address.endIndex
        return address[..<path]
            + address[path...].utf8.map { byte in
                let isPlain = (0x21...0x7E).contains(byte) && !Set("\"<>".utf8).contains(byte)
                return isPlain ? String(UnicodeScalar(byte)) : "%" + hexadecimal(byte >> 4) + hexadecimal(byte & 15)
            }.joined()
    }

    /// The address that a reference names (RFC 3986 §5.2.2); libcurl takes the dots out of its path.
    static func resolved(_ reference: String, at base: String) -> String {
        guard !reference.prefix(while: { !"/?#".contains($0) }).contains(":"), let scheme = base.firstRange(of: "://")
        else { return reference }
        if reference.hasPrefix("//") { return "\(base[..<scheme.lowerBound]):\(reference)" }
        let page = base.prefix { !"?#".contains($0) }
        let path = page[scheme.upperBound...].firstIndex(of: "/") ?? page.endIndex
        switch reference.first {
        case "/": return "\(page[..<path])\(reference)"
        case "?": return "\(page)\(reference)"
        case nil, "#": return "\(base.prefix { $0 != "#" })\(reference)"
        default:
            let folder = page[path...].lastIndex(of: "/").map { page[...$0] } ?? page + "/"
            return "\(folder)\(reference)"
        }
    }

    /// A part of an address with its percent-encoding undone; a `%` that begins none stays.
    static func decoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (plain, place) = ([UInt8](), 0)
        while place < bytes.count {
            let digits = String(
                decoding: bytes[min(place + 1, bytes.count)..<min(place + 3, bytes.count)], as: UTF8.self)
            if bytes[place] == UInt8(ascii: "%"), digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) {
                plain.append(byte)
                place += 3
            } else {
                plain.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func hexadecimal(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }
}
