// SPDX-License-Identifier: Apache-2.0
import Base

/// Marks along a line of time, one row per kind, as an inline SVG in the `DeviceCard`.
struct Timeline {
    struct Mark: Hashable {
        let at: Instant
        let isRepeated: Bool
    }

    private struct DrawnMark: Hashable {
        let x: Int
        let isRepeated: Bool
    }

    struct Row {
        let name: String
        let colour: String
        let marks: [Mark]
    }

    let rows: [Row]
    /// Seconds east of UTC at which days begin.
    let offset: Int

    static let width = 1000
    private static let left = 84
    private static let rowHeight = 20
    /// Beyond this only the latest part is drawn.
    private static let longest: Duration = .seconds(60 * 86_400)

    var html: HTML {
        let times = rows.flatMap { $0.marks.map(\.at) }
        guard let last = times.max(), let first = times.min() else { return .none }
        let span = max(.seconds(3600), min(Self.longest, last - first))
        let start = last - span
        let height = rows.count * Self.rowHeight + 20
        let lines = rows.enumerated().map { line($0.element, at: $0.offset * Self.rowHeight + 12, from: start, span) }
        return """
            <h3>Over time, in the device's own time <span class="narrow">\(keys)</span></h3><div class="scroll late" tabindex="0" role="region" aria-label="Over time"><svg viewBox="0 0 \(Self.width) \(height)" role="img"
            aria-label="What happened over time">\(axis(from: start, span, height: height))\(lines)</svg></div>
            """
    }

    /// What the colours mean, where the names of the rows are out of sight.
    private var keys: HTML {
        "\(rows.map { "<i class=\"key\" style=\"background:\($0.colour)\"></i> \($0.name)" as HTML })"
    }

    private func position(_ instant: Instant, from start: Instant, _ span: Duration) -> Int {
        let room = Double(Self.width - Self.left - 12)
        let share = (instant - start).seconds / span.seconds
        return Self.left + Int(room * (share.isFinite ? max(0, min(1, share)) : 0))
    }

    private func line(_ row: Row, at y: Int, from start: Instant, _ span: Duration) -> HTML {
        // Marks at the same place are drawn once: thousands of them cost nothing then.
        let drawn = Set(
            row.marks.filter { $0.at >= start }.map { mark in
                DrawnMark(x: position(mark.at, from: start, span), isRepeated: mark.isRepeated)
            })
        // A repeated one comes after another at the same place.
        let sorted = drawn.sorted { $0.x == $1.x ? !$0.isRepeated && $1.isRepeated : $0.x < $1.x }
        let marks = sorted.map { mark in
            """
            <rect x="\(mark.x - 1)" y="\(y - 6)" width="3" height="12" rx="1.5" fill="\(row.colour)"\(
            mark.isRepeated ? " fill-opacity=\".4\"" as HTML : .none)/>
            """ as HTML
        }
        return """
            <text x="0" y="\(y + 4)">\(row.name)</text><line x1="\(Self.left)" y1="\(y)" x2="\(Self.width - 10)" y2="\(y)"
            stroke="var(--line)"/>\(marks)
            """
    }

    /// Ticks at whole hours, parts of a day or days, whichever gives about a dozen.
    private func axis(from start: Instant, _ span: Duration, height: Int) -> HTML {
        let steps = [300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 2 * 86_400, 7 * 86_400]
        let step = steps.first { span.seconds / Double($0) <= 12 } ?? 14 * 86_400
        let local = start.seconds + Int64(offset)
        var tick = (local / Int64(step) + 1) * Int64(step)
        var ticks: [HTML] = []
        while Instant(seconds: tick - Int64(offset)) < start + span {
            let moment = Instant(seconds: tick - Int64(offset))
            let text = moment.shown(offset: offset)
            let label =
                step >= 86_400 || tick % 86_400 == 0 ? text.dropFirst(5).prefix(5) : text.dropFirst(11).prefix(5)
            let x = position(moment, from: start, span)
            ticks.append(
                """
                <line x1="\(x)" y1="2" x2="\(x)" y2="\(height - 18)" stroke="var(--line)"/>
                <text x="\(x)" y="\(height - 4)" text-anchor="middle">\(label)</text>
                """)
            tick += Int64(step)
        }
        return "\(ticks)"
    }
}
