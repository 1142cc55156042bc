// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit

/// Makes a lab's folder of a backup, and checks what it restores. What is damaged is left out: a device may send it
/// again.
struct Restore: Sendable {
    struct Outcome: Sendable, Hashable {
        var files = 0
        var bytes: Int64 = 0
        /// What is missing or damaged, in words.
        var problems: [String] = []
    }

    private static let archive = Archive.rows.file

    /// When the backup was made.
    let made: Instant
    private let folder: String
    private let directory: String
    private let note: BackupNote
    private let databases: [String]
    /// Keep the server, `erase` and `mirror` out.
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
        databases = try Set(note.databases + LabFile.databases(in: folder)).sorted()
        try ParticipantRows.checkVersions(of: stores, in: folder)
        guard try LabFile.isEmpty(directory) else {
            throw FileError(path: directory, message: "is not empty", remedy: "name another folder by --data")
        }
        try File.makeFolder(directory)
        locks = try ["lock", "mirror-lock"].map { name throws(FileError) in
            try FolderLock(
                "\(directory)/\(name)", of: directory, taken: "another study-receiver is using it",
                remedy: "stop it first, or name another folder by --data")
        }
        let files = try LabFile.all(in: folder) + databases.compactMap { LabFile($0, in: folder) }
        try LabFile.checkSpace(for: files.reduce(0) { $0 + $1.bytes }, in: directory, free)
    }

    /// The databases get their names last: none names what is not there yet.
    func run(progress: (Double) -> Void) throws -> Outcome {
        var outcome = Outcome()
        let whole = try databases.filter { try copyDatabase($0, &outcome) }
        if whole.contains(Self.archive) {
            try Archive.deleteUnfinished(in: new(Self.archive))
            try copyFiles(try Archive.namedFiles(in: new(Self.archive)), &outcome, progress)
        } else {
            outcome.problems.append("files/ and sage/: are left out, since \(Self.archive) would say what they are")
            try copyFiles([], &outcome, progress)
        }
        try AtomicFile.syncAll(of: directory)
        for name in whole { try AtomicFile.place(new(name), at: "\(directory)/\(name)") }
        return outcome
    }

    private func new(_ database: String) -> String { "\(directory)/\(database).new" }

    /// False where it is not whole.
    private func copyDatabase(_ name: String, _ outcome: inout Outcome) throws -> Bool {
        guard let file = LabFile(name, in: folder) else {
            outcome.problems.append("\(name): is missing")
            return false
        }
        let problem = try copy(file, to: new(name)) ?? Self.damage(of: new(name))
        for end in Backup.ends { unlink(new(name) + end) }
        guard let problem else { return true }
        unlink(new(name))
        outcome.problems.append("\(name): \(problem)")
        return false
    }

    private static func damage(of database: String) -> String? {
        do {
            return try Connection(.readOnly(database)).integrityErrors().first.map { "is damaged: \($0)" }
        } catch { return "is damaged: \(Explanation(error).cause)" }
    }

    private func copyFiles(_ named: [NamedFile], _ outcome: inout Outcome, _ progress: (Double) -> Void) throws {
        let removed = Set(note.removed)
        let files = try LabFile.all(in: folder, named).filter { !removed.contains($0.path) }
        let owners = named.flatMap { file in file.paths.map { ($0, file) } }
        let rows = Dictionary(owners) { first, _ in first }
        outcome.problems += NamedFile.missing(named, among: files)
        let all = max(1, files.reduce(0) { $0 + $1.bytes })
        var read: Int64 = 0
        for file in files {
            let target = "\(directory)/\(file.path)"
            let row = rows[file.path]
            if let problem = try copy(file, to: target) ?? Self.damage(of: target, row) {
                unlink(target)
                outcome.problems.append(row?.says(problem) ?? "\(file.path): \(problem)")
            } else {
                outcome.files += 1
                outcome.bytes += file.bytes
            }
            read += file.bytes
            progress(Double(read) / Double(all))
        }
    }

    /// What the kernel said, where the backup cannot be read.
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
