// SPDX-License-Identifier: Apache-2.0
import Base

/// Makes addresses as people and servers write them into what `HTTPClient` sends and `RequestSigner` signs.
enum HTTPAddress {
    /// The address with what a path or a query may not contain percent-encoded, as browsers do
    /// (WHATWG URL, query percent-encode set): blanks, quotation marks, angle brackets, and
    /// whatever is not ASCII. What is encoded already stays, and so does the host.
    static func encoded(_ address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return address }
        let path = address[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? address.endIndex
        return address[..<path] + PercentCode.encoded(String(address[path...]), keeping: kept)
    }

    private static let kept = String(
        decoding: (0x21...0x7E as ClosedRange<UInt8>).filter { !"\"<>".utf8.contains($0) }, as: UTF8.self)

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
}
