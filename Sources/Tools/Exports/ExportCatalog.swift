// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// The exporters there are (`standard`), from which `RecordingExport` takes the one for a file and a format.
package struct ExportCatalog: Sendable {
    /// In the order of the help; one for each content and format.
    package let exporters: [any Exporter]

    package init(_ exporters: [any Exporter]) { self.exporters = exporters }

    package var formats: [ExportFormat] { unique(exporters.map(\.format)) }

    package var contents: [RecordedContent] { unique(exporters.map(\.content)) }

    /// The formats to which files of that content can be exported.
    package func formats(of content: RecordedContent) -> [ExportFormat] {
        exporters.filter { $0.content == content }.map(\.format)
    }

    /// `CWA motion: csv, edf, sage-json`, a line for each content.
    package var help: [String] {
        contents.map { "\($0.title): \(formats(of: $0).map(\.rawValue).joined(separator: ", "))" }
    }

    /// Throws where the file cannot be exported to that format, and names those to which it can.
    func exporter(of file: RecordedFile, as format: ExportFormat) throws(FileError) -> any Exporter {
        if let found = exporters.first(where: { $0.content == file.content && $0.format == format }) { return found }
        let possible = formats(of: file.content).map(\.rawValue).joined(separator: ", ")
        throw file.refusal(
            possible.isEmpty
                ? "is \(file.content.title), which cannot be exported"
                : "cannot export \(file.content.title) as \(format); choose \(possible)")
    }

    /// Throws where an option means nothing to the exporter, and names those to which it does.
    func check(_ options: ExportOptions, for exporter: any Exporter) throws(FileError) {
        for option in ExportOption.allCases where options.given.subtracting(exporter.options).contains(option) {
            let those = exporters.filter { $0.options.contains(option) }.map { "\($0.format) of \($0.content.title)" }
            throw .format(path: option.rawValue, problem: "only applies to \(those.joined(separator: ", "))")
        }
    }

    private func unique<Name: Hashable>(_ names: [Name]) -> [Name] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
