// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The folder in which recordings lie: `000042-accelerometer.cwa` and `.json`; while open `.cwa.partial` and
/// `.open`. `Recorder` writes into it.
///
/// Names come from the recording number and never from a date, which may be wrong. May be used from
/// several threads, each for its own recordings.
package struct RecordingFolder: Sendable {
    package let folder: DiskFolder
    package let numbers: RecordingNumbers
    let formats: RecordingFormats
    /// Open files are flushed to the medium at every sync interval; finished ones always are.
    let waitsForMedium: Bool
    /// Encryption by age; nil = files are written in the clear.
    let encryption: RecordingEncryption?

    /// The recordings at `path`; the folder is made when it is not there. `known` is the highest
    /// number that is known from elsewhere. Without `waitsForMedium` open files outlive the process, but not
    /// a power cut.
    package init(
        _ path: String, known: Int = 0, formats: RecordingFormats = .standard, waitsForMedium: Bool = true,
        encryption: RecordingEncryption? = nil
    ) throws(FileError) {
        (self.formats, self.waitsForMedium, self.encryption) = (formats, waitsForMedium, encryption)
        folder = try DiskFolder(creating: path)
        numbers = try RecordingNumbers(folder, known: known)
    }

    /// All sealed recordings except those of known numbers and those from `first` on, in order of
    /// number, for comparing with the outbox after a power cut; and what could not be read.
    package func sealed(besides known: Set<Int> = [], before first: Int = .max) throws(FileError) -> (
        recordings: [SealedRecording], faults: [FileError]
    ) {
        var found: [SealedRecording] = []
        var faults: [FileError] = []
        let names = try folder.names { name in
            name.hasSuffix(".json")
                && RecordingName(name).map { $0.number < first && !known.contains($0.number) } ?? false
        }
        for name in names {
            do throws(FileError) {
                let description = try RecordingDescription(name, in: folder)
                if folder.contains(description.relativePath) { found.append(sealed(description)) }
            } catch {
                faults.append(error)
            }
        }
        return (found.sorted { $0.number < $1.number }, faults)
    }

    /// Deletes a recording and its description, durably. The caller has its receipt, or counts it
    /// as dropped.
    package func remove(_ recording: SealedRecording) throws(FileError) {
        try folder.remove(recording.description.relativePath)
        try folder.remove(recording.description.name.description)
        try folder.sync()
    }

    /// Keeps the description of a file that is not sealed yet.
    func saveDraft(_ draft: RecordingDescription) throws(FileError) {
        var draft = draft
        try folder.replace(draft.name.draft, with: draft.digestedText())
    }

    /// Removes a file that holds nothing, and its description. What cannot be removed now, the
    /// recovery at the next start removes.
    func removeDraft(_ draft: RecordingDescription) {
        try? folder.remove(draft.partialName)
        try? folder.remove(draft.name.draft)
    }

    /// Seals a finished file, for `FinishedFiles` and the recovery: times put right where an anchor comes now,
    /// compressed if it is text, hashed, described, named. May be repeated after a power cut at any point.
    func seal(
        _ draft: RecordingDescription, anchors: [ClockAnchor], zone: Zone
    ) throws(FileError) -> SealedRecording {
        var draft = draft
        if draft.clock == .anchored, draft.clockError == nil { draft.updateClockError(anchors) }
        if draft.clock == .pending { try setTimes(of: &draft, by: anchors, zone) }
        let partial = draft.partialName
        guard draft.age == nil, formats[draft.format]?.isGzipped ?? false else {
            return try finish(draft, content: partial, partial: partial)
        }
        // Text is compressed into another file; the partial one stays until the sealed one is whole.
        let content = partial + ".tmp"
        do throws(FileError) {
            let target = try File(folder.file(content), .replace)
            try GzipFile.compress(File(folder.file(partial), .read), to: target)
            try target.sync(metadata: true)
            if !draft.relativePath.hasSuffix(".gz") { draft.relativePath += ".gz" }
            draft.contentEncoding = "gzip"
            return try finish(draft, content: content, partial: partial)
        } catch {
            // On a full disk it has the room that the open files need.
            try? folder.remove(content)
            throw error
        }
    }

    /// Puts the times of a file right that was begun before the clock was known; without an anchor they stay unknown.
    private func setTimes(
        of draft: inout RecordingDescription, by anchors: [ClockAnchor], _ zone: Zone
    ) throws(FileError) {
        guard let anchor = try chooseAnchor(for: &draft, of: anchors) else {
            draft.clock = .unknown
            return
        }
        if draft.age == nil {
            try formats[draft.format]?.retime(draft.partialName, in: folder, by: anchor, zone: zone)
        }
        // `RecordingOpener` puts the times in an encrypted file right.
        draft.age?.isUptime = true
        draft.setClock(anchor, offset: zone.period(at: anchor.instant(at: draft.start)).offset)
        draft.updateClockError(anchors)
    }

    /// The anchor by which a file begun before the clock was known gets its times. It is noted in the description
    /// before the file is touched: where an earlier attempt was interrupted, the times may be in the file already,
    /// so its anchor is used again even if a better one has come since.
    private func chooseAnchor(
        for draft: inout RecordingDescription, of anchors: [ClockAnchor]
    ) throws(FileError) -> ClockAnchor? {
        let file = draft
        let noted = try? RecordingDescription(draft.name.draft, in: folder)
        guard let anchor = noted?.anchors.first?.anchor ?? draft.best(of: anchors) else { return nil }
        draft.record(anchor)
        if draft.age == nil { try saveDraft(draft) }
        for other in anchors where (file.start...max(file.start, file.end)).contains(other.monotonic) {
            draft.record(other)
        }
        return anchor
    }

    /// In this order: the description, then the name, then the files of the open recording go. After a
    /// power cut between any two, the recovery or another `seal` does the rest.
    private func finish(
        _ draft: RecordingDescription, content: String, partial: String
    ) throws(FileError) -> SealedRecording {
        var draft = draft
        let file = try File(folder.file(content), .update)
        try file.syncOrRewrite(metadata: true)
        draft.bytes = try file.size()
        draft.sha256 = try FileDigest.sha256(of: file)
        draft.state = .sealed
        try folder.replace(draft.name.description, with: draft.digestedText())
        try folder.rename(content, to: draft.relativePath)
        try folder.sync()
        try folder.remove(partial)
        try folder.remove(draft.name.draft)
        try folder.sync()
        return sealed(draft)
    }

    private func sealed(_ description: RecordingDescription) -> SealedRecording {
        SealedRecording(
            number: description.number, path: folder.file(description.relativePath),
            descriptionPath: folder.file(description.name.description), description: description)
    }
}

extension RecordingDescription {
    var name: RecordingName { RecordingName(number: number, kind: kind) }
    /// The file's name while it is open.
    package var partialName: String {
        (relativePath.hasSuffix(".gz") ? String(relativePath.dropLast(3)) : relativePath) + ".partial"
    }
}

extension SealedRecording {
    package var kind: MeasureKind? { MeasureKind(rawValue: description.kind) }
}
