// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Its beginning on one line, to be kept or sent: line breaks and other control characters are spaces, those at the
    /// ends are gone. At most `most` characters and 4 × `most` bytes of UTF-8, for receivers that limit
    /// bytes: one character (a flag, a family) can have dozens.
    package func oneLine(_ most: Int) -> String {
        let shown = unicodeScalars.prefix(8 * most).map { $0.properties.generalCategory == .control ? " " : $0 }
        guard let last = shown.lastIndex(where: { $0 != " " }) else { return "" }
        var line = String(String(String.UnicodeScalarView(shown[...last].drop { $0 == " " })).prefix(most))
        while line.utf8.count > 4 * most { line.removeLast() }
        return line
    }

    /// The whole text on one line, for a person and safe for a terminal: control characters and line breaks as `\u{1B}`.
    package var shown: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
