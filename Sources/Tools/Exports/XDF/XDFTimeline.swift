// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// One clock for the recordings that `XDFExporter` joins: CLOCK_MONOTONIC, in seconds, of the boot of the first
/// file with a time of day. Recordings of another boot, or with a time of day alone, are placed by the time of
/// day.
struct XDFTimeline {
    /// Time of day since 1970 minus the clock, in seconds, at moments of the clock; a single one where it
    /// never changes, none where the time of day is unknown.
    let offsets: [(uptime: Double, offset: Double)]
    private let boot: String?
    /// The straight line through all `offsets` by which programs that read XDF correct the clock. Nil where
    /// the time of day is unknown.
    private let line: Line?
    /// From when to when each recording of this boot was made, by the time of day that it has, and what that is
    /// ahead of the clock.
    private let spans: [(from: Duration, to: Duration, offset: Duration)]

    /// Throws where a file has no place among the others.
    init(_ files: [RecordedFile]) throws(FileError) {
        let described = files.compactMap(\.description)
        let origin = described.first { Self.offset(of: $0) != nil } ?? described.first
        boot = origin?.bootID
        var offsets: [(uptime: Double, offset: Double)] = []
        var spans: [(from: Duration, to: Duration, offset: Duration)] = []
        for file in files {
            guard let description = file.description else {
                // Foreign files have a time of day alone.
                if let origin, Self.offset(of: origin) == nil {
                    throw Self.refusal(file, "the others have no time of day")
                }
                continue
            }
            let own = Self.offset(of: description)
            if description.bootID != boot, own == nil { throw Self.refusal(file, "its boot never had a time of day") }
            // A file of another boot is placed by the line; it has no part in it.
            guard description.bootID == boot, let own else { continue }
            offsets.append((description.startUptime, own.seconds))
            spans.append((own + .seconds(description.startUptime), own + .seconds(description.endUptime), own))
        }
        offsets.sort { $0.uptime < $1.uptime }
        let isSteady = Set(offsets.map(\.offset)).count == 1
        self.offsets = isSteady ? Array(offsets.prefix(1)) : offsets
        line = Line(self.offsets)
        self.spans = spans
    }

    /// The place of an uptime of that file.
    func place(uptime: Double, of file: RecordedFile) -> Double {
        guard let description = file.description, description.bootID != boot, let line,
            let own = Self.offset(of: description)
        else { return uptime }
        return line.place(own + .nanoseconds(Int64((uptime * 1e9).rounded())))
    }

    /// The place of a time of day: beside the samples of that moment, where there are some, even if the clock
    /// was set in between; else on the line. Seconds since 1970 where no file has an uptime.
    func place(_ time: Instant) -> Double {
        let time = time - .epoch
        guard let line else { return time.seconds }
        let span = spans.last { $0.from <= time && time <= $0.to }
        return span.map { (time - $0.offset).seconds } ?? line.place(time)
    }

    /// A line by least squares.
    private struct Line {
        /// At the mean of the uptimes.
        private let offset: Duration
        private let slope: Double
        private let middle: Double

        init?(_ offsets: [(uptime: Double, offset: Double)]) {
            guard let first = offsets.first else { return nil }
            let count = Double(offsets.count)
            let middle = offsets.reduce(0) { $0 + $1.uptime } / count
            // Differences to the first offset, which itself would swallow their digits.
            let rest = offsets.map { $0.offset - first.offset }
            let mean = rest.reduce(0, +) / count
            let square = offsets.reduce(0) { $0 + ($1.uptime - middle) * ($1.uptime - middle) }
            let product = zip(offsets, rest).reduce(0) { $0 + ($1.0.uptime - middle) * ($1.1 - mean) }
            self.middle = middle
            slope = square > 0 ? product / square : 0
            offset = .seconds(first.offset) + .seconds(mean)
        }

        /// Where the clock stood at that time since 1970: time = place + offset + slope · (place - middle), solved
        /// for the place.
        func place(_ time: Duration) -> Double { ((time - offset).seconds + slope * middle) / (1 + slope) }
    }

    /// Time of day since 1970 minus the clock of that recording's boot, by its first anchor.
    private static func offset(of description: RecordingDescription) -> Duration? {
        guard let anchor = description.anchors.first, let time = Instant.parsed(anchor.time) else { return nil }
        let uptime = Duration.nanoseconds(Int64((anchor.uptime * 1e9).rounded()))
        return (time - Instant.epoch) - uptime
    }

    private static func refusal(_ file: RecordedFile, _ reason: String) -> FileError {
        file.refusal("cannot be placed on one timeline with the first file, because \(reason); export it separately")
    }
}
