// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A recording file that is read for an export or a plot, with its description where one lies beside it.
/// Exports, plots, the lab and `RequestPacker` open one.
package final class RecordedFile {
    package let file: File
    package var content: RecordedContent { kind.content }
    /// Its format, by its first bytes or lines; one kind for all our tables.
    let kind: any FormatKind
    /// The description beside a file of ours, not compared with it: of one that is still written it dates
    /// from the beginning. Nil for foreign files.
    package let description: RecordingDescription?
    /// The name without folders.
    package let name: String
    private let isCompressed: Bool

    /// Opens a file. Throws for one that is no recording.
    package convenience init(_ path: String, _ formats: RecordingFormats = .standard) throws(FileError) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try self.init(path, name, try RecordingDescription.beside(path), formats)
    }

    /// Opens a file with its description elsewhere, under the name that the recorder gave it.
    package convenience init(
        _ path: String, named name: String, described description: RecordingDescription?
    ) throws(FileError) { try self.init(path, name, description, .standard) }

    private init(
        _ path: String, _ name: String, _ description: RecordingDescription?, _ formats: RecordingFormats
    ) throws(FileError) {
        file = try File(path, .read)
        (self.name, self.description) = (name, description)
        let start = try file.read(64, at: 0)
        guard !AgeReader.begins(start) else {
            throw FileError(
                path: path, message: "is sealed by age",
                remedy: "give --key, or open it with 'studyd recordings open --key identity.txt --into FOLDER'")
        }
        isCompressed = GzipFile.begins(start)
        var kind = formats.kinds.first { $0.recognises(start: start) }
        if kind == nil { kind = try formats.kind(of: TextLines(file, isCompressed: isCompressed), isStrict: false) }
        guard let kind else { throw .format(path: path, problem: "is not a \(formats.titles) recording") }
        self.kind = kind
    }

    package func lines() throws(FileError) -> TextLines { try TextLines(file, isCompressed: isCompressed) }

    /// `study/measure`, in place of SageResearch's path of steps; a foreign file's name.
    package var stepPath: String { description.map { "\($0.study)/\($0.identifier)" } ?? name }
}
