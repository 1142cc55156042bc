// SPDX-License-Identifier: Apache-2.0
import Base

/// When a device recorded: a row for each channel and day, its 24 hours from left to right in the device's own
/// time, with the share that was stored. Part of a `DeviceCard`, and of the `DayPage`.
struct Actogram {
    /// Only this many of the latest days are drawn where no other number is asked for.
    static let days = 14

    /// The most days with a `wall`, since a wrong clock may put many years between two recordings.
    private static let mostDays = 3660

    /// What was recorded of one channel on one day.
    struct Row: Hashable {
        let day: LocalDate
        let kind: String
        /// From midnight, in seconds; those of `rows` are in order and more than a minute apart.
        var bars: [Range<Int>] = []
        /// Seconds of the day that are stored.
        var stored = 0.0
        /// Seconds of the day that recordings cover and say they have lost.
        var lost = 0.0
        /// Seconds of the day between the enrolment and the last recording that is here; 0 for what
        /// comes by events.
        var wall = 0
        /// Where `wall` begins and ends, in seconds after midnight.
        var begin = 0
        var end = 0

        /// Stored time over wall time, in per cent; nil where nothing can be missing.
        var coverage: Int? { wall > 0 ? Int((min(1, stored / Double(wall)) * 100).rounded()) : nil }
        /// Seconds of `wall` that no recording covers.
        var notRecorded: Int { max(0, wall - Int((stored + lost).rounded())) }

        /// Stretches of `wall` of a minute and more that no recording covers.
        var gaps: [Range<Int>] {
            var (gaps, at) = ([Range<Int>](), begin)
            for bar in bars + [end..<end] {
                if bar.lowerBound - at >= 60 { gaps.append(at..<bar.lowerBound) }
                at = max(at, bar.upperBound)
            }
            return gaps
        }
    }

    /// What is known of a participant beside the recordings that are drawn.
    struct Known: Sendable {
        /// When time begins to count; nil = with the first recording.
        var since: Instant?
        /// The end of the last recording that is here; nil = of those that are drawn.
        var until: Instant?
        /// What is to be recorded all the time.
        var channels: Set<String> = []

        init(since: Instant? = nil) { self.since = since }

        init(_ coverage: Coverage?) {
            since = coverage?.since
            until = coverage?.channels.compactMap(\.last).max()
            channels = Set(coverage?.channels.map(\.kind) ?? [])
        }
    }

    /// The latest day last; the channels of a day by name.
    let rows: [Row]
    /// The participant to whose days the drawing has links; nil = it has none.
    private let user: String?

    /// The rows of these recordings; days are drawn from the first of them on, or from the enrolment. A
    /// recording that lies in several days counts in each by its share.
    init(_ spans: [RecordedSpan], _ known: Known = Known(), days: Int = Self.days, of user: String? = nil) {
        self.user = user
        let plain = spans.filter { !$0.isOfEvents && !$0.isExtra }
        let kinds = known.channels.union(plain.map(\.kind))
        var rows: [LocalDate: [String: Row]] = [:]
        for span in Set(spans) {
            let (from, to) = span.localSeconds
            // No recording of ours is longer; a description that says otherwise fills the
            // page with nothing.
            for number in (from / 86_400)...min(to / 86_400, from / 86_400 + 31) {
                let begin = Int(max(from - number * 86_400, 0))
                let end = Int(min(to - number * 86_400, 86_400))
                guard end > begin || from == to else { continue }
                let day = LocalDate(daysSinceEpoch: Int(number))
                var row = rows[day]?[span.kind] ?? Row(day: day, kind: span.kind)
                row.bars.append(begin..<max(end, begin + 1))
                // An extra recording, made for a task, is of a time that the continuous one of its kind covers as well.
                if !span.isExtra || !kinds.contains(span.kind) {
                    // On the day of the enrolment, `wall` begins with it, and not with recordings of an earlier one.
                    let since = known.since.map { $0.seconds + Int64(span.offset) - number * 86_400 } ?? 0
                    let seconds = Double(end - (since < 86_400 ? min(end, max(begin, Int(since))) : begin))
                    row.stored += seconds * span.share
                    row.lost += seconds * (1 - span.share)
                }
                rows[day, default: [:]][span.kind] = row
            }
        }
        Self.addWalls(to: &rows, plain, kinds, known, days: days)
        self.rows = rows.keys.sorted().suffix(days).flatMap { day in
            (rows[day] ?? [:]).values.sorted { $0.kind < $1.kind }.map { row in
                var row = row
                row.bars = Self.joined(row.bars)
                return row
            }
        }
    }

