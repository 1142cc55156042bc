// SPDX-License-Identifier: Apache-2.0

/// A header value of the form `token; name=value; name="quoted value"` (RFC 9110 §5.6), such as the
/// `Content-Type` of a form.
package struct HeaderValue {
    /// The part before the first `;`, lowercased: the media type or the disposition.
    package let token: String
    /// The parameters; names are lowercased, the first of a name counts.
    package let parameters: [String: String]

    /// Nil when the syntax is broken.
    package init?(_ text: String) {
        var rest = Substring(text)
        token = Self.consume(&rest) { $0 != ";" }.trimmed.lowercased()
        var parameters: [String: String] = [:]
        while rest.first == ";" {
            rest.removeFirst()
            let name = Self.consume(&rest) { $0 != "=" && $0 != ";" }.trimmed.lowercased()
            if name.isEmpty, rest.first != "=" { continue }
            guard rest.first == "=" else { return nil }
            rest.removeFirst()
            guard let value = Self.value(&rest) else { return nil }
            if parameters[name] == nil { parameters[name] = value }
        }
        guard !token.isEmpty else { return nil }
        self.parameters = parameters
    }

    private static func value(_ rest: inout Substring) -> String? {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else { return String(consume(&rest) { $0 != ";" }.trimmed) }
        rest.removeFirst()
        var value = ""
        while let next = rest.popFirst() {
            switch next {
            case "\"":
                _ = consume(&rest) { $0 == " " || $0 == "\t" }
                return value
            // Browsers send a lone backslash in file names; only an escaped quote or backslash
            // is an escape here.
            case "\\" where rest.first == "\"" || rest.first == "\\": value.append(rest.removeFirst())
            default: value.append(next)
            }
        }
        return nil
    }

    private static func consume(_ rest: inout Substring, while matches: (Character) -> Bool) -> Substring {
        let taken = rest.prefix(while: matches)
        rest = rest[taken.endIndex...]
        return taken
    }
}
