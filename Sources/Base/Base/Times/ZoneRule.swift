// SPDX-License-Identifier: Apache-2.0

/// The rule for all time after a zone file's last transition: POSIX's TZ string,
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// Times of day may lie outside one day, -167 h ... 167 h (RFC 8536 §3.3.1): Greenland
/// changes at -1 h.
struct ZoneRule: Sendable, Hashable {
    /// How a day of the year is named.
    enum Day: Sendable, Hashable {
        /// `J60`: 1...365, February 29 is never counted.
        case julian(Int)
        /// `59`: 0...365, February 29 is counted.
        case ordinal(Int)
        /// `M3.5.0`: week 1...5 (5 is the last) of month 1...12, weekday 0 (Sunday) ... 6.
        case weekday(month: Int, week: Int, day: Int)
    }

    /// A yearly change: seconds after midnight of a day, on the wall clock in force before it.
    struct Change: Sendable, Hashable {
        let day: Day
        let seconds: Int64
    }

    /// Summer time and its two changes.
    struct Daylight: Sendable, Hashable {
        let period: Zone.Period
        let start: Change
        let end: Change
    }

    let standard: Zone.Period
    let daylight: Daylight?

    /// The period in force `second` seconds after 1970.
    func period(at second: Int64) -> Zone.Period {
        guard let daylight else { return standard }
        let last = events(daylight, around: second...second).last { $0.second <= second }
        return last?.isStart == true ? daylight.period : standard
    }

    /// The seconds of `first...last` at which a period begins, ascending, each once.
    func changes(from first: Int64, through last: Int64) -> [Int64] {
        guard let daylight else { return [] }
        let seconds = events(daylight, around: first...last).map(\.second).filter { (first...last).contains($0) }
        return seconds.indices.filter { $0 == 0 || seconds[$0] != seconds[$0 - 1] }.map { seconds[$0] }
    }

    /// The changes of the years that the range touches and one more on each side, in order.
    ///
    /// A zone with summer time all the year ends it in the moment it begins again: the end
    /// comes first then.
    private func events(_ daylight: Daylight, around range: ClosedRange<Int64>) -> [(second: Int64, isStart: Bool)] {
        (Self.year(of: range.lowerBound) - 1...Self.year(of: range.upperBound) + 1).flatMap { year in
            [
                (daylight.start.second(year: year, offset: standard.offset), true),
                (daylight.end.second(year: year, offset: daylight.period.offset), false),
            ]
        }.sorted { ($0.0, $0.1 ? 1 : 0) < ($1.0, $1.1 ? 1 : 0) }
    }

    private static func year(of second: Int64) -> Int {
        LocalDate(daysSinceEpoch: Int(floorDivide(second, 86_400).quotient)).components.year
    }
}

extension ZoneRule.Change {
    /// Seconds since 1970 of the change in that year, `offset` seconds ahead of UTC being in
    /// force before it.
    func second(year: Int, offset: Int) -> Int64 {
        Int64(day.date(year: year).daysSinceEpoch) * 86_400 + seconds - Int64(offset)
    }
}

extension ZoneRule.Day {
    func date(year: Int) -> LocalDate {
        let newYear = LocalDate(firstOf: 1, year: year)
        switch self {
        case .ordinal(let number): return newYear.adding(days: number)
        case .julian(let number):
            let isLeap = LocalDate(firstOf: 1, year: year + 1).daysSinceEpoch - newYear.daysSinceEpoch == 366
            return newYear.adding(days: number - 1 + (isLeap && number >= 60 ? 1 : 0))
        case .weekday(let month, let week, let day):
            let first = LocalDate(firstOf: month, year: year)
            // A Sunday is 7 in `first.weekday` and 0 in `day`: the same modulo 7.
            let found = first.adding(days: (day - first.weekday + 14) % 7 + (week - 1) * 7)
            return found.components.month == month ? found : found.adding(days: -7)
        }
    }
}

// MARK: - Reading

extension ZoneRule {
    /// The rule that a TZ string states; nil where it is not one, also for a summer time without
    /// the days on which it begins and ends.
    init?(_ text: ArraySlice<UInt8>) {
        var text = TextCursor(text)
        // POSIX counts offsets west of Greenwich, a period has them east of it.
        guard let name = Self.name(&text), let west = Self.time(&text, hours: 24) else { return nil }
        standard = Zone.Period(offset: Int(-west), isDaylight: false, abbreviation: name)
        if text.isAtEnd {
            daylight = nil
            return
        }
        guard let daylight = Self.daylight(&text, standard: -west), text.isAtEnd else { return nil }
        self.daylight = daylight
    }

    private static func daylight(_ text: inout TextCursor, standard: Int64) -> Daylight? {
        guard let name = name(&text) else { return nil }
        var offset = standard + 3600  // POSIX's default
        if text.next != UInt8(ascii: ",") {
            guard let west = time(&text, hours: 24) else { return nil }
            offset = -west
        }
        guard let start = change(&text), let end = change(&text) else { return nil }
        let period = Zone.Period(offset: Int(offset), isDaylight: true, abbreviation: name)
        return Daylight(period: period, start: start, end: end)
    }

    private static func name(_ text: inout TextCursor) -> String? {
        let quoted = text.consume("<")
        let name = text.consume { $0.isASCIILetter || quoted && ($0.isASCIIDigit || "+-".utf8.contains($0)) }
        guard name.count >= 3, name.count <= 32, !quoted || text.consume(">") else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// `[+-]h[:mm[:ss]]` in seconds.
    private static func time(_ text: inout TextCursor, hours limit: Int) -> Int64? {
        let isNegative = text.consume("-")
        if !isNegative { _ = text.consume("+") }
        guard let hours = text.number(upTo: 3), hours <= limit else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] where text.consume(":") {
            guard let number = text.number(upTo: 2), number < 60 else { return nil }
            seconds += number * unit
        }
        return Int64(isNegative ? -seconds : seconds)
    }

    private static func change(_ text: inout TextCursor) -> Change? {
        guard text.consume(","), let day = day(&text) else { return nil }
        guard text.consume("/") else { return Change(day: day, seconds: 7200) }  // POSIX's default: 02:00
        return time(&text, hours: 167).map { Change(day: day, seconds: $0) }
    }

    private static func day(_ text: inout TextCursor) -> Day? {
        if text.consume("J") { return text.number(upTo: 3).flatMap { (1...365).contains($0) ? .julian($0) : nil } }
        guard text.consume("M") else { return text.number(upTo: 3).flatMap { $0 <= 365 ? .ordinal($0) : nil } }
        guard let month = text.number(upTo: 2), (1...12).contains(month), text.consume("."),
            let week = text.number(upTo: 1), (1...5).contains(week), text.consume("."),
            let day = text.number(upTo: 1), day <= 6
        else { return nil }
        return .weekday(month: month, week: week, day: day)
    }
}
