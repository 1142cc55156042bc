// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What an address or the text of a QR code says of a study: `https://example.org/1234-KEY`, the
/// same with `app-` before it, or `survey-12345-KEY` with a questionnaire's id; `esmira:` means
/// https.
///
/// Parsed as the app's `QrInterpreter.kt` does (ESMira-apps f750e58), with greedy patterns that
/// split at the last slash. Used when a study is claimed (`ESMiraPlatform`) and fetched
/// (`ESMiraServer.offer`).
struct ESMiraAddress: Sendable, Hashable {
    /// With its scheme, up to the last slash.
    let server: String
    var accessKey = ""
    /// The number of the study, or of a questionnaire in it; nil where the address has none.
    var study: Int?
    var questionnaire: Int?
    /// The address of another server, which is asked when `server` cannot be reached; nil where none
    /// is named.
    var fallback: String?
    /// True where any web page could have this address: it names only a server, or ends with a word
    /// that may be an access key or a file name.
    var isPlain: Bool { study == nil && questionnaire == nil && !isMarked }
    /// It has what only addresses of ESMira have: a fallback, `esmira:`, `app-` or `survey-`.
    private var isMarked = false

    /// Nil for any other text. A text without a scheme is taken as https.
    init?(_ text: String) {
        var text = Substring(text)
        if let mark = text.firstRange(of: "?fallback") {
            fallback = Self.decoded(text[mark.upperBound...].drop { $0 == "=" })
            isMarked = true
            text = text[..<mark.lowerBound]
        }
        if text.hasPrefix("esmira:") {
            text = "https" + text.dropFirst(6)
            isMarked = true
        }
        guard let slash = text.lastIndex(of: "/"), text.first != "/" else { return nil }
        let place = text[...slash]
        server = place.contains("://") ? String(place) : "https://" + place
        guard server.hasPrefix("http"), server.split(separator: "/").count >= 2 else { return nil }
        guard readTail(text[text.index(after: slash)...]) else { return nil }
    }

    private mutating func readTail(_ tail: Substring) -> Bool {
        var tail = tail
        let isSurvey = tail.hasPrefix("survey-") && tail.dropFirst(7).first?.isNumber == true
        for head in ["app-", "survey-"] where tail.hasPrefix(head) && (head == "app-" || isSurvey) {
            tail = tail.dropFirst(head.count)
            isMarked = true
            break
        }
        let digits = tail.prefix { $0.isNumber }
        var rest = tail.dropFirst(digits.count)
        if !digits.isEmpty {
            guard let number = Int(digits) else { return false }
            if isSurvey { questionnaire = number } else { study = number }
        }
        if rest.first == "-" { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return true }
        accessKey = rest.lowercased()
        // The app's pattern requires at least two letters here; `--access-key` accepts one.
        return rest.count > 1 && ESMiraOptions.isKey(accessKey)
    }

    /// Decodes base64, padded with "=" or not; nil where it is not that, or not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        let letters = String(text.prefix { $0 != "=" })
        let filled = letters + String(repeating: "=", count: (4 - letters.count % 4) % 4)
        guard let bytes = Data(base64Encoded: filled), !bytes.isEmpty else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
