// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Fields of a study as ESMira's editor saves them: what is absent has the app's default. For all readers of
/// ESMira studies.
extension Findings {
    /// A text that the editor keeps as HTML, as plain text. A picture in it is left out, and a finding says so.
    mutating func plain(_ key: String, in place: JSONPlace) -> String {
        let html = text(key, in: place)
        if html.contains("<img"), let at = place.member(key) {
            unsupported("a picture within the text is left out", at: at)
        }
        return PlainText(html: html).text
    }

    /// A text that the apps show as it is written, tags and all (`LikertView.kt`, `LikertStruct.swift`). Each run of
    /// white space becomes one blank.
    mutating func literal(_ key: String, in place: JSONPlace) -> String { Self.folded(text(key, in: place)) }

    static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// A whole number, or a text that spells one; the default where it is absent.
    mutating func number(_ key: String, _ range: ClosedRange<Int>, in place: JSONPlace, default usual: Int) -> Int {
        guard place.member(key) != nil else { return usual }
        return integer(key, range, in: place) ?? usual
    }

    mutating func flag(_ key: String, in place: JSONPlace, default usual: Bool) -> Bool {
        place.member(key) == nil ? usual : flag(key, in: place)
    }

    /// 0 where it is absent, or no number.
    func decimal(_ key: String, in place: JSONPlace) -> Double { place.member(key)?.node.decimal ?? 0 }

    /// The objects of a list that may be absent.
    mutating func list(_ key: String, of what: String, in place: JSONPlace) -> [JSONPlace] {
        guard place.member(key) != nil else { return [] }
        return objects(array(key, of: what, in: place), "an object")
    }
}

extension JSONNode {
    /// A number, or a text that spells one in Swift's way; finite.
    var decimal: Double? {
        switch content {
        case .number(let text), .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}
