// SPDX-License-Identifier: Apache-2.0

/// Text within HTML, SVG and XML 1.0.
package enum Markup {
    /// Safe between tags and in attributes with quotes of either kind. Characters that XML 1.0
    /// cannot hold (§2.2), C1 controls and those that reverse what a reader sees become U+FFFD.
    package static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..<"\u{9}", "\u{B}", "\u{C}", "\u{E}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}", "\u{FFFE}", "\u{FFFF}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
