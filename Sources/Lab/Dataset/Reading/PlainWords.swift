// SPDX-License-Identifier: Apache-2.0
import Base

/// Words of a study, without markup, for the readers of codebooks.
enum PlainWords {
    /// Tags that stand within a line.
    private static let inline: Set = ["b", "i", "u", "em", "strong", "span", "font", "a", "sub", "sup", "small"]

    /// The text without HTML tags, and with single spaces.
    static func of(_ value: JSONText?) -> String {
        var (text, rest) = ("", (value?.plain ?? "")[...])
        while let start = rest.firstIndex(of: "<") {
            let name = rest[rest.index(after: start)...].drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            // `3 < 4` is no tag.
            guard !name.isEmpty, let end = rest[start...].firstIndex(of: ">") else {
                text += rest[...start]
                rest = rest[rest.index(after: start)...]
                continue
            }
            text += rest[..<start] + (inline.contains(name.lowercased()) ? "" : " ")
            rest = rest[rest.index(after: end)...]
        }
        text += rest
        for (entity, sign) in [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
            text = text.replacing(entity, with: sign)
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
