// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit

/// `study-receiver backup`: copies a lab's folder, beside a running server, into a folder that has nothing
/// else.
///
/// Files come before the rows that name them, and go after these: whatever a crash leaves can be restored, as the
/// earlier backup or as this one, and the next run finishes it.
struct Backup: Sendable {
    struct Outcome: Sendable, Hashable {
        var files = 0
        var bytes: Int64 = 0
        var removed = 0
        var problems: [String] = []
    }

    private static let archive = Archive.participantRows.file
    /// Their snapshots are taken first, because they say what is in the databases that follow: reports (`fleet`) name
    /// answers and files (`receiver`), and each change of a key (`devices`) is logged (`lab`). A snapshot taken later
    /// has at least that. `receiver` is the last. They are put into place in the reverse order, which a crash thus keeps.
    private static let firstDatabases = [
        "mirror.sqlite", LabRegister.participantRows.file, FleetArchive.participantRows.file,
    ]
    private static let key = "receiver.key"
    /// Files are synced and noted together, as many or as large as this.
    private static let mostTogether = 256
    private static let mostBytes: Int64 = 1 << 30
    /// What SQLite may have left beside a database.
    static let sidecarSuffixes = ["-wal", "-shm", "-journal"]

    private let directory: String
    private let folder: String
    private let made: Instant
    /// In the order of their snapshots.
    let databases: [String]
    /// Held against `erase`, `mirror`, `restore` and other backups.
    private var locks: [FolderLock] = []

    init(
        of directory: String, to folder: String, _ stores: [ParticipantRows], at now: Instant,
        free: (String) -> Int64? = { DiskSpace(at: $0)?.free }
    ) throws {
        (self.directory, self.folder, made) = (directory, folder, now)
        guard access("\(directory)/\(Self.archive)", F_OK) == 0 else {
            throw FileError(
                path: directory, message: "has no \(Self.archive)", remedy: "name the server's folder by --data")
        }
        let lock = try FolderLock(
            directory + "/mirror-lock", of: directory,
            taken: "a bucket or stick is being fetched into it, a participant erased, or another backup made",
            remedy: "wait for that")
        let found = try LabFile.databases(in: directory)
        let others = found.filter { !Self.firstDatabases.contains($0) && $0 != Self.archive }
        databases = Self.firstDatabases.filter { found.contains($0) } + others + [Self.archive]
        if let name = try ParticipantRows.emptied(of: stores, in: directory).first {
            throw FileError(
                path: "\(directory)/\(name)", message: "is empty",
                remedy: "restore the last backup into another folder; without one, start the server, which fills it")
        }
        locks = [lock, try openFolder()]
        try LabFile.checkSpace(for: try neededBytes(), in: folder, free)
    }

    // MARK: Before anything is changed

    private func openFolder() throws -> FolderLock {
        let isNew = try BackupNote(in: folder) == nil
        guard try !isNew || LabFile.isEmpty(folder) else {
            throw FileError(
                path: folder, message: "is neither empty nor a backup of study-receiver", remedy: "name another folder")
        }
        try checkOrigin()
        try checkRows()
        try File.makeFolder(folder)
        let lock = try FolderLock(
            folder + "/lock", of: folder, taken: "another backup is being made into it, or it is being restored",
            remedy: "wait for that", orNone: true)
        guard chmod(folder, 0o700) == 0 else { throw FileError.last("set the mode of", folder) }
        if isNew { try BackupNote().write(to: folder) }
        // Left by a run that a full disk has ended.
        for name in databases { for end in [""] + Self.sidecarSuffixes { unlink("\(folder)/\(name).new\(end)") } }
        return lock
    }

    /// A backup is not replaced by that of another server, or of a folder that has lost something.
    private func checkOrigin() throws {
        for name in try LabFile.databases(in: folder) + [Self.key] where isThere(name, folder) {
            guard isThere(name, directory) else {
                throw FileError(
                    path: "\(directory)/\(name)", message: "is gone, and the backup has it",
                    remedy: "copy it from \(folder), or delete it there, too")
            }
        }
        guard isThere(Self.key, folder) else { return }
        guard try BoundedFile.read("\(directory)/\(Self.key)") == BoundedFile.read("\(folder)/\(Self.key)") else {
            throw FileError(
                path: folder, message: "is the backup of another server: its \(Self.key) differs",
                remedy: "name another folder, or copy that key from it")
        }
    }

    /// Throws where the data folder lost rows, as after a start with an empty database. A damaged copy is replaced.
    private func checkRows() throws {
        guard let saved = try? ArchiveCopy("\(folder)/\(Self.archive)").highestNumbers() else { return }
        let path = "\(directory)/\(Self.archive)"
        let mine: [String: Int64]
        do { mine = try ArchiveCopy(path).highestNumbers() } catch {
            throw CommandError(Explanation(error).within(path))
        }
        guard saved.contains(where: { $1 > mine[$0] ?? 0 }) else { return }
        throw FileError(
            path: path, message: "has lost rows, and the backup in \(folder) has them",
            remedy: "restore that into another folder, or name another by -o")
    }

    private func isThere(_ name: String, _ place: String) -> Bool { access("\(place)/\(name)", F_OK) == 0 }

