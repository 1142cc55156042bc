// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The units of configuration and command line, longest first, with their nanoseconds. A day
    /// is 24 hours here.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ("ms", 1_000_000), ("us", 1000), ("ns", 1),
    ]

    /// `20s`, `5m`, `1h30m`, `250ms`, `2d`; `0s` for none, `-5m` for less. Cut to the nanosecond.
    package var text: String {
        var rest = nanoseconds.magnitude
        if rest == 0 { return "0s" }
        var text = nanoseconds < 0 ? "-" : ""
        for unit in Self.units {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: UInt64(unit.nanoseconds))
            if count > 0 { text += "\(count)\(unit.name)" }
            rest = remainder
        }
        return text
    }

    /// The duration of a text: whole numbers with the units d, h, m, s, ms, us, ns, longest first,
    /// each at most once. A bare number is refused, since its unit is unknown. Throws
    /// `TimeTextError`.
    package init(parsing text: String) throws(TimeTextError) {
        let error = TimeTextError(text: text, expected: "a duration; use e.g. 20s or 1h30m")
        var cursor = TextCursor(text)
        let isNegative = cursor.consume("-")
        var total: Int64 = 0
        var units = Self.units[...]
        repeat {
            guard let part = cursor.part(&units) else { throw error }
            let (sum, over) = total.addingReportingOverflow(part)
            if over { throw error }
            total = sum
        } while !cursor.isAtEnd
        self = .nanoseconds(isNegative ? -total : total)
    }
}

extension TextCursor {
    /// A number and one of `units`, in nanoseconds; takes that unit and the longer ones away.
    fileprivate mutating func part(_ units: inout ArraySlice<(name: String, nanoseconds: Int64)>) -> Int64? {
        guard let count = number(upTo: 18) else { return nil }
        let name = String(decoding: consume { $0.isSmallASCIILetter }, as: UTF8.self)
        guard let place = units.firstIndex(where: { $0.name == name }) else { return nil }
        let (product, over) = Int64(count).multipliedReportingOverflow(by: units[place].nanoseconds)
        units = units[(place + 1)...]
        return over ? nil : product
    }
}
