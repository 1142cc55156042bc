// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Writes one kind of content in one format. A new one is a file and a line in `ExportCatalog+All.swift`.
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

/// An option that only some exporters understand, as it is typed.
package enum ExportOption: String, Sendable, CaseIterable {
    case events = "--events"
    case relativeTo = "--relative-to"
}

/// What a person wants of an export.
package struct ExportOptions: Sendable {
    package var window = ExportWindow.all
    /// A recording of buttons; its presses are noted in the EDF of motion.
    package var events: String?
    /// The recording that starts at onset zero in BIDS.
    package var relativeTo: String?
    /// Files of several participants may become one.
    package var joinsParticipants = false

    package init() {}

    /// Which of the options that not all exporters understand were given.
    var given: Set<ExportOption> {
        Set(ExportOption.allCases.filter { ($0 == .events ? events : relativeTo) != nil })
    }
}
