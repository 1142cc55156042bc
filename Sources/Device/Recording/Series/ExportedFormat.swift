// SPDX-License-Identifier: Apache-2.0

/// A format with a content of its own, which brings what such files can become: of
/// `content.exports` it is asked for, and for nothing else.
protocol ExportedFormat: FormatKind {
    /// Writes the wanted part of some files, in their order, as one. Returns what the person should
    /// know, such as damage. `progress` gets the share that is done, 0...1.
    func export(
        _ sources: [RecordedFile], as format: ExportFormat, window: ExportWindow, to output: ExportOutput,
        progress: (Double) -> Void
    ) throws(RecordingError) -> [String]
}

extension RecordedFile {
    /// The same, by the first file's format; throws where that brings nothing.
    package static func export(
        _ sources: [RecordedFile], as format: ExportFormat, window: ExportWindow, to output: ExportOutput,
        progress: (Double) -> Void
    ) throws(RecordingError) -> [String] {
        guard let first = sources.first else { return [] }
        guard let kind = first.kind as? any ExportedFormat else {
            throw .format(path: first.file.path, problem: "is \(first.content.title), which cannot be exported")
        }
        return try kind.export(sources, as: format, window: window, to: output, progress: progress)
    }
}
