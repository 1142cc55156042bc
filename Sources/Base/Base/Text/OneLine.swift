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

    /// The whole text on one line, for a person and safe for a terminal: control characters, line breaks and
    /// what reverses the order of letters as `\u001B`, which is the same character within JSON.
    package var shown: String { escaped(except: []) }

    /// The same with line breaks and tabs, for texts that have several lines of their own.
    package var shownLines: String { escaped(except: ["\n", "\t"]) }

    /// Paragraphs: the lines after the first are indented, so that none of them looks like one of the program's.
    package func shown(indent: Int) -> String {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).escaped(except: ["\t"]) }
            .joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    private func escaped(except kept: [Unicode.Scalar]) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\u{0}"..<"\u{20}" where !kept.contains(scalar), "\u{7F}"..<"\u{A0}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                text += "\\u" + scalar.value.padded(4, radix: 16).uppercased()
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
