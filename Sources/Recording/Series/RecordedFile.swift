// SPDX-License-Identifier: Apache-2.0

/// A recording file that is read for an export or a plot, with its description where one lies beside it.
public final class RecordedFile {
    /// The open file.
    public let file: DiskFile
    /// What is in it, by its first bytes.
    public let content: RecordedContent
    /// Ours, of the file as it is or as it was; nil for foreign files.
    public let description: RecordingDescription?
    /// The name without folders.
    public let name: String
    /// Whether it is gzipped.
    let isCompressed: Bool

    /// Opens a file. Throws for one that is no recording.
    public init(_ path: String) throws(RecordingError) {
        file = try DiskFile(path, .read)
        name = path.split(separator: "/").last.map(String.init) ?? path
        description = try RecordingDescription.beside(path, name)
        let start = try file.read(4, at: 0)
        isCompressed = start.starts(with: [0x1F, 0x8B])
        if start.starts(with: "MD".utf8) || start.starts(with: "AX".utf8) {
            content = .motion
        } else if start.starts(with: "fLaC".utf8) {
            content = .sound
        } else {
            content = try Self.text(TextLines(file, isCompressed: isCompressed), path)
        }
    }

    /// Refuses what this file cannot become, and says what it can.
    public func check(_ format: ExportFormat) throws(RecordingError) {
        guard !content.exports.contains(format) else { return }
        let possible = content.exports.map(\.rawValue).joined(separator: ", ")
        throw .format(
            path: file.path,
            problem: "holds \(content.rawValue), which cannot become \(format.rawValue); it can become: \(possible)")
    }

    /// The lines of a text recording.
    public func lines() throws(RecordingError) -> TextLines { try TextLines(file, isCompressed: isCompressed) }

    /// `study/measure`, which stands for SageResearch's path of steps; a foreign file's name.
    public var stepPath: String { description.map { "\($0.study)/\($0.identifier)" } ?? name }

    /// The first lines decide; receivers may begin with binary messages, and logs with comments.
    private static func text(_ lines: TextLines, _ path: String) throws(RecordingError) -> RecordedContent {
        for _ in 0..<2000 {
            guard let line = try lines.next() else { break }
            if line.starts(with: "time,".utf8) || line.starts(with: "#studyd ".utf8) { return .table }
            if NMEASentence.body(line) != nil { return .sentences }
        }
        throw .format(path: path, problem: "is no CWA, FLAC, NMEA or CSV recording")
    }
}
