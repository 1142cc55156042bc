// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// Makes a device ready for another person, while no agent runs: everything of the last one is
/// delivered or deleted, the log closes, and with it go participant, seed and keys, so that nothing
/// of the next is connected with the last.
///
/// The closed log, without an answer in it, stays as `closed/<enrolment>.sqlite`: who took part
/// from when to when, what was prompted, delivered and deleted, and the unbroken chain that proves
/// it. A participant who had their answers deleted is not named in it either.
package struct HandOver: Sendable {
    /// How much is on this device alone.
    package struct Undelivered: Error, Sendable, Hashable, CustomStringConvertible {
        let items: Int
        let recordings: Int
        let files: Int

        package var description: String {
            var parts: [String] = []
            if items > 0 { parts.append("\(Plural.of(items, "item")) without a receipt") }
            if recordings > 0 {
                parts.append("\(Plural.of(recordings, "recording")) not on any server")
            }
            if files > 0 {
                parts.append("\(Plural.of(files, "file")) in recordings/ not known to the log")
            }
            return
                "some of the last participant's data are only on this device: \(parts.joined(separator: ", ")). Connect it and try again, "
                + "copy the files, or delete them with --delete-undelivered; nothing was changed"
        }
    }

    private let folder: StateFolder
    private let stamps: EventClock

    package init(_ folder: StateFolder, stamps: EventClock) {
        self.folder = folder
        self.stamps = stamps
    }

    /// To be called before `close`, which deletes: throws `Undelivered` where something would be lost.
    package func refuseLoss(in database: StudyDatabase) async throws {
        let left = try await database.undelivered()
        let known = Set(
            try await database.recordingViews().flatMap { [$0.recording.path, $0.recording.descriptionPath] })
        let files = try Self.names(in: folder.recordings).filter {
            !known.contains($0) && !$0.hasSuffix(".json") && $0 != "next-number"
        }
        guard left.items + left.recordings + files.count == 0 else {
            throw Undelivered(items: left.items, recordings: left.recordings, files: files.count)
        }
    }

    /// Closes the log; `database` is not to be used afterwards. Blocks on the disk. Returns the
    /// path of the closed log; nil where there was never an enrolment. Interrupted, it can be
    /// repeated, and until then there is no new enrolment.
    package func close(_ database: StudyDatabase) async throws -> String? {
        guard let enrolment = try await database.lastEnrolment() else {
            try empty()
            return nil
        }
        try await database.close(at: stamps.stamp(""))
        try empty()
        let closed = folder.path + "/closed"
        guard mkdir(closed, 0o750) == 0 || errno == EEXIST else { throw FileError.last(closed) }
        let path = closed + "/" + ResultEntry.fileName(of: enrolment) + ".sqlite"
        // The next log begins empty: this one's head, which is kept beside it, must not make its rows look lost.
        StudyDatabase.forget(folder.database)
        EnrolmentBackup(folder).keep(nil)
        do throws(FileError) {
            try AtomicFile.rename(folder.database, to: path)
            // It is never written again.
            chmod(path, 0o440)
            try AtomicFile.sync(folder.path)
        } catch { throw FileError(path: error.path, message: error.reason) }
        return path
    }

    private func empty() throws {
        for path in [folder.recordings, folder.results, folder.speech, folder.media] { try Self.empty(path) }
        try RadarPairings.retire(in: ConfiguredDestination.folder(in: folder.path))
        DeviceKeyFile(folder).remove()
        JoinNote(folder).clear()
        StoreReserve(StoreFiles(folder.database).reserve).clearWish()
        EncryptionKey.remove(in: folder)
        unlink(StateFolder.reportMemory(in: folder.path))
    }

    /// Removes everything below a folder; one that is not there is empty.
    private static func empty(_ path: String) throws {
        for name in try names(in: path) {
            let below = path + "/" + name
            if unlink(below) == 0 { continue }
            guard errno == EISDIR || errno == EPERM else { throw FileError.last(below) }
            try empty(below)
            guard rmdir(below) == 0 else { throw FileError.last(below) }
        }
    }

    /// None where the folder is not there. Throws where it cannot be read: it may hold anything.
    private static func names(in path: String) throws -> [String] {
        do { return try FolderListing.names(in: path) } catch  where error.code == ENOENT {
            return []
        } catch { throw FileError(path: path, message: String(cString: strerror(error.code))) }
    }
}
