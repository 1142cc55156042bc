// SPDX-License-Identifier: Apache-2.0
import Base

/// When a device recorded: a row for each channel and day, its 24 hours from left to right in the
/// device's own time, with the share that was stored.
struct Actogram {
    /// Only this many of the latest days are drawn.
    static let days = 14
    private static let (left, right, rowHeight) = (150, 64, 16)
    private static let width = 1000

    /// What was recorded of one channel on one day.
    struct Row: Hashable {
        let day: LocalDate
        let kind: String
        /// From midnight, in seconds.
        var bars: [Range<Int>] = []
        /// Seconds of the day that are stored.
        var stored = 0.0
        /// Seconds of the day between the enrolment and the last recording that is here; 0 for what
        /// comes by events.
        var wall = 0

        /// Stored time over wall time, in per cent; nil where nothing can be missing.
        var coverage: Int? { wall > 0 ? Int((min(1, stored / Double(wall)) * 100).rounded()) : nil }
    }

    /// The latest day last; the channels of a day by name.
    let rows: [Row]

    /// Of these recordings; days are drawn from the first of them on, or from the enrolment. One
    /// that lies in several days counts in each by its share.
    init(_ spans: [RecordedSpan], since enrolled: Instant? = nil) {
        var rows: [LocalDate: [String: Row]] = [:]
        for span in Set(spans) {
            let (from, to) = (span.start.seconds + Int64(span.offset), span.end.seconds + Int64(span.offset))
            // No recording of ours is longer; a description that says otherwise fills the
            // page with nothing.
            for number in (from / 86_400)...min(to / 86_400, from / 86_400 + 31) {
                let begin = Int(max(from - number * 86_400, 0))
                let end = Int(min(to - number * 86_400, 86_400))
                guard end > begin || from == to else { continue }
                let day = LocalDate(daysSinceEpoch: Int(number))
                var row = rows[day]?[span.kind] ?? Row(day: day, kind: span.kind)
                row.bars.append(begin..<max(end, begin + 1))
                row.stored += Double(end - begin) * span.share
                rows[day, default: [:]][span.kind] = row
            }
        }
        Self.addWalls(to: &rows, spans, since: enrolled)
        self.rows = rows.keys.sorted().suffix(Self.days).flatMap { day in
            (rows[day] ?? [:]).values.sorted { $0.kind < $1.kind }.map { row in
                var row = row
                row.bars = Self.joined(row.bars)
                return row
            }
        }
    }

    /// A day in which nothing of a channel was recorded is a row without bars: it was due.
    private static func addWalls(
        to rows: inout [LocalDate: [String: Row]], _ spans: [RecordedSpan], since enrolled: Instant?
    ) {
        let plain = spans.filter { !$0.isOfEvents && !$0.isExtra }
        guard let latest = plain.max(by: { $0.end < $1.end }), let first = enrolled ?? plain.map(\.start).min() else {
            return
        }
        let (from, to) = (first.seconds + Int64(latest.offset), latest.end.seconds + Int64(latest.offset))
        guard from <= to else { return }
        for number in max(from / 86_400, to / 86_400 - Int64(days))...(to / 86_400) {
            let day = LocalDate(daysSinceEpoch: Int(number))
            let wall = Int(min(to - number * 86_400, 86_400) - max(from - number * 86_400, 0))
            for kind in Set(plain.map(\.kind)) where wall > 0 {
                rows[day, default: [:]][kind, default: Row(day: day, kind: kind)].wall = wall
            }
        }
    }

    /// The drawing; nothing without recordings.
    var html: HTML {
        guard !rows.isEmpty else { return .none }
        let height = rows.count * Self.rowHeight + 22
        let lines = rows.enumerated().map { line($0.element, at: $0.offset) }
        return """
            <h3>Coverage per channel and day, in the device's own time</h3><div class="scroll"><svg class="acto" viewBox="0 0 \(Self.width) \(height)" role="img"
            aria-label="When each channel was recorded">\(hours(height))\(lines)</svg></div>
            """
    }

    private func hours(_ height: Int) -> HTML {
        let ticks = stride(from: 0, through: 24, by: 6).map { hour in
            let x = Self.position(hour * 3600)
            return """
                <line x1="\(x)" y1="0" x2="\(x)" y2="\(height - 18)" stroke="var(--line)"/>
                <text x="\(x)" y="\(height - 4)" text-anchor="middle">\(hour):00</text>
                """ as HTML
        }
        return "\(ticks)"
    }

    private func line(_ row: Row, at index: Int) -> HTML {
        let y = index * Self.rowHeight
        let isFirst = index == 0 || rows[index - 1].day != row.day
        let bars = row.bars.map { bar in
            let x = Self.position(bar.lowerBound)
            let title = "\(Self.clock(bar.lowerBound))–\(Self.clock(bar.upperBound))"
            return """
                <rect x="\(x)" y="\(y + 3)" width="\(max(1, Self.position(bar.upperBound) - x))" height="\(Self.rowHeight - 5)"
                fill="var(--\(Self.colour(row.kind)))"><title>\(title)</title></rect>
                """ as HTML
        }
        let day: HTML = isFirst ? "<text x=\"0\" y=\"\(y + 12)\">\(row.day.description.dropFirst(5))</text>" : .none
        return """
            \(day)<text x="44" y="\(y + 12)">\(row.kind)</text>\(bars)<text x="\(Self.width)" y="\(y + 12)" text-anchor="end"\(
            (row.coverage ?? 100) < 90 ? " class=\"bad\"" as HTML : .none)>\(row.coverage.map { "\($0) %" } ?? "")</text>
            """
    }

    private static func colour(_ kind: String) -> String {
        ["accelerometer": "b", "gyroscope": "b", "magnetometer": "b", "sound": "c"][kind] ?? "a"
    }

    private static func position(_ second: Int) -> Int { left + (width - left - right) * second / 86_400 }

    private static func clock(_ second: Int) -> String {
        "\(second / 3600):\((second / 60 % 60).padded(2))"
    }

    /// Bars that touch or lie over each other are one.
    private static func joined(_ bars: [Range<Int>]) -> [Range<Int>] {
        bars.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, bar in
            if let last = joined.last, bar.lowerBound <= last.upperBound + 60 {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, bar.upperBound)
            } else {
                joined.append(bar)
            }
        }
    }
}
