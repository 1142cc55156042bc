// SPDX-License-Identifier: Apache-2.0
import Base

/// Replaces the times in the sentences of a recorded log, so that a simulated receiver that plays it
/// sends the board's time.
///
/// NMEA 0183: field 1 of RMC, GGA, GNS, GST, GBS, GRS and ZDA and field 5 of GLL are the time
/// of day `hhmmss.ss`; field 9 of RMC is the date `ddmmyy`, fields 2 to 4 of ZDA are day, month and year.
/// The checksum is the exclusive or of the bytes between `$` and `*`. An empty field stays empty:
/// the receiver had no time yet.
enum SentenceTime {
    /// The bytes of whole sentences with their times replaced; other lines stay as they are.
    static func stamp(_ sentences: [UInt8], _ moment: Instant) -> [UInt8] {
        let utc = Zone.utc.local(moment)
        return sentences.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            stamp(line, utc)
        }.joined(separator: [UInt8(ascii: "\n")]).map { $0 }
    }

    private static func stamp(_ line: ArraySlice<UInt8>, _ utc: LocalDateTime) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix("$"), let star = text.lastIndex(of: "*") else { return Array(line) }
        var fields = text[text.index(after: text.startIndex)..<star].split(
            separator: ",", omittingEmptySubsequences: false
        ).map(String.init)
        let values = values(fields[0].suffix(3), utc)
        guard !values.isEmpty else { return Array(line) }
        for (index, value) in values where fields.indices.contains(index) && !fields[index].isEmpty {
            fields[index] = value
        }
        let body = fields.joined(separator: ",")
        let sum = body.utf8.reduce(UInt8(0), ^)
        let end = text.hasSuffix("\r") ? "\r" : ""
        return Array("$\(body)*\(hex(sum >> 4))\(hex(sum & 15))\(end)".utf8)
    }

    private static func values(_ type: Substring, _ utc: LocalDateTime) -> [(Int, String)] {
        let (year, month, day) = utc.date.components
        let time = utc.time.hour.padded(2) + utc.time.minute.padded(2) + utc.time.second.padded(2) + ".00"
        switch type {
        case "RMC": return [(1, time), (9, day.padded(2) + month.padded(2) + (year % 100).padded(2))]
        case "ZDA": return [(1, time), (2, day.padded(2)), (3, month.padded(2)), (4, String(year))]
        case "GGA", "GNS", "GST", "GBS", "GRS": return [(1, time)]
        case "GLL": return [(5, time)]
        default: return []
        }
    }

    private static func hex(_ nibble: UInt8) -> String { String(nibble, radix: 16, uppercase: true) }
}
