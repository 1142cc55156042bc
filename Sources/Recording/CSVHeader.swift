// SPDX-License-Identifier: Apache-2.0
import Times

/// The lines of our CSV files that are not rows. Each begins with `#` or a letter, and no row does.
enum CSVHeader {
    static func write(_ context: SegmentContext, columns: [String], units: [String], to out: inout [UInt8]) {
        let source = context.source
        out += "#studyd recording=\(context.number) measure=\(clean(context.measure.identifier))\n".utf8
        out += "#device \(clean(source.device)) at \(clean(source.location)), \(source.nominalRate) per second\n".utf8
        if !units.isEmpty { out += "#units \(units.joined(separator: ","))\n".utf8 }
        out += "time,uptime,\(columns.map(clean).joined(separator: ","))\n".utf8
    }

    static func write(_ gap: RecordingGap, to out: inout [UInt8]) {
        out += "#gap uptime=\(TimeText.uptime(gap.time)) samples=\(gap.samples) reason=\(gap.reason)\n".utf8
    }

    /// Without anything that would end a line or a column.
    private static func clean(_ text: String) -> String {
        String(text.map { $0 == "\n" || $0 == "\r" || $0 == "," ? " " : $0 })
    }
}

/// Numbers as text of fixed decimals, without Foundation.
enum Decimals {
    /// Decimals that show a tenth of a step, 0...9.
    static func needed(step: Double) -> Int {
        guard step > 0, step.isFinite else { return 6 }
        return max(0, min(9, Int((1 - Trigonometry.logarithm10(step)).rounded(.up))))
    }

    /// The number with so many decimals; empty for one that is none.
    static func text(_ value: Double, _ decimals: Int) -> String {
        let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        let scaled = (value * factor).rounded()
        guard abs(scaled) < 9e18 else { return "" }
        let whole = Int64(scaled)
        guard decimals > 0 else { return "\(whole)" }
        let unit = Int64(factor)
        let sign = whole < 0 ? "-" : ""
        return "\(sign)\(abs(whole) / unit).\(TimeText.padded(Int(abs(whole) % unit), decimals))"
    }
}
