// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A recording file that is read for an export or a plot, with its description where
/// one lies beside it.
package final class RecordedFile {
    package let file: File
    package var content: RecordedContent { kind.content }
    /// Its format, by its first bytes or lines; one kind for all our tables.
    let kind: any FormatKind
    /// Ours, of the file as it is or as it was; nil for foreign files.
    package let description: RecordingDescription?
    /// The name without folders.
    package let name: String
    private let isCompressed: Bool

    /// Opens a file. Throws for one that is no recording.
    package convenience init(_ path: String) throws(FileError) { try self.init(path, .standard) }

    init(_ path: String, _ formats: RecordingFormats) throws(FileError) {
        file = try File(path, .read)
        name = path.split(separator: "/").last.map(String.init) ?? path
        description = try RecordingDescription.beside(path, name)
        let start = try file.read(4, at: 0)
        isCompressed = GzipFile.begins(start)
        var kind = formats.kinds.first { $0.recognises(start: start) }
        if kind == nil { kind = try formats.kind(of: TextLines(file, isCompressed: isCompressed), isStrict: false) }
        guard let kind else { throw .format(path: path, problem: "is not a \(formats.titles) recording") }
        self.kind = kind
    }

    /// The lines of a text recording.
    package func lines() throws(FileError) -> TextLines { try TextLines(file, isCompressed: isCompressed) }

    /// `study/measure`, in place of SageResearch's path of steps; a foreign file's name.
    package var stepPath: String { description.map { "\($0.study)/\($0.identifier)" } ?? name }
}
