// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Opens encrypted recordings with a recipient's key: makes the file, and the description beside it, as the
/// device would have made them without encryption. `studyd recordings open`, the lab's exports and the device
/// itself (`DeviceOpener`) use it.
///
/// What the device could not do, because it cannot read the file again, is done here: what a power
/// cut ended is cut back to its last whole unit and counted, the times of a file that was begun
/// before the clock was known are put right, and text is compressed.
package struct RecordingOpener {
    private let identities: [AgeIdentity]
    private let target: RecordingFolder

    /// Into the folder at `path`, made where it is not there.
    package init(_ identities: [AgeIdentity], into path: String) throws(FileError) {
        self.identities = identities
        target = try RecordingFolder(path)
    }

    package static func isEncrypted(_ path: String) -> Bool {
        guard let start = try? File(path, .read).read(64, at: 0) else { return false }
        return AgeReader.begins(start)
    }

    /// The path of the opened file. A file without a description of ours is opened as it is. Throws where
    /// the folder has another recording of that name.
    package func open(_ path: String, in index: RecordingFileIndex = RecordingFileIndex()) throws(FileError) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let description = try RecordingDescription.beside(path, in: index) {
            // What a receiver has put before the file's own name; empty for a device's file.
            let original = RecordingFileIndex.originalName(of: path)
            let prefix = name.firstRange(of: original).map { String(name[..<$0.lowerBound]) } ?? ""
            guard !prefix.isEmpty else { return try open(path, described: description).path }
            return try open(path, described: description, under: prefix)
        }
        let plain = name.hasSuffix(Self.ending) ? String(name.dropLast(Self.ending.count)) : name + ".opened"
        let (file, fault) = try decrypt(path, to: plain + ".partial")
        do throws(FileError) {
            if let fault { throw fault.at(path) }
            if target.folder.contains(plain) {
                let there = try File(target.folder.file(plain), .read)
                guard try FileDigest.sha256(of: there) == FileDigest.sha256(of: file) else {
                    throw nameTaken(by: there.path, for: path)
                }
            }
            try target.folder.rename(plain + ".partial", to: plain)
            return target.folder.file(plain)
        } catch {
            unlink(file.path)
            throw error
        }
    }

    /// Opens a file under a receiver's name, `17-000001-accelerometer.cwa.age`: the opened files keep the
    /// receiver's number (`prefix`), which tells devices apart in the target folder, too.
    private func open(
        _ path: String, described description: RecordingDescription, under prefix: String
    ) throws(FileError) -> String {
        try refuseAnother(than: description, from: path, under: prefix)
        let place = target.folder.file(prefix + "opening")
        defer { FolderRemoval.remove(place) }
        let opened = try RecordingOpener(identities, into: place).open(path, described: description)
        let (file, beside) = (prefix + opened.description.relativePath, prefix + opened.description.name.description)
        guard rename(opened.path, target.folder.file(file)) == 0 else { throw .last("rename to \(file)", opened.path) }
        guard rename(opened.descriptionPath, target.folder.file(beside)) == 0 else {
            throw .last("rename to \(beside)", opened.descriptionPath)
        }
        return target.folder.file(file)
    }

    /// Opens a file with a description that lies elsewhere.
    package func open(
        _ path: String, described description: RecordingDescription
    ) throws(FileError) -> SealedRecording {
        guard let note = description.age, let ours = RecordingName(description.relativePath),
            ours == description.name, !description.relativePath.contains("/")
        else { throw .format(path: path, problem: "its description is not that of a sealed recording") }
        var draft = description.opened(note)
        try refuseAnother(than: draft, from: path)
        let (file, fault) = try decrypt(path, to: draft.partialName)
        let isCut = note.isCut == true || description.state == .open
        let bytes = try file.size()
        if let fault {
            // A file that differs from what the device sealed was damaged later, not by a power cut.
            guard isCut, bytes > 0, try Self.isAsSealed(path, description) else {
                unlink(file.path)
                let isTooEarly = description.state == .open && bytes == 0 && fault == .cut(at: 0)
                throw isTooEarly ? Self.tooEarly(path) : fault.at(path)
            }
        }
        try settle(&draft, file, isCut: isCut)
        // Times that still count from the boot become those of the anchor that the device chose.
        if note.isUptime == true, let anchor = draft.anchors.first?.anchor {
            let zone = Zone(fixed: description.offsetSeconds, identifier: description.zone, abbreviation: "")
            try target.formats[draft.format]?.retime(draft.partialName, in: target.folder, by: anchor, zone: zone)
            draft.setClock(anchor, offset: description.offsetSeconds)
        }
        return try target.seal(draft, anchors: [], zone: .utc)
    }

    /// Of a file that is being written, or was when its device ended: its first piece is not on the disk.
    static func tooEarly(_ path: String) -> FileError {
        FileError(
            path: path,
            message: "is still being written, or its device ended before its first 64 KiB were there: "
                + "nothing of it can be opened",
            remedy: "where the device runs, open it later")
    }

    private static let ending = RecordingDescription.AgeNote.ending

    private static func isAsSealed(
        _ path: String, _ description: RecordingDescription
    ) throws(FileError) -> Bool {
        guard description.state == .sealed else { return true }
        return try FileDigest.sha256(of: File(path, .read)) == description.sha256
    }

    /// Throws where the folder has a different recording of this name: all devices number alike, and a device
    /// begins again from 1 with a new state folder.
    private func refuseAnother(
        than draft: RecordingDescription, from path: String, under prefix: String = ""
    ) throws(FileError) {
        let name = prefix + draft.name.description
        guard target.folder.contains(name) else { return }
        let there = try RecordingDescription(name, in: target.folder)
        guard (there.deviceNumber, there.bootID) == (draft.deviceNumber, draft.bootID) else {
            throw nameTaken(by: target.folder.file(prefix + there.relativePath), for: path)
        }
    }

    private func nameTaken(by other: String, for path: String) -> FileError {
        FileError(
            path: path, message: "\(other) is there already, and is another recording",
            remedy: "open the recordings of each device into a folder of its own")
    }

    /// Returns the opened file, and the fault that ended it early, which is nil for a whole file. Throws where
    /// nothing can be opened, and leaves no file then.
    private func decrypt(_ path: String, to name: String) throws(FileError) -> (file: File, fault: AgeFault?) {
        let reader: AgeReader
        do throws(AgeFault) { reader = try AgeReader(File.readable(path), identities) } catch { throw error.at(path) }
        let file = try File(target.folder.file(name), .replace)
        do throws(AgeFault) {
            var place = 0
            while let piece = try reader.next() {
                try file.put(piece, at: place)
                place += piece.count
            }
            return (file, nil)
        } catch {
            switch error {
            case .cut, .damaged: return (file, error)
            case .header, .noMatch, .headerCode, .source, .library:
                unlink(file.path)
                throw error.at(path)
            }
        }
    }

    /// Cuts off what is not whole, applies the patches, and counts what a power cut left uncounted.
    private func settle(_ draft: inout RecordingDescription, _ file: File, isCut: Bool) throws(FileError) {
        let found = try draft.survey(file, target.formats)
        if isCut {
            let bytes = try file.size()
            draft.bytesCut = bytes - min(bytes, found.bytes)
            try file.truncate(to: min(bytes, found.bytes))
        }
        for patch in found.patches { try file.write(patch.bytes, at: patch.offset) }
        if draft.isRecovered || draft.state == .open { draft.recount(found) }
        draft.state = .finished
    }
}

