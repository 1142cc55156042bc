// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    /// An events file of the Brain Imaging Data Structure.
    package static let bids = ExportFormat(rawValue: "bids")
}

/// Presses as an events file of BIDS (Brain Imaging Data Structure), for `studyd-tools export --to bids`.
///
/// Source: bids-specification, "Task events": tab-separated, `onset` and `duration` in seconds
/// first, `onset` since the first data point of the recording that it goes with, `trial_type`; what
/// is not known is `n/a`.
package struct BIDSExporter: Exporter {
    package let content = RecordedContent.table
    package let format = ExportFormat.bids
    package let options: Set<ExportOption> = [.relativeTo]

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        var since: RecordedFile?
        if let path = wanted.relativeTo { since = try RecordedFile(path) }
        return try Self.export(files, window: wanted.window, since: since, to: output)
    }

    /// Writes an `events.tsv`; onsets count from the start of `recording`, or of the file
    /// of presses itself. Says what is left out.
    static func export(
        _ files: [RecordedFile], window: ExportWindow, since recording: RecordedFile?, to output: ExportOutput
    ) throws(FileError) -> [String] {
        let presses = try ButtonLog.presses(files, window)
        let zero = try Zero(recording ?? files.first)
        output.text("onset\tduration\ttrial_type\tbutton\trepeats\n")
        let known = presses.compactMap { press in zero.seconds(to: press).map { (press: press, onset: $0) } }
        for (press, onset) in known.sorted(by: { $0.onset < $1.onset }) {
            output.number(onset, 6)
            output.text("\t")
            if let duration = press.duration { output.number(duration, 6) } else { output.text("n/a") }
            output.text("\t\(word(press.meaning))\t\(word(press.button))\t\(press.repeats)\n")
            try output.drain()
        }
        let left = presses.count - known.count
        guard left > 0, let name = (recording ?? files.first)?.name else { return [] }
        return ["\(Plural.of(left, "press", "presses")) without a clock in common with \(name) left out"]
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

        init(_ file: RecordedFile?) throws(FileError) {
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
