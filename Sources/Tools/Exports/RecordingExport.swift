// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Exports recording files: for `studyd-tools export`.
package enum RecordingExport {
    /// Writes files of one content, or of several where the format joins them, as `format` to
    /// `output` and finishes it. `progress` gets the share that is done, 0...1. Returns what the
    /// person should know, such as damage; throws where a file cannot be exported so.
    package static func run(
        _ paths: [String], as format: ExportFormat, _ options: ExportOptions = ExportOptions(),
        by catalog: ExportCatalog = .standard, to output: () throws(FileError) -> ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        var files: [RecordedFile] = []
        for path in paths { files.append(try RecordedFile(path)) }
        return try run(files, as: format, options, by: catalog, to: output, progress: progress)
    }

    static func run(
        _ files: [RecordedFile], as format: ExportFormat, _ options: ExportOptions, by catalog: ExportCatalog,
        to output: () throws(FileError) -> ExportOutput, progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        guard let first = files.first else { throw .format(path: "", problem: "no file given") }
        let exporter = try catalog.exporter(of: first, as: format)
        for file in files {
            _ = try catalog.exporter(of: file, as: format)
            if file.content != first.content, !exporter.joinsContents {
                throw file.refusal(
                    "is \(file.content.title), but the first file is \(first.content.title); export them separately")
            }
        }
        try catalog.check(options, for: exporter)
        if !options.joinsParticipants {
            var all = files
            for path in [options.events, options.relativeTo].compactMap(\.self) { all.append(try RecordedFile(path)) }
            try refuseMixedParticipants(all, remedy: "export them separately, or add --join-participants")
            if !exporter.joinsContents { try SensorSpan.refuseTwoSensors(files, remedy: "export them separately") }
        }
        let output = try output()
        let notes = try exporter.export(inOrder(files), options, to: output, progress: progress)
        try output.finish()
        return notes
    }

    /// Throws where files are of different participants: joined they would look like one person's.
    static func refuseMixedParticipants(_ files: [RecordedFile], remedy: String) throws(FileError) {
        let named = files.compactMap { file in file.description?.participant.map { (file: file, participant: $0) } }
        guard let first = named.first, let other = named.first(where: { $0.participant != first.participant }) else {
            return
        }
        throw other.file.refusal(
            "is of participant \(other.participant), but \(first.file.file.path) is of \(first.participant); \(remedy)")
    }

    /// Sorts by the recordings' starts, or by their numbers if one start is unknown. If a file has no
    /// description, the files stay as they were given.
    private static func inOrder(_ sources: [RecordedFile]) -> [RecordedFile] {
        let descriptions = sources.compactMap(\.description)
        guard descriptions.count == sources.count else { return sources }
        let starts = descriptions.compactMap { $0.startDate.flatMap(Instant.parsed) }
        let keys = zip(starts.count == sources.count ? starts : sources.map { _ in .epoch }, descriptions.map(\.number))
        return zip(sources, keys).sorted { $0.1 < $1.1 }.map { $0.0 }
    }
}

extension RecordedFile {
    /// An error that names the file; the words go on after its path.
    func refusal(_ problem: String) -> FileError { .format(path: file.path, problem: problem) }

    /// For a comment in a table.
    var nameInOneLine: String { String(name.map { $0.isNewline ? " " : $0 }) }
}
