// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// A file of a lab's folder that a backup has, beside the databases; `Backup` and `Restore` list and copy them.
struct LabFile: Sendable {
    /// Relative to the data folder.
    let path: String
    let bytes: Int64
    private let modified: timespec
    private let mode: mode_t

    /// Others are left out: they are made again (`previews`, `downloads`), or sent again (`partial`).
    private static let folders = ["files", "sage", "bridge", "manifests", "logs", "studies"]
    private static let locks = ["lock", "mirror-lock"]

    /// Nil where there is no regular file.
    init?(_ path: String, in directory: String) {
        var status = stat()
        guard stat("\(directory)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (self.path, bytes) = (path, Int64(status.st_size))
        (modified, mode) = (status.st_mtim, status.st_mode & 0o777)
    }

    /// By size and time. SMB has times in 100 ns, FAT in 2 s: that will do where a name is not given again.
    func isSame(as other: LabFile?) -> Bool {
        guard let other, bytes == other.bytes else { return false }
        let seconds = modified.tv_sec &- other.modified.tv_sec
        guard (-2...2).contains(seconds) else { return false }
        let apart = abs(Int64(seconds) * 1_000_000_000 + Int64(modified.tv_nsec) - Int64(other.modified.tv_nsec))
        return needsRow ? apart <= 2_000_000_000 : apart < 100
    }

    /// With its mode and time; the caller syncs.
    func copy(from directory: String, to target: String) throws {
        if let slash = target.lastIndex(of: "/") { try File.makeFolder(String(target[..<slash])) }
        unlink(target)
        let file = try File(target, .create)
        var offset = 0
        _ = try File.forEachPiece("\(directory)/\(path)", size: 1 << 20) { piece in
            try file.write(Array(piece), at: offset)
            offset += piece.count
            return true
        }
        // Where the file system has neither, it is copied again each time.
        _ = chmod(target, mode)
        _ = utimensat(AT_FDCWD, target, [modified, modified], 0)
    }

    // MARK: Folders

    /// The files that a backup keeps: of `files` and `sage` only those that rows name.
    static func all(in directory: String, _ named: [NamedFile]) throws -> [LabFile] {
        let known = Set(named.flatMap(\.paths))
        return try all(in: directory).filter { known.contains($0.path) || !$0.needsRow }
    }

    static func all(in directory: String) throws -> [LabFile] {
        try paths(in: directory).filter { !isTemporary($0) }.compactMap { LabFile($0, in: directory) }
    }

    private var needsRow: Bool { path.hasPrefix("files/") || path.hasPrefix("sage/") }

    /// Never one in `files`, where an upload may have any name.
    private static func isTemporary(_ path: String) -> Bool {
        !path.hasPrefix("files/") && (path.hasSuffix(".new") || path.hasSuffix(".unchecked"))
    }

    /// The files beside the databases, and all that lies in the folders of a backup.
    static func paths(in directory: String) throws(FolderListing.Failure) -> [String] {
        var paths = try names(in: directory).filter { name in
            !name.hasPrefix(".") && !name.contains(".sqlite") && !locks.contains(name) && name != BackupNote.name
                && LabFile(name, in: directory) != nil
        }
        for folder in folders {
            for name in try names(in: "\(directory)/\(folder)") {
                paths.append("\(folder)/\(name)")
                guard folder == "studies" else { continue }
                paths += try names(in: "\(directory)/studies/\(name)").map { "studies/\(name)/\($0)" }
            }
        }
        return paths
    }

    static func databases(in directory: String) throws(FolderListing.Failure) -> [String] {
        try names(in: directory).filter { $0.hasSuffix(".sqlite") }
    }

    /// Also true where there is none.
    static func isEmpty(_ directory: String) throws(FolderListing.Failure) -> Bool {
        try names(in: directory).allSatisfy { $0 == "lost+found" || locks.contains($0) }
    }

    /// An error is not taken for an empty folder: its files would seem to be deleted.
    private static func names(in folder: String) throws(FolderListing.Failure) -> [String] {
        do throws(FolderListing.Failure) { return try FolderListing.names(in: folder) } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return []
        }
    }

    /// Throws where this user may not look into it: what is there would be taken for absent.
    static func checkAccess(to folder: String) throws(FileError) {
        var status = stat()
        guard stat(folder + "/.", &status) != 0, errno == EACCES else { return }
        let owner = stat(folder, &status) == 0 ? UserName.of(status.st_uid) : "of the server"
        throw FileError(
            path: folder, message: "permission denied to the user \(UserName.of(geteuid()))",
            remedy: "run this as the user \(owner)")
    }

    /// Throws where the disk has no room for that.
    static func checkSpace(for bytes: Int64, in folder: String, _ free: (String) -> Int64?) throws(FileError) {
        guard let room = free(folder), room < bytes else { return }
        throw FileError(
            path: folder, message: "has \(ByteText.of(room)) free, and this needs \(ByteText.of(bytes))",
            remedy: "free space there, or name a folder on another disk")
    }

    /// Also through links, and for a path that is not there yet.
    static func isInside(_ path: String, _ folder: String) -> Bool {
        let (inner, outer) = (resolved(path), resolved(folder))
        return inner == outer || inner.hasPrefix(outer + "/")
    }

    private static func resolved(_ path: String) -> String {
        if let real = File.realPath(path) { return real }
        guard let slash = path.lastIndex(of: "/") else { return path == "." ? path : "\(resolved("."))/\(path)" }
        return slash == path.startIndex ? path : resolved(String(path[..<slash])) + String(path[slash...])
    }
}
