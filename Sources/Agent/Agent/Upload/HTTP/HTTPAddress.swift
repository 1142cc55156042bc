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

    private static func hexadecimal(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }
}
