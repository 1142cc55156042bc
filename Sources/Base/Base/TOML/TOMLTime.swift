// SPDX-License-Identifier: Apache-2.0

/// How dates and times are spelt (RFC 3339), for `TOMLParser`. Leap seconds and the year 0 are refused, as
/// Python does.
enum TOMLTime {
    /// The date, the time, or both with or without an offset, with `T` and `Z`; nil for what is none of them.
    static func spelling(of word: String) -> String? {
        var clock = TextCursor(word)
        if clock.time(needsSeconds: true, allowsLeapSecond: false) != nil { return clock.isAtEnd ? word : nil }
        var rest = TextCursor(word)
        guard let date = rest.date(), date.components.year > 0 else { return nil }
        if rest.isAtEnd { return word }
        guard rest.consumeDateEnd(), rest.time(needsSeconds: true, allowsLeapSecond: false) != nil,
            rest.isAtEnd || rest.offset() != nil, rest.isAtEnd
        else { return nil }
        return "\(word.prefix(10))T\(word.dropFirst(11))".replacing("z", with: "Z")
    }
}
