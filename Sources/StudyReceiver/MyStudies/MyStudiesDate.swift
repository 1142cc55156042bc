// SPDX-License-Identifier: Apache-2.0
import Times

/// Dates of the Response server, which writes `2017-03-17 11:11:11.000` without a zone.
enum MyStudiesDate {
    /// What the server gives back for a date in an answer or a property; nil for what is no date to it.
    ///
    /// It takes a day, or a stamp with or without a fraction of a second; the stamp's offset is read over: the wall time stays.
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
