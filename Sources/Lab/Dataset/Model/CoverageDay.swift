// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// How many seconds of one day a kind of recording, such as `accelerometer`, covers. The day is divided into
/// `stored`, `lost` and `notRecorded`. `TableSet` writes the days as `coverage.csv`.
package struct CoverageDay: Sendable, Hashable {
    package let day: LocalDate
    package let kind: String
    /// The part of the day between the enrolment, or the first recording where that is earlier, and the
    /// participant's last recording, also one outside of the window, as far as it was asked for.
    package private(set) var wall = 0.0
    package private(set) var stored = 0.0
    /// Missing within recordings.
    package private(set) var lost = 0.0
    package var notRecorded: Double { max(0, wall - stored - lost) }

    /// The days of what is recorded all the time and has a rate. They are by the wall clock: by the offset of the
    /// recording that began last, before the first one by the first's.
    package static func days(of record: ParticipantRecord) -> [CoverageDay] {
        guard let all = record.recorded ?? RecordedTime(of: record.recordings) else { return [] }
        let enrolled = record.participant.enrolments.compactMap(\.began).min()
        let since = min(enrolled?.instant ?? all.first, all.first)
        let offsets = all.offsets
        var days: [[String]: CoverageDay] = [:]
        for kind in all.kinds {
            for part in parts(since, all.last, offsets, record.window) {
                days[[part.day.description, kind], default: CoverageDay(day: part.day, kind: kind)].wall += part.seconds
            }
        }
        for recording in record.recordings where recording.isRecordedAllTheTime {
            guard let kind = recording.description?.kind, let start = recording.start, let end = recording.end else {
                continue
            }
            let share = recording.filled ?? 1
            for part in parts(start.instant, end.instant, offsets, record.window) {
                days[[part.day.description, kind]]?.stored += part.seconds * share
                days[[part.day.description, kind]]?.lost += part.seconds * (1 - share)
            }
        }
        return days.values.sorted { ($0.day, $0.kind) < ($1.day, $1.kind) }
    }

    private init(day: LocalDate, kind: String) { (self.day, self.kind) = (day, kind) }

    /// A span cut at midnight, by the window, and where the wall clock was moved: a day may come in several parts.
    /// `offsets` are the moments from which the clock was as far ahead of UTC, in order.
    private static func parts(
        _ start: Instant, _ end: Instant, _ offsets: [StudyTime], _ window: ExportWindow
    ) -> [(day: LocalDate, seconds: Double)] {
        // No wall clock is further from UTC than that.
        let earliest = window.walls(offset: 0).from.map { $0 - .seconds(26 * 3600) }
        var (parts, from): ([(day: LocalDate, seconds: Double)], Instant) = ([], max(start, earliest ?? start))
        // A wrong clock may put years between two recordings; this bounds the work.
        for _ in 0..<4000 + offsets.count {
            guard from < end else { break }
            let offset = (offsets.last { $0.instant <= from } ?? offsets.first)?.offset ?? 0
            let day = LocalDateTime(from, offset: offset).date
            let midnight = LocalDateTime(day.adding(days: 1), .midnight).instant(offset: offset)
            let moved = offsets.first { $0.instant > from }?.instant ?? end
            let next = min(end, midnight, moved)
            let (walls, ahead) = (window.walls(offset: offset), Duration.seconds(offset))
            let begin = max(from, walls.from.map { $0 - ahead } ?? from)
            let stop = min(next, walls.until.map { $0 - ahead } ?? next)
            if begin < stop { parts.append((day, Double((stop - begin).nanoseconds) / 1e9)) }
            from = next
        }
        return parts
    }
}

/// The time over which a participant recorded, with the kinds and the wall clocks. `WindowedDataset` notes it
/// before it leaves out recordings, which `CoverageDay` has to know of.
package struct RecordedTime: Sendable, Hashable {
    fileprivate let first: Instant
    fileprivate let last: Instant
    fileprivate let kinds: Set<String>
    /// The moments from which the wall clock was as far ahead of UTC, in order.
    fileprivate let offsets: [StudyTime]

    /// Nil where nothing among them is recorded all the time.
    init?(of recordings: [StudyRecording]) {
        let kept = recordings.filter(\.isRecordedAllTheTime)
        guard let first = kept.compactMap(\.start).min(), let last = kept.compactMap(\.end).max() else { return nil }
        (self.first, self.last) = (first.instant, last.instant)
        kinds = Set(kept.compactMap { $0.description?.kind })
        offsets = kept.compactMap(\.start).filter { $0.offset != nil }.sorted().reduce(into: [StudyTime]()) {
            if $0.last?.offset != $1.offset { $0.append($1) }
        }
    }
}

extension StudyRecording {
    /// Recorded beside no task, with a rate and known times.
    fileprivate var isRecordedAllTheTime: Bool { !isExtra && !isOfEvents && start != nil && end != nil }
}
