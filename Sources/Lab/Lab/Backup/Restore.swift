// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit

/// `study-receiver restore`: makes a lab's folder of a backup, and checks what it restores. What is damaged is
/// left out: a device may send it again.
struct Restore: Sendable {
    struct Outcome: Sendable, Hashable {
        var files = 0
        var bytes: Int64 = 0
        var problems: [String] = []
    }

    private static let archive = Archive.participantRows.file
    private static let mirror = "mirror.sqlite"
    /// What to do where the backup lacks one of these databases.
    private static let remedies = [
        LabRegister.participantRows.file: "who was erased is not known without it: erase them again, before a 'mirror'",
        DeviceKeys.participantRows.file: "revocations are not known without it: revoke those keys again",
    ]

    let made: Instant
    private let folder: String
    private let directory: String
    private let note: BackupNote
    private let databases: [String]
    private let stores: [ParticipantRows]
    private let emptied: [String]
    /// Held against the server, `erase`, `mirror` and `backup`.
    private let locks: [FolderLock]

    init(
        of folder: String, to directory: String, _ stores: [ParticipantRows],
        free: (String) -> Int64? = { DiskSpace(at: $0)?.free }
    ) throws {
        guard let note = try BackupNote(in: folder) else {
            throw FileError(
                path: folder, message: "is not a backup of study-receiver",
                remedy: "name the folder that 'study-receiver backup' made")
        }
        guard let made = note.made else {
            throw FileError(
                path: folder, message: "is a backup that was never finished",
                remedy: "run 'study-receiver backup' again")
        }
        (self.folder, self.directory, self.note, self.made) = (folder, directory, note, made)
        self.stores = stores
        let own = try Self.lock(folder)
        databases = try Set(note.databases + LabFile.databases(in: folder)).sorted()
        emptied = try ParticipantRows.emptied(of: stores, in: folder)
        guard try LabFile.isEmpty(directory) else {
            throw FileError(path: directory, message: "is not empty", remedy: "name another folder by --data")
        }
        try File.makeFolder(directory)
        let others = try ["lock", "mirror-lock"].map { name throws(FileError) in
            try FolderLock(
                "\(directory)/\(name)", of: directory, taken: "another study-receiver is using it",
                remedy: "stop it first, or name another folder by --data")
        }
        locks = own + others
        let files = try LabFile.all(in: folder) + databases.compactMap { LabFile($0, in: folder) }
        try LabFile.checkSpace(for: files.reduce(0) { $0 + $1.bytes }, in: directory, free)
    }

    /// None where the folder cannot be written: no backup can be made into it then.
    private static func lock(_ folder: String) throws -> [FolderLock] {
        guard access(folder, W_OK) == 0 else { return [] }
        return [
            try FolderLock(
                folder + "/lock", of: folder, taken: "a backup is being made into it", remedy: "wait for that",
                isShared: true, orNone: true)
        ]
    }

    /// Throws for a folder that was not wholly restored: what it has not would be taken for empty.
    static func checkFinished(_ directory: String) throws {
        guard try FolderListing.names(in: directory).contains(where: { $0.hasSuffix(".sqlite.new") }) else { return }
        throw FileError(
            path: directory, message: "was not wholly restored",
            remedy: "run 'study-receiver restore' into another folder")
    }

    /// The databases get their names last: none names what is not there yet.
    func run(progress: (Double) -> Void) throws -> Outcome {
        var outcome = Outcome()
        let whole = try databases.filter { try copyDatabase($0, &outcome) }
        try restoreFiles(whole, &outcome, progress)
        let isWithoutMirror = !outcome.problems.isEmpty && whole.contains(Self.mirror)
        if isWithoutMirror {
            unlink(new(Self.mirror))
            outcome.problems.append("\(Self.mirror): is left out, so that the next 'mirror' fetches all again")
        }
        try AtomicFile.syncAll(of: directory)
        for name in whole where !isWithoutMirror || name != Self.mirror {
            try AtomicFile.place(new(name), at: "\(directory)/\(name)")
        }
        return outcome
    }

    private func new(_ database: String) -> String { "\(directory)/\(database).new" }

