// SPDX-License-Identifier: Apache-2.0
import Base

/// The lines of our CSV files that are not rows, as the CSV writers of this folder write them. Each begins with
/// `#` or a letter, and no row does.
package enum CSVHeader {
    static func write(_ context: SegmentContext, columns: [String], units: [String], to out: inout [UInt8]) {
        let source = context.source
        out += "#studyd recording=\(context.number) measure=\(clean(context.measure.identifier))\n".utf8
        let rate = source.nominalRate > 0 ? ", nominally \(source.nominalRate) per second" : ""
        out += "#device \(clean(source.device)) at \(clean(source.location))\(rate)\n".utf8
        if let mounting = source.mounting { out += "#mount \(CWAWriter.text(mounting))\n".utf8 }
        if let place = context.measure.bodyLocation { out += "#worn \(clean(place))\n".utf8 }
        if !units.isEmpty { out += "#units \(units.joined(separator: ","))\n".utf8 }
        out += "time,uptime,\(columns.map(clean).joined(separator: ","))\n".utf8
    }

    static func write(_ gap: RecordingGap, to out: inout [UInt8]) {
        let (start, end) = (UptimeText.text(gap.start), UptimeText.text(gap.time))
        out += "#gap start=\(start) end=\(end) samples=\(gap.samples) reason=\(gap.reason)\n".utf8
    }

    /// Without anything that would end a line or a column.
    package static func clean(_ text: String) -> String {
        String(text.map { $0.isNewline || $0 == "\t" || $0 == "," ? " " : $0 })
    }
}

/// What the lines before the rows of one of our CSV files say, for `CSVCheck`, `CSVTable` and `TableFileGaps`.
struct ParsedCSVHeader {
    /// The recording's number; nil for a table that is not one of our recordings.
    private(set) var number: Int?
    /// Samples per second that were asked for.
    private(set) var rate: Double?
    /// Of the columns after `time` and `uptime`.
    private(set) var units: [String] = []
    /// With `time` and `uptime`; empty until the header line has come.
    private(set) var columns: [String] = []
    /// Rows are seconds of sound levels.
    private(set) var isLevels = false
    /// A row of levels covers a second of samples.
    var samplesPerRow: Int { isLevels ? max(1, Int((rate ?? 1).rounded())) : 1 }

    /// Takes a line that is no row.
    mutating func read(_ line: ArraySlice<UInt8>) {
        let text = String(decoding: line.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        if text.hasPrefix("#studyd recording=") {
            number = text.dropFirst(18).split(separator: " ").first.flatMap { Int($0) }
        }
        if text.hasPrefix("#device ") { rate = Self.rate(line) }
        if text.hasPrefix("#units ") { units = Self.units(of: text) }
        if text.hasPrefix("#levels ") { isLevels = true }
        if text.hasPrefix("time,") { columns = text.split(separator: ",").map(String.init) }
    }

    /// One for each column after `uptime`; empty for a column without a unit.
    static func units(of line: String) -> [String] {
        line.dropFirst("#units ".count).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// The rate at the end of a `#device` line; nil for one that cannot be.
    static func rate(_ line: ArraySlice<UInt8>) -> Double? {
        let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count > 3, words.suffix(2).joined(separator: " ") == "per second" else { return nil }
        return Double(words[words.count - 3]).flatMap { $0 > 0 && $0 < 1e7 ? $0 : nil }
    }
}