    private func neededBytes() throws -> Int64 {
        let stores = databases.flatMap { [$0, $0 + "-wal"] }.compactMap { LabFile($0, in: directory)?.bytes }
        let files = try LabFile.all(in: directory).filter(isNew)
        let replaced = files.compactMap { LabFile($0.path, in: folder)?.bytes }.reduce(0, +)
        // Of files that get their names together, the old and the new one lie there at once.
        let freed = max(0, replaced - Self.mostBytes - (files.map(\.bytes).max() ?? 0))
        return (stores + files.map(\.bytes)).reduce(0, +) - freed
    }

    private func isNew(_ file: LabFile) -> Bool { !file.isSame(as: LabFile(file.path, in: folder)) }

    // MARK: Steps

    func run(progress: (Double) -> Void) throws -> Outcome {
        try takeSnapshots()
        var outcome = try copyFiles(progress: progress)
        for database in databases.reversed() { try place(database) }
        let stale = try noteStaleFiles()
        try remove(stale)
        outcome.removed = stale.count
        return outcome
    }

    func takeSnapshots() throws {
        for name in databases {
            let (source, new) = ("\(directory)/\(name)", "\(folder)/\(name).new")
            do { try Connection(.readOnly(source)).copy(to: new) } catch {
                throw CommandError(Explanation(error).within(source))
            }
        }
    }

    func copyFiles(progress: (Double) -> Void = { _ in }) throws -> Outcome {
        let named = try ArchiveCopy("\(folder)/\(Self.archive).new").namedFiles()
        let files = try LabFile.all(in: directory, named)
        let missing = NamedFile.missing(named, among: files)
        var outcome = Outcome(problems: missing.map { $0.says(NamedFile.isMissing) })
        let new = files.filter(isNew)
        let all = max(1, new.reduce(0) { $0 + $1.bytes })
        var (waiting, bytes): ([LabFile], Int64) = ([], 0)
        for file in new {
            do {
                try file.copy(from: directory, to: "\(folder)/\(file.path).new")
                waiting.append(file)
                outcome.files += 1
                outcome.bytes += file.bytes
                bytes += file.bytes
            } catch let error as FileError where error.path == "\(directory)/\(file.path)" {
                outcome.problems.append("\(file.path): \(error.reason)")
            }
            if waiting.count >= Self.mostTogether || bytes >= Self.mostBytes {
                try putInPlace(waiting)
                (waiting, bytes) = ([], 0)
            }
            progress(Double(outcome.bytes) / Double(all))
        }
        try putInPlace(waiting)
        return outcome
    }

    /// Gives the copies their names once they are whole on the disk.
    private func putInPlace(_ files: [LabFile]) throws {
        try AtomicFile.syncAll(of: folder)
        for file in files {
            let target = "\(folder)/\(file.path)"
            try AtomicFile.rename(target + ".new", to: target, isSynced: false)
        }
        try AtomicFile.syncAll(of: folder)
    }

    func place(_ database: String) throws {
        let target = "\(folder)/\(database)"
        // A program that opened the copy left them: SQLite would read the old log into the new file.
        for end in Self.sidecarSuffixes { unlink(target + end) }
        try AtomicFile.place(target + ".new", at: target)
    }

    /// Notes that the backup is whole, and returns what is no longer part of it.
    func noteStaleFiles() throws -> [String] {
        let stale = try staleFiles()
        try note(removed: stale)
        return stale
    }

    private func note(removed: [String]) throws {
        var note = BackupNote()
        (note.made, note.databases, note.removed) = (made, databases, removed)
        try note.write(to: folder)
    }

    /// Files of the backup that no longer belong to it. What rows name stays, also where the data folder has lost it,
    /// and so does everything in a folder that the data folder no longer has.
    private func staleFiles() throws -> [String] {
        let named = try ArchiveCopy("\(folder)/\(Self.archive)").namedFiles()
        let files = Set(try LabFile.all(in: directory, named).map(\.path) + named.flatMap(\.paths))
        let kept = files.union(files.map(Self.parent))
        return try LabFile.paths(in: folder).filter { !kept.contains($0) && isThere(Self.parent($0), directory) }
    }

    private static func parent(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    func remove(_ paths: [String]) throws {
        for path in paths {
            let target = "\(folder)/\(path)"
            FolderRemoval.remove(target)
            var status = stat()
            guard lstat(target, &status) != 0 else {
                throw FileError(
                    path: target, message: "cannot be deleted", remedy: "run this as the user who made the backup")
            }
        }
        try AtomicFile.syncAll(of: folder)
        // The note forgets their names, which may contain a participant's.
        try note(removed: [])
    }
}

extension ParticipantRows {
    /// Databases without tables, which the server makes when it opens one: what was in them is lost. Throws where
    /// another version of this program made one. One that is damaged passes.
    static func emptied(of stores: [ParticipantRows], in directory: String) throws -> [String] {
        try stores.filter { store in
            let path = "\(directory)/\(store.file)"
            guard access(path, F_OK) == 0 else { return false }
            do {
                return try !Schema.has(store.version, Connection(.readOnly(path)))
            } catch is DatabaseError { return false }
        }.map(\.file)
    }
}
