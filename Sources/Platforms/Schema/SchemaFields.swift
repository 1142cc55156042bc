// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Fields as schema's app takes them: it is JavaScript, and shows what it finds.
extension Findings {
    /// A text as the app shows it, a number spelled out; "" where it is absent.
    mutating func shown(_ key: String, in place: JSONPlace) -> String {
        place.member(key).flatMap { shown($0) } ?? ""
    }

    /// The text of a value; a list or an object is no text.
    mutating func shown(_ child: JSONPlace) -> String? {
        guard let text = child.shown else {
            expected("a text", at: child)
            return nil
        }
        if child.text == nil { assume("taken as the text \"\(text)\", as the app shows it", at: child) }
        return text
    }

    /// A text as the app shows it, without its HTML.
    mutating func plain(_ key: String, in place: JSONPlace) -> String {
        PlainText(html: shown(key, in: place)).text
    }

    /// Texts of an array that may be absent.
    mutating func shownTexts(_ key: String, in place: JSONPlace) -> [String] {
        guard place.member(key) != nil else { return [] }
        return array(key, of: "texts", in: place).compactMap { shown($0) }
    }

    mutating func object(_ key: String, in place: JSONPlace) -> JSONPlace? {
        guard let child = place.member(key) else {
            missing(key, "an object", in: place)
            return nil
        }
        return objects([child], "an object").first
    }
}

extension JSONPlace {
    /// A number cut to a whole one as JavaScript does for dates; a text that spells one will do.
    /// nil where there is none, which is no finding.
    func whole(_ key: String, rounding rule: FloatingPointRoundingRule = .towardZero) -> Int? {
        // In JavaScript a blank text is 0.
        let child = member(key)
        let isBlank = child?.text.map { $0.allSatisfy(\.isWhitespace) } ?? false
        guard let number = isBlank ? 0 : child?.number, abs(number) < 1e12 else { return nil }
        return Int(number.rounded(rule))
    }

    /// Where a module has `key`: newer momenTUM files put some of its fields into `params`.
    func holder(of key: String) -> JSONPlace {
        guard let params = member("params"), params.member(key) != nil else { return self }
        return params
    }
}

/// Fields of alerts that schema and momenTUM have in common, under other keys.
extension Findings {
    mutating func clockTime(_ hours: Int, _ minutes: Int, at place: JSONPlace) -> ClockTime? {
        let time = ClockTime(minutes: hours * 60 + minutes)
        if let time, !(0...23 ~= hours && 0...59 ~= minutes) {
            warn("not a time of day; it is counted on to \(time.time) of day \(time.day) from there", at: place)
        }
        return time
    }

    mutating func randomInterval(_ key: String, in alerts: JSONPlace) -> Int {
        guard flag("random", in: alerts) else { return 0 }
        return integer(key, 0...14_400, in: alerts) ?? 0
    }

    mutating func timeout(
        _ key: String, in alerts: JSONPlace, unit: StudyOptions.TimeoutUnit?, isSticky: Bool
    ) -> Duration? {
        guard flag("timeout", in: alerts) else { return nil }
        guard !isSticky else {
            assume("a sticky module has no time limit, as in the app", for: "timeout", in: alerts)
            return nil
        }
        guard let number = integer(key, 0...315_360_000_000, in: alerts), let place = alerts.member(key) else {
            return nil
        }
        let timeout = SchemaTimeout(number, unit: unit)
        if timeout.isDoubtful { warn(timeout.message, at: place) } else { assume(timeout.message, at: place) }
        return timeout.duration
    }
}
