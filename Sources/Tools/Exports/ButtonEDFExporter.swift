// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Exports button presses as an EDF+ file (edfplus.info) with annotations and no measured signal: one data record
/// of all presses that have a time of day.
package struct ButtonEDFExporter: Exporter {
    package let content = RecordedContent.table
    package let format = ExportFormat.edf

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        let presses = try ButtonLog.presses(files, wanted.window)
        guard let first = files.first else { return [] }
        let offset = first.description?.offsetSeconds ?? 0
        let known = presses.compactMap { press in press.time.map { (press, $0 + .seconds(offset)) } }
        guard let begin = known.first?.1 ?? first.description?.startDate.flatMap(Instant.parsed) else {
            throw first.refusal("has no press with a time of day, so it cannot be exported as edf; choose bids")
        }
        let start = Instant(seconds: begin.seconds)
        // The annotation without text that gives a record's start: 0 seconds after that of the file.
        var bytes = Array("+0\u{14}\u{14}\0".utf8)
        for (press, time) in known {
            bytes += EDFAnnotation(time: time, duration: press.duration ?? 0, text: press.text).bytes(since: start)
        }
        if bytes.count % 2 == 1 { bytes.append(0) }  // A sample has two bytes.
        output.bytes(
            EDFField.head(
                patient: EDFField.word(first.description?.participant),
                device: EDFField.word(first.description?.device), start: start, isDateKnown: true,
                records: 1, duration: "0", signals: 1))
        // The header of the annotation signal: label, transducer, unit, physical and digital limits, filter, samples
        // per record, reserved.
        let fields: [(String, Int)] = [
            (EDFField.annotationLabel, 16), ("", 80), ("", 8), ("-1", 8), ("1", 8), ("-32768", 8), ("32767", 8),
            ("", 80), ("\(bytes.count / 2)", 8), ("", 32),
        ]
        for (text, width) in fields { output.bytes(EDFField.bytes(text, width)) }
        output.bytes(bytes)
        try output.drain()
        let left = presses.count - known.count
        return left > 0 ? ["\(Plural.of(left, "press", "presses")) without a time of day left out"] : []
    }
}