extension RecordingDescription {
    /// The description of the content, as it was before encryption. Times that count from the boot are not
    /// known until they are put right.
    fileprivate func opened(_ note: AgeNote) -> RecordingDescription {
        var opened = self
        opened.age = nil
        opened.contentType = note.contentType
        if opened.relativePath.hasSuffix(AgeNote.ending) { opened.relativePath.removeLast(AgeNote.ending.count) }
        if opened.state == .sealed { opened.state = .finished }
        guard note.isUptime == true else { return opened }
        (opened.clock, opened.startDate, opened.endDate) = (.pending, nil, nil)
        return opened
    }

    /// Replaces what the device could only estimate by what is in the file.
    fileprivate mutating func recount(_ found: SegmentSurvey) {
        (samplesStored, samplesLost, gaps, endUptime) = (0, [:], [], startUptime)
        resampled?.samplesStored = 0
        resampled?.samplesLost = [:]
        isRecovered = true
        countLostInMemory(found)
        apply(found)
        measureRate(found)
    }
}

extension File {
    fileprivate static func readable(_ path: String) throws(AgeFault) -> File {
        do throws(FileError) { return try File(path, .read) } catch { throw .source(error) }
    }

    fileprivate func put(_ bytes: [UInt8], at place: Int) throws(AgeFault) {
        do throws(FileError) { try write(bytes, at: place) } catch { throw .source(error) }
    }
}
