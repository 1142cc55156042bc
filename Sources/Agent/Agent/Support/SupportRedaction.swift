// SPDX-License-Identifier: Apache-2.0

/// Cuts out of the texts in a `SupportBundle` what they must not contain: names and answers that are known, and
/// whatever looks like an address of a person, a secret, a position or somebody's own words. Pure.
///
/// In doubt it cuts: a fault can be understood without what was quoted.
package struct SupportRedaction: Sendable {
    package static let mark = "(cut)"
    /// Shorter names are not cut out: they would tear ordinary words apart.
    private static let shortest = 3
    /// A word of letters and digits as long as this, or longer, is taken for a key or a token.
    private static let longestWord = 20
    /// A number with at least as many digits after the point is taken for a coordinate or an answer.
    private static let privateDecimals = 3
    /// The longest first, so that a name within another one does not leave a rest of it.
    private let names: [String]

    /// `names` are what is known to be private: participants, answers, tokens.
    package init(names: [String]) {
        self.names = Set(names.filter { $0.count >= Self.shortest }).sorted { ($1.count, $0) < ($0.count, $1) }
    }

    /// The text with everything private replaced by `mark`.
    package func clean(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(separator: "\n")
    }

    private func line(_ text: String) -> String {
        var text = text
        for name in names { text = text.replacing(name, with: Self.mark) }
        return Self.words(Self.withoutQuotations(text))
    }

    // MARK: - Quotations

    private static let quotes: [Character: Character] = ["\"": "\"", "“": "”", "„": "“", "«": "»", "`": "`"]

    /// Text in quotation marks may be a participant's or a server's words.
    private static func withoutQuotations(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let character = rest.popFirst() {
            result.append(character)
            let isApostrophe = character == "'" && (result.dropLast().last?.isLetter ?? false)
            let end = character == "'" && !isApostrophe ? "'" : quotes[character]
            guard let end, let place = rest.firstIndex(of: end) else { continue }
            result += mark + String(end)
            rest = rest[rest.index(after: place)...]
        }
        return result
    }

    // MARK: - Words

    /// Whether `character` ends the word before it; in an address (`://`) it may be part of the query.
    private static func ends(_ word: String, _ character: Character) -> Bool {
        if character.isWhitespace || "\"'“”„«»`<>".contains(character) { return true }
        return "(),;[]{}=|".contains(character) && !word.contains("://")
    }

    private static func words(_ text: String) -> String {
        var (result, word) = ("", "")
        for character in text {
            guard ends(word, character) else {
                word.append(character)
                continue
            }
            result += cleaned(word) + String(character)
            // An NMEA sentence: what follows its first comma may be a position.
            if word.hasPrefix("$"), character == "," { return result + mark }
            word = ""
        }
        return result + cleaned(word)
    }

    private static func cleaned(_ word: String) -> String {
        if word.contains("@") || word.contains("°") { return mark }
        if let scheme = word.firstRange(of: "://") { return origin(word, scheme.upperBound) }
        if isDetailedNumber(word) || hasHardwareAddress(word) { return mark }
        return word.split(separator: "/", omittingEmptySubsequences: false).map { isSecret($0) ? mark : String($0) }
            .joined(separator: "/")
    }

    private static func origin(_ address: String, _ start: String.Index) -> String {
        let host = address[start...].prefix { !"/?#".contains($0) }
        let rest = host.endIndex < address.endIndex ? "/" + mark : ""
        return "\(address[..<start])\(host)\(rest)"
    }

    private static func isDetailedNumber(_ word: String) -> Bool {
        let trimmed = word.drop { "+-±~≈".contains($0) }
        guard let point = trimmed.firstIndex(of: ".") else { return false }
        let decimals = trimmed[trimmed.index(after: point)...].prefix { $0.isNumber }
        return trimmed.first?.isNumber == true && decimals.count >= privateDecimals
    }

    /// `aa:bb:cc:dd:ee:ff`: the kernel names batteries and inputs of Bluetooth devices by their address.
    private static func hasHardwareAddress(_ word: String) -> Bool {
        word.utf8.count { $0 == UInt8(ascii: ":") } >= 5
            && word.firstRange(of: /[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}/) != nil
    }

    private static func isSecret(_ word: Substring) -> Bool {
        guard word.count >= longestWord else { return false }
        let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-_.~".contains($0)) }
        return isPlain && word.contains { $0.isNumber } && word.contains { $0.isLetter }
    }
}
