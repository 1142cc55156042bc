// SPDX-License-Identifier: Apache-2.0
import Times

/// Dates of the Response server, which writes `2017-03-17 11:11:11.000` without a zone.
enum MyStudiesDate {
    /// What the server gives back for a date in an answer or a property; nil for what is no date to it.
    ///
    /// It takes a day, or a stamp with milliseconds and an offset of four digits (`SurveyResult`: `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, then `yyyy-MM-dd`, read
    /// by Java's smart resolver: the 30th of February is its last day, 24:00:00.000 the next one's beginning). The offset is read over: the wall time stays.
    static func taken(_ text: String) -> String? {
        let parts = Array(text.utf8)
        let form = String(decoding: parts.map { (48...57).contains($0) ? UInt8(ascii: "9") : $0 }, as: UTF8.self)
        let isDay = form == "9999-99-99"
        guard isDay || form == "9999-99-99T99:99:99.999+9999" || form == "9999-99-99T99:99:99.999-9999" else {
            return nil
        }
        func number(_ from: Int, _ count: Int) -> Int {
            parts[from..<from + count].reduce(0) { $0 * 10 + Int($1) - 48 }
        }
        let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
        guard year > 0, (1...12).contains(month), (1...31).contains(day) else { return nil }
        let last = (0..<4).lazy.compactMap { LocalDate(year: year, month: month, day: day - $0) }.first
        guard var date = last else { return nil }
        if isDay { return "\(date) 00:00:00.000" }
        let (hour, minute, second, fraction) = (number(11, 2), number(14, 2), number(17, 2), number(20, 3))
        let (hours, minutes) = (number(24, 2), number(26, 2))
        guard minutes < 60, hours * 60 + minutes <= 18 * 60, minute < 60, second < 60 else { return nil }
        guard hour == 24 else {
            return hour < 24 ? "\(date) \(text.dropFirst(11).prefix(12))" : nil
        }
        guard minute + second + fraction == 0 else { return nil }
        date = date.adding(days: 1)
        return "\(date) 00:00:00.000"
    }

    /// What the server gives back for a date of a property, which LabKey itself reads: a day, or a stamp with or without a fraction of a second.
    static func written(_ text: String) -> String? {
        let digits = text.utf8.map { (48...57).contains($0) ? UInt8(ascii: "9") : $0 }
        let form = String(decoding: digits, as: UTF8.self)
        let fraction: Substring
        switch form {
        case "9999-99-99": return isTime(text + " 00:00:00") ? text + " 00:00:00.000" : nil
        case "9999-99-99T99:99:99+9999", "9999-99-99T99:99:99-9999": fraction = "000"
        case "9999-99-99T99:99:99.999+9999", "9999-99-99T99:99:99.999-9999": fraction = text.dropFirst(20).prefix(3)
        default: return nil
        }
        let wall = "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
        return isTime(wall) ? "\(wall).\(fraction)" : nil
    }

    /// A moment as the server of that zone writes it.
    static func written(_ instant: Instant, in zone: Zone) -> String {
        let local = zone.local(instant)
        return "\(local.date) \(local.time.text(fractionDigits: 3))"
    }

    private static func isTime(_ text: String) -> Bool { (try? LocalDateTime(parsing: text)) != nil }
}
