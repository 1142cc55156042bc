// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    /// The Extensible Data Format of Lab Streaming Layer's recorder.
    package static let xdf = ExportFormat(rawValue: "xdf")
}

/// Recordings of one span as an XDF file: a stream for each measure, presses as markers, all on one clock. For
/// `studyd-tools export --to xdf` and the lab's `XDFExport`, which adds prompts and answers. Every sample has
/// its time, so that nothing depends on a rate.
package struct XDFExporter: Exporter {
    package let content: RecordedContent
    package let format = ExportFormat.xdf
    package let joinsContents = true

    package init(_ content: RecordedContent) { self.content = content }

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        try Self.export(files, wanted.window, markers: [], to: output, progress: progress)
    }

    /// Writes the wanted part of these files, and each list of `markers` as a further stream.
    package static func export(
        _ files: [RecordedFile], _ window: ExportWindow, markers: [XDFMarkers], to output: ExportOutput,
        progress: (Double) -> Void
    ) throws(FileError) -> [String] {
        let timeline = try XDFTimeline(files)
        var writer = XDFWriter(to: output, begun: files.compactMap(\.description?.startDate).min())
        var (notes, done): ([String], Int) = ([], 0)
        for measure in measures(files) {
            let stream = XDFMeasure(files: measure, window: window, timeline: timeline)
            notes += try stream.write(to: &writer) { share in
                progress((Double(done) + share * Double(measure.count)) / Double(files.count))
            }
            done += measure.count
        }
        for list in markers {
            writer.open(.markers(list.name), offsets: timeline.offsets)
            for event in list.events { try writer.add(event.text, at: timeline.place(event.time)) }
            try writer.close()
        }
        return notes
    }

    /// The files of each stream, in the order of their first.
    private static func measures(_ files: [RecordedFile]) -> [[RecordedFile]] {
        var measures: [(key: [String], files: [RecordedFile])] = []
        for file in files {
            let description = file.description
            // A stream has one rate and the same channels throughout; a measure may change both.
            let key = [
                file.content.title, file.stepPath, description?.task?.run ?? "", description?.participant ?? "",
                "\(description?.deviceNumber ?? 0)", "\(description?.nominalRate ?? 0)",
                (description?.channels ?? []).map { "\($0.name) \($0.unit)" }.joined(separator: ","),
            ]
            if let known = measures.firstIndex(where: { $0.key == key }) {
                measures[known].files.append(file)
            } else {
                measures.append((key, [file]))
            }
        }
        return measures.map(\.files)
    }
}