    /// Sets the `wall` of each channel and day. A day in which nothing of a channel was recorded is a row
    /// without bars: it was due.
    private static func addWalls(
        to rows: inout [LocalDate: [String: Row]], _ plain: [RecordedSpan], _ kinds: Set<String>, _ known: Known,
        days: Int
    ) {
        let inOrder = plain.sorted { $0.start < $1.start }
        let latest = plain.max { $0.end < $1.end }
        guard let last = [latest?.end, known.until].compactMap(\.self).max(),
            let first = known.since ?? inOrder.first?.start
        else { return }
        let from = first.seconds + Int64(inOrder.first?.offset ?? 0)
        let to = last.seconds + Int64(latest?.offset ?? 0)
        guard from <= to else { return }
        // By how much a day was shorter, since the clock was put ahead on it.
        var skipped: [Int64: Int] = [:]
        for (before, after) in zip(inOrder, inOrder.dropFirst()) where before.offset != after.offset {
            skipped[after.localSeconds.start / 86_400, default: 0] += after.offset - before.offset
        }
        for number in max(from / 86_400, to / 86_400 - Int64(min(days, mostDays)))...(to / 86_400) {
            let day = LocalDate(daysSinceEpoch: Int(number))
            let begin = Int(max(from - number * 86_400, 0))
            let end = Int(min(to - number * 86_400, 86_400))
            let wall = end - begin - skipped[number, default: 0]
            for kind in kinds where wall > 0 {
                var row = rows[day]?[kind] ?? Row(day: day, kind: kind)
                (row.begin, row.end, row.wall) = (begin, end, wall)
                rows[day, default: [:]][kind] = row
            }
        }
    }

    /// The drawing, with how long the device was worn where that is known; nothing without recordings.
    func html(_ worn: [LocalDate: WornTime] = [:]) -> HTML {
        guard !rows.isEmpty else { return .none }
        var days: [HTML] = []
        for (index, row) in rows.enumerated() {
            if index == 0 || rows[index - 1].day != row.day { days.append(head(row.day, worn[row.day])) }
            days.append(Self.lane(row))
        }
        return """
            <h3>Coverage per channel and day, and wear, in the device's own time</h3><div class="lanes">\(DayLanes.hours)\(days)</div>
            """
    }

    private func head(_ day: LocalDate, _ worn: WornTime?) -> HTML {
        let words: HTML = worn.map { " <small>\($0.words)</small>" } ?? .none
        guard let user else { return "<div class=\"day\">\(day.description)\(words)</div>" }
        return """
            <div class="day"><a href="/?user=\(Page.percentEncoded(user))&amp;day=\(day.description)">\(day.description)</a>\(words)</div>
            """
    }

    static func lane(_ row: Row) -> HTML {
        let share = row.coverage.map { "\($0) %" } ?? ""
        return DayLanes.lane(
            row.kind, words: row.bars.isEmpty ? "nothing recorded" : "recorded \(DayLanes.words(row.bars))",
            shapes: DayLanes.path(row.bars, colour: Self.colour(row.kind)),
            end: (row.coverage ?? 100) < 90 ? "<span class=\"bad\">\(share)</span>" : "\(share)")
    }

    /// A variable of the page's style sheet.
    private static func colour(_ kind: String) -> String {
        ["accelerometer": "b", "gyroscope": "b", "magnetometer": "b", "sound": "c"][kind] ?? "a"
    }

    /// Bars that overlap, or are at most a minute apart, become one.
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
