// SPDX-License-Identifier: Apache-2.0

/// An answer of S3, which is XML of a known shape: elements without attributes that matter, no
/// comments, no CDATA (S3 API Reference; namespaces are at the root alone). Only text between tags
/// is asked for, so it is searched and not parsed; the client bounds its size. Read by `S3Delivery` on the
/// device, which uploads to a bucket, and by `S3Bucket` in the lab, which mirrors one.
package struct S3Document: Sendable, Hashable {
    private let text: Substring

    package init(_ body: [UInt8]) { text = Substring(String(decoding: body, as: UTF8.self)) }

    private init(_ text: Substring) { self.text = text }

    /// The first element of that name, whatever it lies in; nil where there is none.
    package subscript(name: String) -> String? { elements(name).first?.content }

    /// Those of that name in their order; one within another of the same name does not occur.
    package func elements(_ name: String) -> [S3Document] {
        var found: [S3Document] = []
        var rest = text
        while let start = rest.firstRange(of: "<\(name)") {
            rest = rest[start.upperBound...]
            guard let next = rest.first, next == ">" || next == " " else { continue }
            guard let open = rest.firstIndex(of: ">"), let end = rest.firstRange(of: "</\(name)>") else { break }
            guard open < end.lowerBound else { continue }
            found.append(S3Document(rest[rest.index(after: open)..<end.lowerBound]))
        }
        return found
    }

    private var content: String {
        // `&amp;` last: `&amp;lt;` is the text `&lt;`.
        let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#34;", "\""), ("&amp;", "&")]
        return named.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }

    /// As an element's text.
    package static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
