// SPDX-License-Identifier: Apache-2.0
import Base

/// Counts what is in an NMEA log or our CSV, for the summary of a file without a description: `FileInspector`
/// adds every line, in order.
struct TextSurvey {
    var sentences = 0
    var rows = 0
    var first: Instant?
    var last: Instant?
    /// Seconds from the first time to the last.
    var duration: Double { first.flatMap { first in last.map { ($0 - first).seconds } } ?? 0 }
    private var badSums = 0
    private var fixes = 0
    private var gaps = 0
    /// Samples or bytes that are missing, as the file's gap lines say.
    private(set) var lost = 0
    /// Bytes of all sentences but ours; `FileInspector` counts them.
    var bytes = 0
    /// Samples per row: a row of levels covers a second of sound.
    private(set) var samplesPerRow = 1
    private(set) var isOurs = false
    private var nominalRate = 1.0

    var remarks: [String] {
        var remarks: [String] = []
        if fixes > 0 { remarks.append("valid fixes (RMC): \(fixes)") }
        if badSums > 0 { remarks.append("sentences with a wrong checksum: \(badSums)") }
        if gaps > 0 { remarks.append("gaps: \(gaps)") }
        return remarks
    }

    mutating func add(_ line: ArraySlice<UInt8>) {
        guard let byte = line.first else { return }
        if let gap = TextGap(line) { lost = min(1 << 48, lost + gap.count) }
        switch byte {
        case UInt8(ascii: "$"): addSentence(line)
        case UInt8(ascii: "#"): addComment(line)
        case 48...57, UInt8(ascii: ","): addRow(line)
        default: break
        }
    }

    private mutating func addComment(_ line: ArraySlice<UInt8>) {
        if line.starts(with: "#gap".utf8) { gaps += 1 }
        if line.starts(with: "#studyd ".utf8) { isOurs = true }
        if line.starts(with: "#device ".utf8) { nominalRate = ParsedCSVHeader.rate(line) ?? 1 }
        if line.starts(with: "#levels ".utf8) { samplesPerRow = max(1, Int(min(1e6, nominalRate.rounded()))) }
    }

    private mutating func addRow(_ line: ArraySlice<UInt8>) {
        guard line.contains(UInt8(ascii: ",")) else { return }
        rows += 1
        extendSpan(to: Instant.parsed(String(decoding: line.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)))
    }

    private mutating func addSentence(_ line: ArraySlice<UInt8>) {
        guard let body = NMEAFraming.body(line) else {
            badSums += 1
            return
        }
        let fields = String(decoding: body, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        if fields[0] == "PSTDY" {
            isOurs = true
            // `$PSTDY,G` is a gap, `$PSTDY,E,<uptime>,<UTC>` the beginning of an epoch (`NMEAWriter`).
            if fields.count > 1, fields[1] == "G" { gaps += 1 }
            if fields.count > 3, fields[1] == "E" { extendSpan(to: Instant.parsed(String(fields[3]))) }
            return
        }
        sentences += 1
        guard fields[0].hasSuffix("RMC"), fields.count > 9, fields[2] == "A" else { return }
        fixes += 1
        extendSpan(to: Self.moment(time: fields[1], date: fields[9]))
    }

    private mutating func extendSpan(to moment: Instant?) {
        guard let moment else { return }
        if first == nil { first = moment }
        last = moment
    }

    /// `hhmmss.sss` and `ddmmyy` of an RMC; years from 69 on are of the last century. Receivers
    /// with a week count that has rolled over are not corrected here.
    private static func moment(time: Substring, date: Substring) -> Instant? {
        func number(_ text: Substring, _ place: Int) -> Int? { Int(text.dropFirst(place).prefix(2)) }
        guard time.count >= 6, date.count == 6, let hour = number(time, 0), let minute = number(time, 2),
            let second = number(time, 4), let day = number(date, 0), let month = number(date, 2),
            let year = number(date, 4),
            let date = LocalDate(year: year < 69 ? 2000 + year : 1900 + year, month: month, day: day),
            let time = LocalTime(hour: hour, minute: minute, second: min(59, second))
        else { return nil }
        return LocalDateTime(date, time).instant(offset: 0)
    }
}
