// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file to be written, often one that the user named with `-o`; `AtomicFile` and exports write through it. A
/// regular one, or none, is written beside its place and takes its name when it is whole: a reader sees the old
/// content or the new. Anything else (a device, a pipe, a link) is written to as it is and never replaced.
///
/// What is written beside is new and no link (O_EXCL, O_NOFOLLOW), so that a link laid in its way
/// leads nowhere; the folder is synced with the name. A link is opened by the kernel's own rules
/// (`fs.protected_symlinks`), which a path that is resolved beforehand would get round. One thread.
package final class TargetFile {
    /// Of the file beside the target, or of the target; closed here, not by the caller.
    package let descriptor: CInt
    private let path: String
    /// Nil where the target is written to directly.
    private let temporary: String?
    private var isOpen = true

    /// Opens what is to be written. A new file gets `mode`, less the umask; one in place of another
    /// gets its mode and, for root, its owner. `temporary` is the name under which it is written,
    /// for a file of our own folders: what a power cut left of it is taken away.
    package init(_ path: String, mode: mode_t = 0o644, temporary name: String? = nil) throws(FileError) {
        self.path = path
        var status = stat()
        let isThere = lstat(path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
            temporary = nil
            descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY)
            if descriptor < 0 { throw .last("open", path) }
            return
        }
        if let name { unlink(name) }
        // Short, because the target's name may be as long as a name can be.
        let temporary =
            name
            ?? "\(AtomicFile.folder(of: path))/.studyd-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isThere ? 0o600 : mode)
        guard descriptor >= 0 else { throw .last("create", path) }
        self.temporary = temporary
        guard isThere else { return }
        // Where that is not allowed, the file belongs to its writer.
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        _ = fchmod(descriptor, status.st_mode & 0o777)
    }

    deinit {
        guard isOpen else { return }
        close(descriptor)
        if let temporary { unlink(temporary) }
    }

    package func write(_ bytes: [UInt8]) throws(FileError) {
        guard File.write(bytes[...], to: descriptor) else { throw failure("write") }
    }

    /// Brings it to the disk, and to its name. Without this nothing is left of a file
    /// that was to be new. What is not `isSynced` may be short after a power cut.
    package func finish(isSynced: Bool = true) throws(FileError) {
        // A pipe and a device have nothing to sync.
        guard !isSynced || fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw failure("sync") }
        isOpen = false
        guard close(descriptor) == 0 else { throw discarding(failure("close")) }
        guard let temporary else { return }
        guard rename(temporary, path) == 0 else { throw discarding(failure("rename")) }
        if isSynced { try AtomicFile.syncFolder(of: path) }
    }

    private func discarding(_ error: FileError) -> FileError {
        if let temporary { unlink(temporary) }
        return error
    }

    private func failure(_ operation: String) -> FileError { .last(operation, path) }
}
