// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Looks into a file itself, ours or another program's, of any of the known formats. `studyd recordings` prints
/// what it finds (`show`, `verify`).
package enum FileInspector {
    /// The summary of any recording file, recognised by its first bytes. Where one of our
    /// descriptions is beside it, the summary is that of the description.
    package static func summary(
        of path: String, _ formats: RecordingFormats = .standard, in index: RecordingFileIndex = RecordingFileIndex()
    ) throws(FileError) -> RecordingSummary {
        let file = try File(path, .read)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let ours = try described(path, bytes: file.size(), formats, index) { return ours }
        let isEncrypted = try AgeReader.begins(file.read(64, at: 0))
        // For an encrypted file the error is thrown on: it says how to open the file.
        let kind = try isEncrypted ? RecordedFile(path, formats).kind : (try? RecordedFile(path, formats))?.kind
        if let summary = try kind?.summary(of: file, name) { return summary }
        let isCompressed = GzipFile.begins(try file.read(4, at: 0))
        guard
            let summary = try textSummary(
                file, name, isCompressed: isCompressed, isSentences: kind?.content == .sentences)
        else { throw .format(path: file.path, problem: "is not a \(formats.titles) recording") }
        return summary
    }

    /// What is wrong with a recording file, in words; empty when it is whole: its bytes are the
    /// described ones, the description is unchanged and fits the content, and the content's own
    /// checksums, order and times are right. A description may be given in place of its file. For
    /// `studyd recordings verify`. Throws for what is no recording.
    package static func problems(
        of path: String, _ formats: RecordingFormats = .standard, in index: RecordingFileIndex = RecordingFileIndex()
    ) throws(FileError) -> [String] {
        let name = RecordingFileIndex.originalName(of: path)
        if let ours = RecordingName(name), name == ours.description || name == ours.draft {
            let description = try RecordingDescription(json: contents(path), path: path)
            guard !description.relativePath.contains("/") else {
                throw .format(path: path, problem: "names a file in another folder")
            }
            return try problems(of: index.file(of: description, at: path), formats, in: index)
        }
        let file = try File(path, .read)
        var beside = DescriptionBeside()
        if let ours = RecordingName(name) { beside.read(try index.descriptionPath(of: path, ours), of: file) }
        var problems = beside.problems
        // The content, or what shows of it without a key; then the description against it.
        let isEncrypted = try AgeReader.begins(file.read(64, at: 0)) || beside.description?.age != nil
        let content = isEncrypted ? nil : try formats.check(file, beside.description)
        problems += isEncrypted ? try envelopeProblems(file, beside.description) : []
        // What may be the sensor's own noise counts only where no digest shows that the bytes are unchanged.
        if let content { problems += content.problems + (beside.isDigestRight ? [] : content.noise) }
        if let description = beside.description {
            problems += try DescriptionCheck(description, of: content, name: name, bytes: file.size()).problems
        }
        return problems
    }

    /// The description beside a file: whether its own seal fits, and the digest that it gives of the file.
    private struct DescriptionBeside {
        var description: RecordingDescription?
        var problems: [String] = []
        var isDigestRight = false

        mutating func read(_ path: String, of file: File) {
            do throws(FileError) {
                let text = try FileInspector.contents(path)
                let found = try RecordingDescription(json: text, path: path)
                description = found
                problems += try FileInspector.sealProblems(found, text)
                guard found.state == .sealed else { return }
                let digest = try FileDigest.sha256(of: file)
                isDigestRight = digest == found.sha256
                if !isDigestRight { problems.append("SHA-256 is \(digest) instead of the described \(found.sha256)") }
            } catch {
                problems.append("its description cannot be read: \(error)")
            }
        }
    }

    /// What is wrong with an encrypted recording, given keys of its recipients: with the file as it is, and with
    /// what is in it.
    package static func problems(
        of path: String, opening keys: [AgeIdentity], in index: RecordingFileIndex = RecordingFileIndex()
    ) throws(FileError) -> [String] {
        let outer = try problems(of: path, in: index)
        guard RecordingOpener.isEncrypted(path) else { return outer }
        let folder = try TemporaryFolder("opened")
        let opener = try RecordingOpener(keys, into: folder.path)
        let description = try index.description(of: path)
        let opened: String
        do throws(FileError) {
            opened =
                if let description { try opener.open(path, described: description).path } else { try opener.open(path) }
        } catch {
            // Before its first chunk is there a file that is being written shows no more than without a key.
            guard error == RecordingOpener.tooEarly(path) else { throw error }
            return outer
        }
        return outer + (try problems(of: opened).filter { !outer.contains($0) })
    }

    /// What is wrong with an encrypted file, as far as it shows without a key.
    private static func envelopeProblems(
        _ file: File, _ description: RecordingDescription?
    ) throws(FileError) -> [String] {
        do throws(AgeFault) {
            _ = try AgeReader.contentLength(of: file)
            guard let description else { return ["it is sealed and has no description; give a key of its recipients"] }
            return description.age == nil ? ["it is sealed, which its description does not say"] : []
        } catch { return [error.at(file.path).explanation.cause] }
    }

    /// Descriptions have had a seal since they have had a version.
    private static func sealProblems(
        _ description: RecordingDescription, _ text: [UInt8]
    ) throws(FileError) -> [String] {
        guard description.schemaVersion != nil || description.seal != nil else { return [] }
        return try DescriptionSeal.fault(text).map { [$0] } ?? []
    }

    private static func contents(_ path: String) throws(FileError) -> [UInt8] {
        let file = try File(path, .read)
        let size = try file.size()
        guard size < 4 << 20 else { throw .format(path: path, problem: "is too large for a description") }
        return try file.read(size, at: 0)
    }

    /// The summary by our description beside the file; nil where there is none.
    private static func described(
        _ path: String, bytes: Int, _ formats: RecordingFormats, _ index: RecordingFileIndex
    ) throws(FileError) -> RecordingSummary? {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var found: RecordingDescription?
        if RecordingFileIndex.originalName(of: path) == name {
            found = try RecordingDescription.beside(path, name)
        } else if let ours = RecordingName(RecordingFileIndex.originalName(of: path)) {
            found = RecordingFileIndex.read(try index.descriptionPath(of: path, ours))
        }
        guard var description = found else { return nil }
        if description.state == .open, description.age == nil {
            try description.update(from: File(path, .read), formats)
        }
        return RecordingSummary(description, bytes: bytes)
    }

    /// The summary of a text file, NMEA sentences or CSV, by a look at all of it; nil where it has neither.
    private static func textSummary(
        _ file: File, _ name: String, isCompressed: Bool, isSentences: Bool
    ) throws(FileError) -> RecordingSummary? {
        var survey = TextSurvey()
        if isCompressed {
            try addCompressedLines(of: file, to: &survey)
        } else if isSentences {
            try addSentences(of: file, to: &survey)
        } else {
            _ = try LineScan.whole(file) { survey.add($0) }
        }
        guard survey.sentences > 0 || survey.rows > 0 else { return nil }
        let isNMEA = survey.sentences > survey.rows
        // A copy of one of ours counts what its description would.
        let (unit, stored): (CountedUnit, Int) =
            survey.isOurs
            ? (isNMEA ? .bytes : .samples, isNMEA ? survey.bytes : survey.rows * survey.samplesPerRow)
            : (isNMEA ? .sentences : .rows, isNMEA ? survey.sentences : survey.rows)
        let damage = isCompressed ? try GzipFile.fault(file) : nil
        return RecordingSummary(
            name: name, kind: isNMEA ? "position" : nil, format: isNMEA ? "nmea" : "csv", device: nil,
            start: survey.first, offset: 0, duration: survey.duration,
            rate: nil, countedUnit: unit, stored: stored, lost: survey.lost, bytes: try file.size(), state: "foreign",
            remarks: survey.remarks + [damage].compactMap(\.self))
    }

    private static func addCompressedLines(of file: File, to survey: inout TextSurvey) throws(FileError) {
        let lines = try TextLines(file, isCompressed: true)
        // Bytes of a line that came in pieces. Behind the last line end is no whole line.
        var torn = 0
        while let line = try lines.next() {
            if torn == 0 { survey.add(line) }
            torn += line.count
            guard !lines.isTorn else { continue }
            let own = NMEAFraming.ownSentence(in: line)
            survey.bytes += torn - own.count + (own.isEmpty ? 1 : 0)
            torn = 0
        }
    }

    /// Finds sentences as the exports find them, whatever lies between.
    private static func addSentences(of file: File, to survey: inout TextSurvey) throws(FileError) {
        let marker = "$PSTDY,".utf8  // our own sentences, which are not counted
        var (lines, sentences) = (0, 0)
        try SentenceScan.all(file) {
            survey.add($0)
            sentences += $0.starts(with: marker) ? 0 : $0.count
        }
        _ = try LineScan.whole(file, hole: LineScan.block) { lines += $0.count - NMEAFraming.ownSentence(in: $0).count }
        // Without its line feeds a file is one line, of which only the sentences tell what is in it.
        survey.bytes = max(lines, sentences)
    }
}
