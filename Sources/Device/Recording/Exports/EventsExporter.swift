// SPDX-License-Identifier: Apache-2.0
import Base

/// Presses as an events file of BIDS, and as EDF+ of annotations alone.
///
/// Source: bids-specification, "Task events": tab-separated, `onset` and `duration` in seconds
/// first, `onset` since the first data point of the recording that it goes with, `trial_type`; what
/// is not known is `n/a`.
package enum EventsExporter {
    /// Writes an `events.tsv`; onsets count from the start of `recording`, or of the file
    /// of presses itself.
    package static func bids(
        _ files: [RecordedFile], window: ExportWindow, since recording: RecordedFile?, to output: ExportOutput
    ) throws(RecordingError) {
        let presses = try presses(files, window)
        let zero = try Zero(recording ?? files.first)
        output.text("onset\tduration\ttrial_type\tbutton\trepeats\n")
        for press in presses {
            guard let onset = zero.seconds(to: press) else { continue }
            output.number(onset, 6)
            output.text("\t")
            if let duration = press.duration { output.number(duration, 6) } else { output.text("n/a") }
            output.text("\t\(word(press.meaning))\t\(word(press.button))\t\(press.repeats)\n")
            try output.drain()
        }
    }

    /// Writes EDF+C that holds annotations only.
    package static func edf(
        _ files: [RecordedFile], window: ExportWindow, to output: ExportOutput
    ) throws(RecordingError) {
        let presses = try presses(files, window)
        guard let first = files.first else { return }
        let offset = first.description?.offsetSeconds ?? 0
        let known = presses.compactMap { press in press.time.map { (press, $0 + .seconds(offset)) } }
        guard let begin = known.first?.1 ?? first.description?.startDate.flatMap(Instant.parsed) else {
            throw .format(
                path: first.file.path,
                problem: "has no press with a time of day, so it cannot be exported as edf; choose bids")
        }
        let start = Instant(seconds: begin.seconds)
        var bytes = Array("+0\u{14}\u{14}\0".utf8)
        for (press, time) in known {
            bytes += EDFNote(time: time, duration: press.duration ?? 0, text: press.text).bytes(since: start)
        }
        if bytes.count % 2 == 1 { bytes.append(0) }
        output.bytes(
            EDFField.head(
                patient: EDFField.word(first.description?.participant),
                device: EDFField.word(first.description?.device), start: start, isKnown: true,
                records: 1, duration: "0", signals: 1))
        let fields: [(String, Int)] = [
            (EDFField.notes, 16), ("", 80), ("", 8), ("-1", 8), ("1", 8), ("-32768", 8), ("32767", 8), ("", 80),
            ("\(bytes.count / 2)", 8), ("", 32),
        ]
        for (text, width) in fields { output.bytes(EDFField.bytes(text, width)) }
        output.bytes(bytes)
        try output.drain()
    }

    private static func presses(
        _ files: [RecordedFile], _ window: ExportWindow
    ) throws(RecordingError) -> [ButtonPress] {
        var presses: [ButtonPress] = []
        for file in files {
            let offset = file.description?.offsetSeconds ?? 0
            presses += try ButtonLog.presses(file).filter { window.contains($0.time, offset: offset) }
        }
        return presses.sorted { ($0.time ?? .epoch, $0.uptime) < ($1.time ?? .epoch, $1.uptime) }
    }

    /// BIDS has no empty cells.
    private static func word(_ text: String) -> String {
        text.isEmpty ? "n/a" : String(text.map { $0 == "\t" || $0.isNewline ? " " : $0 })
    }

    /// The moment that onsets count from.
    private struct Zero {
        private let bootID: String?
        private let uptime: Double?
        private let time: Instant?

        init(_ file: RecordedFile?) throws(RecordingError) {
            bootID = file?.description?.bootID
            uptime = file?.description?.startUptime
            var time = file?.description?.startDate.flatMap(Instant.parsed)
            if time == nil, let file, file.content == .motion {
                let timeline = try CWATimeline(file)
                let offset = MotionSeries.offset(timeline.reader.header, nil) ?? 0
                time = try timeline.next().map { $0.start - .seconds(offset) }
            }
            self.time = time
        }

        func seconds(to press: ButtonPress) -> Double? {
            if let uptime, bootID == press.bootID { return press.uptime - uptime }
            return press.time.flatMap { pressed in time.map { (pressed - $0).seconds } }
        }
    }
}
