// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// A dataset whose encrypted recordings are decrypted when their participant's record is read: the view of
/// `study-receiver export` that the files are written from. A recording that no key opens is a hole.
///
/// Decrypted files lie below the folder of the export, so that they can be hard-linked into it (`FilePlacer`),
/// and are removed once records of further participants are read. `close` removes the last ones.
package final class OpenedDataset: DerivedDataset {
    package let whole: any StudyDataset
    private let keys: [AgeIdentity]
    private let directory: String
    private var folder: TemporaryFolder?
    /// Folders of the participants that were read last.
    private var inUse: [String] = []
    private var number = 0
    /// What `open` says where nothing more can be opened or made.
    private static let exhausted: Set<CInt> = [EMFILE, ENFILE, ENOSPC, EDQUOT]

    /// `directory` is the folder of the export; it must exist when the first record is read.
    package init(_ whole: any StudyDataset, keys: [AgeIdentity], in directory: String) {
        (self.whole, self.keys, self.directory) = (whole, keys, directory)
    }

    /// For a survey of holes before the export: with keys it shows only later which recordings none of them
    /// opens; without a key all encrypted ones are holes already.
    package var unopened: any StudyDataset { keys.isEmpty ? self : whole }

    package func record(of participant: Participant) throws -> ParticipantRecord {
        var record = try whole.record(of: participant)
        guard record.recordings.contains(where: \.isEncrypted) else { return record }
        let place = keys.isEmpty ? "" : try nextPlace()
        record.recordings = try record.recordings.enumerated().compactMap { number, recording in
            guard recording.isEncrypted else { return recording }
            do throws(FileError) { return try opened(recording, into: "\(place)/\(number)") } catch {
                // A full disk says nothing of the recording: the export fails.
                if error.operation != nil, error.operation != "open" || Self.exhausted.contains(error.code) {
                    throw error
                }
                record.missing.append(hole(recording, error))
                record.issues.append(.init(.encrypted, participant.id, "\(recording.name) \(words(error))"))
                return nil
            }
        }
        return record
    }

    package func close() {
        folder?.remove()
        folder = nil
    }

    /// A folder for one more participant. Removes the oldest: `DatasetExport` works on `Parallel.width`
    /// participants at once.
    private func nextPlace() throws -> String {
        let folder = try self.folder ?? TemporaryFolder("opened", in: directory)
        self.folder = folder
        number += 1
        inUse.append("\(folder.path)/\(number)")
        while inUse.count > Parallel.width + 1 { FolderRemoval.remove(inUse.removeFirst()) }
        return "\(folder.path)/\(number)"
    }

    private func opened(_ encrypted: StudyRecording, into place: String) throws(FileError) -> StudyRecording {
        guard !keys.isEmpty else {
            throw FileError(
                path: encrypted.source, message: "is sealed", remedy: "give the key of a recipient: --key identity.txt")
        }
        guard let description = encrypted.description else {
            throw FileError(path: encrypted.source, message: "is sealed, and has no description")
        }
        guard try FileDigest.sha256(of: File(encrypted.source, .read)) == encrypted.sha256 else {
            throw FileError(path: encrypted.source, message: "is damaged: its SHA-256 is another than when it arrived")
        }
        try File.makeFolder(place)
        let found = try RecordingOpener(keys, into: place).open(encrypted.source, described: description)
        return StudyRecording(
            enrolment: encrypted.enrolment, name: found.description.relativePath, source: found.path,
            bytes: Int64(found.description.bytes), sha256: found.description.sha256, description: found.description,
            descriptionSource: found.descriptionPath, received: encrypted.received)
    }

    private func words(_ error: FileError) -> String {
        let (cause, remedy) = (error.explanation.cause, error.explanation.remedy)
        return cause + (remedy.map { "; \($0)" } ?? "")
    }

    private func hole(_ encrypted: StudyRecording, _ error: FileError) -> MissingItem {
        MissingItem(
            kind: .recording, enrolment: encrypted.enrolment, day: encrypted.start?.day, name: encrypted.name,
            sha256: encrypted.sha256, bytes: encrypted.bytes, state: words(error), why: nil, isHole: true)
    }
}

extension StudyRecording {
    /// The device encrypted it to the recipients of its configuration.
    fileprivate var isEncrypted: Bool { description?.age != nil || name.hasSuffix(RecordingDescription.AgeNote.ending) }
}
