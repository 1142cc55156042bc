// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Its beginning on one line: line breaks and other control characters are spaces, those at the
    /// ends are gone. At most `most` characters, of four bytes each on average, so that one of many
    /// bytes (a flag, a family) does not make it longer than a reader who counts bytes takes.
    package func oneLine(_ most: Int) -> String {
        let shown = unicodeScalars.prefix(8 * most).map { $0.properties.generalCategory == .control ? " " : $0 }
        guard let last = shown.lastIndex(where: { $0 != " " }) else { return "" }
        var line = String(String(String.UnicodeScalarView(shown[...last].drop { $0 == " " })).prefix(most))
        while line.utf8.count > 4 * most { line.removeLast() }
        return line
    }
}
