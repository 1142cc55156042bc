// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The file formats in which measures can be kept; `RecordingFormats.standard` has all of them. `studyd.toml`
/// names them, and files are recognised by them.
package struct RecordingFormats: Sendable {
    /// In the order of the documentation.
    let kinds: [any FormatKind]

    init(_ kinds: [any FormatKind]) { self.kinds = kinds }

    /// The kind of that name in descriptions.
    subscript(format: String) -> (any FormatKind)? { kinds.first { $0.format.rawValue == format } }

    /// The names that the configuration may use.
    package var names: [String] { unique(kinds.map { $0.configuredName }) }

    /// The names under which such a measure may be kept, the usual one first.
    package func names(for measure: MeasureKind) -> [String] {
        kinds.filter { $0.measures.contains(measure) }.map { $0.configuredName }
    }

    /// The format with that configured name for a measure, by default the usual one. Nil where the format
    /// cannot hold the measure.
    package func format(_ name: String? = nil, for measure: MeasureKind) -> RecordingFormat? {
        kinds.first { $0.measures.contains(measure) && (name == nil || $0.configuredName == name) }?.format
    }

    /// Media types of files that are worth compressing for an upload.
    package var compressible: Set<String> { Set(kinds.filter { $0.shrinks }.map { $0.contentType }) }

    /// `CWA, FLAC, CSV or NMEA`.
    var titles: String {
        let titles = unique((kinds.filter { !$0.isText } + kinds.filter { $0.isText }).map { $0.title })
        return titles.dropLast().joined(separator: ", ") + " or " + (titles.last ?? "")
    }

    /// The kind that this text belongs to, by its first lines: receivers may begin with binary
    /// messages, and logs with comments. `isStrict` accepts only studyd's own CSV, not another program's.
    func kind(of lines: TextLines, isStrict: Bool) throws(FileError) -> (any FormatKind)? {
        for _ in 0..<2000 {
            guard let line = try lines.next() else { break }
            for kind in kinds where kind.recognises(line: line, isStrict: isStrict) { return kind }
        }
        return nil
    }

    /// Looks through a whole file in constant memory: as the binary kind that it shows itself to be, else by the
    /// description where there is one, so that damage to the first lines is damage and no other kind of file. Throws
    /// for one that is no recording at all.
    func check(_ file: File, _ description: RecordingDescription?) throws(FileError) -> ContentCheck {
        var found = ContentCheck()
        let start = try file.read(4, at: 0)
        for kind in kinds where !kind.isText {
            let isAfterDamage = try kind.recognises(behindDamageIn: file)
            guard isAfterDamage || kind.recognises(start: start) || kind.format.rawValue == description?.format else {
                continue
            }
            try kind.check(file, isCompressed: false, description, &found)
            return found
        }
        let isCompressed = GzipFile.begins(start)
        var kind = description.flatMap { self[$0.format] }
        if kind == nil { kind = try self.kind(of: TextLines(file, isCompressed: isCompressed), isStrict: true) }
        guard let kind else { throw .format(path: file.path, problem: "is not a \(titles) recording") }
        if isCompressed, let fault = try GzipFile.fault(file) { found.problems.append(fault) }
        try kind.check(file, isCompressed: isCompressed, description, &found)
        return found
    }

    private func unique(_ texts: [String]) -> [String] {
        texts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension FormatKind {
    var contentType: String { Encoder.contentType }
}
