// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A folder for temporary files for as long as this process needs it, gone with the last reference.
/// What a process left behind that was killed is taken away by the next one that needs such a folder
/// in the same place. Opened copies of encrypted files are in one.
///
/// A lock (flock(2)) says whether it is still in use: the kernel takes it from a process that ends,
/// however it ends; a process id in a file could be another process's by then.
package final class TemporaryFolder: Sendable {
    package let path: String
    private let lock: CInt
    /// `TMPDIR` where that is an absolute path, else `/tmp`.
    package static let place: String = {
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return wanted.hasPrefix("/") ? wanted : "/tmp"
    }()
    /// Only folders with these beginnings are removed after their process was killed.
    private static let beginnings = [
        "demo", "board", "panel", "iio", "simulate", "validate", "opened", "dataset",
    ].map { "studyd-\($0)-" }
    /// The file in each folder that is locked; `keep` removes it.
    private static let mark = ".in-use"
    /// Seconds; making a folder and locking it never takes this long.
    private static let patience = 60

    /// A new folder in `parent`, by default the system's place for temporary files. `name` has to
    /// be one of those that `beginnings` are made of.
    package init(_ name: String, in parent: String = place) throws(FileError) {
        Self.sweep(parent)
        var template = Array("\(parent)/studyd-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last("create a folder in", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Locked before it has its name: it is never found without the lock.
        let early = path + "/" + Self.mark + ".new"
        lock = open(early, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(early, path + "/" + Self.mark) == 0 else {
            let error = FileError.last(path)
            FolderRemoval.remove(path)
            throw error
        }
    }

    deinit {
        // One that is kept has no mark.
        if access(path + "/" + Self.mark, F_OK) == 0 { remove() }
        if lock >= 0 { close(lock) }
    }

    /// Takes it away with all that is in it. Calling it again does nothing.
    package func remove() { FolderRemoval.remove(path) }

    /// Leaves it to the user: it will not be removed.
    package func keep() { unlink(path + "/" + Self.mark) }

    /// Removes folders in `parent` that are no longer locked; one without a lock file is left alone
    /// unless it stayed empty.
    package static func sweep(_ parent: String) {
        let names =
            (try? FolderListing.names(in: parent) { name in beginnings.contains(where: name.hasPrefix) }) ?? []
        for name in names { sweep(folder: parent + "/" + name) }
    }

    private static func sweep(folder path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return }
        let descriptor = open(path + "/" + mark, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard status.st_mtim.tv_sec < time(nil) - patience else { return }
            // Its process was killed before it held the lock by this name. What has anything else in it stays.
            unlink(path + "/" + mark + ".new")
            rmdir(path)
            return
        }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { FolderRemoval.remove(path) }
    }
}
