// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Writes one kind of content in one format. A new one is a file and a line in `ExportCatalog+All.swift`.
/// `RecordingExport` calls `export`.
package protocol Exporter: Sendable {
    var content: RecordedContent { get }
    var format: ExportFormat { get }
    /// True where files of several contents, each of which can be exported to this format, become one file.
    var joinsContents: Bool { get }
    /// Which options it understands besides those of every export.
    var options: Set<ExportOption> { get }

    /// Writes the wanted part of some files of its content, in their order, as one. Returns what
    /// the person should know, such as damage. `progress` gets the share that is done, 0...1.
    func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String]
}

/// An exporter that takes only the options of every export, and returns no notes.
package protocol WindowedExporter: Exporter {
    static func export(
        _ files: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError)
}

extension WindowedExporter {
    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        try Self.export(files, window: wanted.window, to: output, progress: progress)
        return []
    }
}

extension Exporter {
    package var options: Set<ExportOption> { [] }
    package var joinsContents: Bool { false }
}
