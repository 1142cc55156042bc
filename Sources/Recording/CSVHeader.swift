// SPDX-License-Identifier: Apache-2.0
import Times

/// The lines of our CSV files that are not rows. Each begins with `#` or a letter, and no row does.
enum CSVHeader {
    static func write(_ context: SegmentContext, columns: [String], units: [String], to out: inout [UInt8]) {
        let source = context.source
        out += "#studyd recording=\(context.number) measure=\(clean(context.measure.identifier))\n".utf8
        let rate = source.nominalRate > 0 ? ", \(source.nominalRate) per second" : ""
        out += "#device \(clean(source.device)) at \(clean(source.location))\(rate)\n".utf8
        if let mounting = source.mounting { out += "#mount \(CWAWriter.text(mounting))\n".utf8 }
        if let place = context.measure.bodyLocation { out += "#worn \(clean(place))\n".utf8 }
        if !units.isEmpty { out += "#units \(units.joined(separator: ","))\n".utf8 }
        out += "time,uptime,\(columns.map(clean).joined(separator: ","))\n".utf8
    }

    static func write(_ gap: RecordingGap, to out: inout [UInt8]) {
        out += "#gap uptime=\(TimeText.uptime(gap.time)) samples=\(gap.samples) reason=\(gap.reason)\n".utf8
    }

    /// Without anything that would end a line or a column.
    static func clean(_ text: String) -> String {
        String(text.map { $0 == "\n" || $0 == "\r" || $0 == "," ? " " : $0 })
    }
}
