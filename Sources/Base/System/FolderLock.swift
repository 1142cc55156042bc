// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// One program per folder (the agent's state folder, the receiver's data): a lock of the kernel (flock(2)),
/// which ends with the process however that ends. Its file has the process id of who holds it alone.
package final class FolderLock: Sendable {
    private let descriptor: Mutex<CInt>

    /// Locks the file at `path`, made where it is missing. Where another program holds it, throws an
    /// error of `folder` with the message `taken` and that process id. Several programs may have it
    /// `isShared`, while none has it alone. With `orNone` a file system without locks keeps none out.
    package init(
        _ path: String, of folder: String, taken: String, remedy: String, isShared: Bool = false,
        orNone: Bool = false, by lock: (CInt, CInt) -> CInt = { flock($0, $1) }
    ) throws(FileError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else {
            let code = errno
            throw FileError(
                path: path, message: String(cString: strerror(code)),
                remedy: code == EROFS ? "mount the disk so that it can be written" : "its folder must be writable")
        }
        let code = lock(file, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 ? 0 : errno
        guard code == 0 || orNone && [ENOLCK, ENOSYS, EOPNOTSUPP].contains(code) else {
            guard code == EWOULDBLOCK else {
                close(file)
                throw FileError(
                    path: path, message: "cannot be locked: \(String(cString: strerror(code)))",
                    remedy: "keep the folder on a local disk")
            }
            let holder = (try? BoundedFile.text(path))?.split(whereSeparator: \.isWhitespace).first
            close(file)
            throw FileError(
                path: folder, message: taken + (holder.map { " (process \($0))" } ?? ""), remedy: remedy)
        }
        ftruncate(file, 0)
        let text = Array((isShared ? "" : "\(getpid())\n").utf8)
        _ = pwrite(file, text, text.count, 0)
        descriptor = Mutex(file)
    }

    /// Frees the folder; calling it again does nothing.
    package func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // A child between fork and exec shares the open file, which closing alone would leave locked.
            flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }

    deinit { release() }
}
