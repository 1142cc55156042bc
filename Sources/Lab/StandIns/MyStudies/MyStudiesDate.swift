// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// Dates of the Response server, which writes `2017-03-17 11:11:11.000` without a zone, for the types of the
/// stand-in that play that server.
enum MyStudiesDate {
    /// What the server gives back for a date in an answer; nil for what is no date to it.
    ///
    /// It takes a day, or a stamp with milliseconds and an offset of four digits
    /// (`SurveyResult`: `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, then `yyyy-MM-dd`). The offset is
    /// ignored: the wall time stays.
    static func taken(_ text: String) -> String? {
        guard text.utf8.count == 10 || text.utf8.count == 28, let date = written(text) else { return nil }
        // Java's offsets reach to 18 hours.
        let (hours, minutes) = (Int(text.suffix(4).prefix(2)) ?? 0, Int(text.suffix(2)) ?? 0)
        return text.utf8.count == 10 || minutes < 60 && hours * 60 + minutes <= 18 * 60 ? date : nil
    }

    /// What the server gives back for a date of a property, which LabKey itself reads: a day, or a
    /// stamp with or without a fraction of a second.
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
