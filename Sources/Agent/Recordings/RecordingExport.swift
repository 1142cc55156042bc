// SPDX-License-Identifier: Apache-2.0
import Recording

/// Exports one recording file: for `studyd recordings export`.
public enum RecordingExport {
    /// Writes `path` as `format` to `output` and finishes it. `progress` gets the share that is done, 0...1. Returns what the
    /// person should know, such as damage; throws where the file cannot become that, and says what it can.
    public static func run(
        _ path: String, as format: ExportFormat, to output: () throws(RecordingError) -> ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(RecordingError) -> [String] {
        let source = try RecordedFile(path)
        try source.check(format)
        let output = try output()
        var notes: [String] = []
        switch (source.content, format) {
        case (.motion, .csv): try CWACSVExporter.export(source, to: output, progress: progress)
        case (.motion, .edf): try EDFExporter.export(source, to: output, progress: progress)
        case (.motion, _), (.table, .sageJSON): try SageMotionExporter.export(source, to: output, progress: progress)
        case (.table, _): try TextExporter.export(source, to: output, progress: progress)
        case (.sound, _):
            if try WAVExporter.export(source, to: output, progress: progress) {
                notes.append("\(path): frames are damaged or cut, and not in the export")
            }
        case (.sentences, .gpx): try GPXExporter.export(source, to: output, progress: progress)
        case (.sentences, .sageJSON): try SageLocationExporter.export(source, to: output, progress: progress)
        case (.sentences, _): try PositionCSVExporter.export(source, to: output, progress: progress)
        }
        try output.finish()
        return notes
    }
}
