// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What schema's app takes without a word where its files are not as they should be: it is
/// JavaScript, and shows what it finds.
extension SchemaDecoder {
    /// A text as the app shows it, a number spelled out; "" where it is absent.
    mutating func shown(_ key: String, in place: JSONPlace) -> String {
        place.member(key).flatMap { shown($0) } ?? ""
    }

    /// The text of a value; a list or an object is no text.
    mutating func shown(_ child: JSONPlace) -> String? {
        guard let text = child.shown else {
            findings.expected("a text", at: child)
            return nil
        }
        if child.text == nil { findings.assume("taken as the text \"\(text)\", as the app shows it", at: child) }
        return text
    }

    /// Texts of an array that may be absent.
    mutating func shownTexts(_ key: String, in place: JSONPlace) -> [String] {
        guard place.member(key) != nil else { return [] }
        return findings.array(key, of: "texts", in: place).compactMap { shown($0) }
    }

    /// A number cut to a whole one as JavaScript does for dates; a text that spells one will do.
    /// nil where there is none, without a word.
    func whole(_ key: String, in place: JSONPlace, rounding rule: FloatingPointRoundingRule = .towardZero) -> Int? {
        // In JavaScript a text without anything in it is 0.
        let child = place.member(key)
        let isBlank = child?.text.map { $0.allSatisfy(\.isWhitespace) } ?? false
        guard let number = isBlank ? 0 : child?.number, abs(number) < 1e12 else { return nil }
        return Int(number.rounded(rule))
    }
}

/// Unique names, made of names that may occur twice.
struct UniqueKeys {
    private var taken: Set<String> = []

    /// The wish itself, or the first of "wish (2)", "wish (3)", ... that nothing has.
    mutating func key(for wish: String) -> String {
        var key = wish
        var number = 2
        while !taken.insert(key).inserted {
            key = "\(wish) (\(number))"
            number += 1
        }
        return key
    }
}