    /// Copies the files, and lets the databases forget those that are left out.
    private func restoreFiles(_ whole: [String], _ outcome: inout Outcome, _ progress: (Double) -> Void) throws {
        let (hasArchive, sizes) = (whole.contains(Self.archive), try namedSizes(whole))
        var lost: [NamedFile] = []
        let archive = ArchiveCopy(new(Self.archive))
        if hasArchive {
            try archive.deleteUnfinished()
            lost = try copyFiles(try archive.namedFiles(), sizes, &outcome, progress)
        } else {
            outcome.problems.append("files/ and sage/: are left out, since \(Self.archive) would say what they are")
            _ = try copyFiles([], sizes, &outcome, progress)
        }
        if !lost.isEmpty { try archive.deleteRows(of: lost) }
        guard !lost.isEmpty || !hasArchive, whole.contains(FleetArchive.participantRows.file) else { return }
        try FleetArchive.forgetArrivals(in: new(FleetArchive.participantRows.file), andAnswers: !hasArchive)
    }

    private func namedSizes(_ whole: [String]) throws -> [String: Int64] {
        var all: [String: Int64] = [:]
        for store in stores where whole.contains(store.file) {
            guard let sizes = store.sizes else { continue }
            defer { for end in Backup.sidecarSuffixes { unlink(new(store.file) + end) } }
            let connection = try Connection(.readOnly(new(store.file)))
            guard try Schema.has(store.version, connection) else { continue }
            all.merge(try sizes(connection)) { first, _ in first }
        }
        return all
    }

    /// False where the copy is damaged, which is noted.
    private func copyDatabase(_ name: String, _ outcome: inout Outcome) throws -> Bool {
        guard let problem = try copyWhole(name) else { return true }
        unlink(new(name))
        outcome.problems.append("\(name): \(problem)" + (Self.remedies[name].map { "; \($0)" } ?? ""))
        return false
    }

    private func copyWhole(_ name: String) throws -> String? {
        guard let file = LabFile(name, in: folder) else { return NamedFile.isMissing }
        guard !emptied.contains(name) else { return "is damaged: it is empty" }
        defer { for end in Backup.sidecarSuffixes { unlink(new(name) + end) } }
        return try copy(file, to: new(name)) ?? Self.damage(of: new(name))
    }

    private static func damage(of database: String) -> String? {
        do {
            return try Connection(.readOnly(database)).integrityErrors().first.map { "is damaged: \($0)" }
        } catch { return "is damaged: \(Explanation(error).cause)" }
    }

    /// Returns the files that are missing or damaged, of those that rows name.
    private func copyFiles(
        _ named: [NamedFile], _ sizes: [String: Int64], _ outcome: inout Outcome, _ progress: (Double) -> Void
    ) throws -> [NamedFile] {
        let removed = Set(note.removed)
        let files = try LabFile.all(in: folder, named).filter { !removed.contains($0.path) }
        let owners = named.flatMap { file in file.paths.map { ($0, file) } }
        let rows = Dictionary(owners) { first, _ in first }
        var lost = NamedFile.missing(named, among: files)
        outcome.problems += lost.map { $0.says(NamedFile.isMissing) }
        let absent = Set(sizes.keys).subtracting(files.map(\.path)).sorted()
        outcome.problems += absent.map { "\($0): \(NamedFile.isMissing)" }
        let all = max(1, files.reduce(0) { $0 + $1.bytes })
        var read: Int64 = 0
        for file in files {
            let target = "\(directory)/\(file.path)"
            let row = rows[file.path]
            let problem = try Self.wrongSize(file, sizes) ?? copy(file, to: target) ?? Self.damage(of: target, row)
            if let problem {
                unlink(target)
                if let row { lost.append(row) }
                outcome.problems.append(row?.says(problem) ?? "\(file.path): \(problem)")
            } else {
                outcome.files += 1
                outcome.bytes += file.bytes
            }
            read += file.bytes
            progress(Double(read) / Double(all))
        }
        return lost
    }

    private static func wrongSize(_ file: LabFile, _ sizes: [String: Int64]) -> String? {
        guard let bytes = sizes[file.path], bytes != file.bytes else { return nil }
        return "is damaged: it has \(file.bytes) instead of \(bytes) bytes"
    }

    /// Nil, or why the kernel could not read the backup's file.
    private func copy(_ file: LabFile, to target: String) throws -> String? {
        do { try file.copy(from: folder, to: target) } catch let error as FileError
            where error.path == "\(folder)/\(file.path)"
        {
            return error.reason
        }
        return nil
    }

    private static func damage(of file: String, _ row: NamedFile?) throws -> String? {
        guard let row, try Digest(ofFile: file).description != row.sha256 else { return nil }
        return "is damaged: its SHA-256 is not \(row.sha256)"
    }
}
