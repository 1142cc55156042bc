// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The one way in which a file replaces another: a reader, also after a power cut, sees the old
/// content or the new, never a part.
///
/// Writes beside the target, syncs the content, renames it, syncs the folder; what fails leaves
/// nothing behind. Blocks on the disk.
package enum AtomicFile {
    /// Writes a file in a folder of our own. The temporary file is `path.new`, so a path has one writer at a time.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(FileError) {
        try finish(TargetFile(path, mode: mode, temporary: path + ".new"), bytes)
    }

    /// The same with the temporary file `temporary`, which the folder's owner removes after a power cut.
    package static func write(
        _ bytes: [UInt8], to path: String, beside temporary: String, mode: mode_t
    ) throws(FileError) {
        try finish(TargetFile(path, mode: mode, temporary: temporary), bytes)
    }

    /// Writes a file that the user named; a device, a pipe or a link is written to and never
    /// replaced.
    package static func write(_ bytes: [UInt8], toNamed path: String) throws(FileError) {
        try finish(TargetFile(path), bytes)
    }

    /// Syncs a file that another program wrote, and moves it into its place. Where that fails the
    /// file is removed.
    package static func place(_ finished: String, at path: String) throws(FileError) {
        do throws(FileError) {
            try sync(finished)
            try rename(finished, to: path)
        } catch {
            unlink(finished)
            throw error
        }
    }

    /// Gives a file with its content on the disk another name in the same or another folder;
    /// returns when the name is on the disk too, where `isSynced`.
    package static func rename(_ old: String, to new: String, isSynced: Bool = true) throws(FileError) {
        guard Glibc.rename(old, new) == 0 else { throw .last("rename", old) }
        if isSynced { try syncFolder(of: new) }
    }

    /// Returns when all of the file system that a folder is in is on the disk.
    package static func syncAll(of folder: String) throws(FileError) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", folder) }
        defer { close(descriptor) }
        guard clinux_sync_file_system(descriptor) == 0 else { throw .last("sync", folder) }
    }

    /// Returns when the content of a file, or the names in a folder, are on the disk.
    package static func sync(_ path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("sync", path) }
    }

    /// Syncs the folder that a file is in. A folder that may not be read (`open` needs that right, `rename` does
    /// not), or whose file system has no sync, is left to the kernel without an error.
    package static func syncFolder(of path: String) throws(FileError) {
        let folder = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0, errno == EACCES { return }
        guard folder >= 0 else { throw .last("open the folder of", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 || errno == EINVAL else { throw .last("sync the folder of", path) }
    }

    /// `/` for `/name`, `.` for `name`.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func finish(_ target: TargetFile, _ bytes: [UInt8]) throws(FileError) {
        try target.write(bytes)
        try target.finish()
    }
}
