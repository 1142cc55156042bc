// SPDX-License-Identifier: Apache-2.0
import Base
import Database
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
        /// The disk has no room to send anything, or to log it.
        let isDiskFull: Bool

        package var description: String {
            "some of the last participant's data are only on this device: \(parts.joined(separator: ", ")). \(remedy), "
                + "or copy the files and delete what is here with --delete-undelivered; nothing was changed"
        }

        private var parts: [String] {
            var parts: [String] = []
            if items > 0 { parts.append("\(Plural.of(items, "item")) without a receipt") }
            if recordings > 0 {
                parts.append("\(Plural.of(recordings, "recording")) not on any server")
            }
            if files > 0 {
                parts.append("\(Plural.of(files, "file")) in recordings/ not known to the log")
            }
            return parts
        }

        private var remedy: String {
            let sending = files > 0 ? "start studyd, which logs and sends the files, and try again later" : "try again"
            return isDiskFull
                ? "The disk is full, so nothing can be sent: free space on it, connect the device, \(sending)"
                : "Connect it, \(sending)"
        }
    }

    /// A full disk ended the hand-over; it goes on where it was.
    package struct Interrupted: ExplainedError {
        let folder: String
        let done: [String]

        package var explanation: Explanation {
            Explanation(
                place: folder,
                cause: "the disk is full, and the hand-over is not complete; done so far: "
                    + (done.isEmpty ? "nothing" : done.joined(separator: ", ")),
                remedy: "free space on the disk and repeat the same command: it does the rest")
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
        let files = try await unknownNames(to: database).filter { !$0.hasSuffix(".json") }
        guard left.items + left.recordings + files.count == 0 else {
            let isFull = DiskSpace(at: folder.path).map { StoreReserve.isFull(free: $0.free, total: $0.total) }
            throw Undelivered(
                items: left.items, recordings: left.recordings, files: files.count, isDiskFull: isFull ?? false)
        }
    }

    private func unknownNames(to database: StudyDatabase) async throws -> [String] {
        let known = Set(
            try await database.recordingViews().flatMap { [$0.recording.path, $0.recording.descriptionPath] })
        return try Self.names(in: folder.recordings).filter { !known.contains($0) && $0 != "next-number" }
    }

    /// Ends the enrolment; deletes all recordings, each named in the log, also those that it did not know; then runs
    /// `report` and `close`. With `deletesUnsent` the log counts what has no receipt as deleted by that end.
    /// On a full disk it makes room and begins again; where that is too little, throws `Interrupted`.
    package func complete(
        _ database: StudyDatabase, deletesUnsent: Bool, report: () async throws -> Void = {}
    ) async throws -> String? {
        do { return try await passOnce(database, deletesUnsent, report) } catch  where Self.isFullDisk(error) {}
        do {
            // The log says how large they were.
            let unlogged = try await unloggedFiles(database)
            try makeRoom()
            return try await passOnce(database, deletesUnsent, report, unlogged: unlogged)
        } catch  where Self.isFullDisk(error) { throw await interrupted(database) }
    }

    /// Folders of which the log says nothing.
    private var otherFolders: [String] { [folder.results, folder.speech, folder.media] }

    private func passOnce(
        _ database: StudyDatabase, _ deletesUnsent: Bool, _ report: () async throws -> Void,
        unlogged: [UnloggedFile]? = nil
    ) async throws -> String? {
        // Before any file goes: after a power cut the agent must not prompt the last participant.
        try await end(database, deletesUnsent)
        let files: [UnloggedFile]
        if let unlogged { files = unlogged } else { files = try await unloggedFiles(database) }
        try await database.removeAllRecordings(
            files, of: try await database.lastEnrolment() ?? "", at: stamps.stamp(""))
        try await report()
        return try await close(database)
    }

    /// Ends the enrolment and closes the log to a new one, which would go on under its participant's key; in one
    /// commit, so that a power cut leaves both or neither.
    private func end(_ database: StudyDatabase, _ deletesUnsent: Bool) async throws {
        if let present = try await database.latestEnrolment(), present.withdrawn == nil {
            try await database.withdraw(
                deletesUnsent: deletesUnsent, closesLog: true, sending: [], at: stamps.stamp(present.record.id))
        }
        // The participant may have left before.
        guard try await database.lastEnrolment() != nil, try await !database.isClosed() else { return }
        try await database.append([.handedOver], at: stamps.stamp(""))
    }

    private func unloggedFiles(_ database: StudyDatabase) async throws -> [UnloggedFile] {
        // Without an enrolment the log does not close: the next participant's would name these files.
        guard try await database.lastEnrolment() != nil else { return [] }
        return UnloggedFile.all(
            try await unknownNames(to: database), in: folder.recordings,
            besides: try await database.recordingNumbers())
    }

    /// Empties what is to be deleted anyway. The names of recordings and their descriptions stay until the log
    /// has them, so that a repetition finds them.
    private func makeRoom() throws {
        StoreReserve(StoreFiles(folder.database).reserve).spend()
        for path in otherFolders { try Self.empty(path) }
        for name in try Self.names(in: folder.recordings)
        where name != "next-number" && !name.hasSuffix(".json") && !name.hasSuffix(".open") {
            Self.cut(folder.recordings + "/" + name)
        }
    }

    /// Leaves a file that is a person's copy too, by a link.
    private static func cut(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return }
        truncate(path, 0)
    }

    private static func isFullDisk(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.kind == .diskFull || (error as? FileError)?.code == ENOSPC
    }

    private func interrupted(_ database: StudyDatabase) async -> Interrupted {
        var done: [String] = []
        if let state = (try? await database.latestEnrolment()) ?? nil, state.withdrawn != nil {
            done.append("participant \(state.record.participant) has left study \(state.record.studyID)")
        }
        if let views = try? await database.recordingViews(), !views.isEmpty {
            let left = views.count { $0.removed == nil }
            done.append(
                "\(views.count - left) of \(Plural.of(views.count, "recording")) deleted"
                    + (left > 0 ? ", the rest emptied" : ""))
        }
        if (try? otherFolders.allSatisfy { try Self.names(in: $0).isEmpty }) == true {
            done.append("results, speech and media deleted")
        }
        if let last = (try? await database.lastEnrolment()) ?? nil,
            (try? await database.hasErasedAnswers(of: last)) == true
        {
            done.append("the answers erased")
        }
        return Interrupted(folder: folder.path, done: done)
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
        guard mkdir(closed, 0o750) == 0 || errno == EEXIST else { throw FileError.last("create", closed) }
        let path = closed + "/" + ResultEntry.fileName(of: enrolment) + ".sqlite"
        // The next log begins empty: this one's head, which is kept beside it, must not make its rows look lost.
        StudyDatabase.forget(folder.database)
        EnrolmentBackup(folder).keep(nil)
        try AtomicFile.rename(folder.database, to: path)
        // It is never written again.
        chmod(path, 0o440)
        try AtomicFile.sync(folder.path)
        return path
    }

    private func empty() throws {
        for path in [folder.recordings] + otherFolders { try Self.empty(path) }
        try RadarPairings.retire(in: ConfiguredDestination.folder(in: folder.path))
        DeviceKeyFile(folder).remove()
        JoinNote(folder).clear()
        let reserve = StoreReserve(StoreFiles(folder.database).reserve)
        reserve.clearNotedRemovals()
        reserve.clearNotedWish()
        EncryptionKey.remove(in: folder)
        unlink(StateFolder.reportMemory(in: folder.path))
    }

    /// Removes everything below a folder; one that is not there is empty.
    private static func empty(_ path: String) throws {
        for name in try names(in: path) {
            let below = path + "/" + name
            if unlink(below) == 0 { continue }
            guard errno == EISDIR || errno == EPERM else { throw FileError.last("delete", below) }
            try empty(below)
            guard rmdir(below) == 0 else { throw FileError.last("delete", below) }
        }
    }

    /// None where the folder is not there. Throws where it cannot be read: it may hold anything.
    private static func names(in path: String) throws -> [String] {
        do { return try FolderListing.names(in: path) } catch  where error.code == ENOENT {
            return []
        } catch { throw FileError(path: path, message: String(cString: strerror(error.code))) }
    }
}
