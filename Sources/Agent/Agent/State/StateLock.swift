// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import SystemKit

/// One agent per state folder: a lock of the kernel (flock(2)), which ends with the process however
/// that ends, and works even where the control socket was removed or is held without an answer.
final class StateLock: Sendable {
    private let descriptor: Mutex<CInt>

    /// Takes the lock of that folder; throws who has it.
    init(_ folder: StateFolder) throws {
        let path = folder.lock
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else {
            throw FileError(
                path: path, message: "\(String(cString: strerror(errno)))", remedy: "the state folder must be writable")
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else {
                close(file)
                throw FileError(
                    path: path, message: "cannot be locked: \(String(cString: strerror(code)))",
                    remedy: "keep the state folder on a local disk")
            }
            let holder = (try? BoundedFile.text(path))?.split(whereSeparator: \.isWhitespace).first
            close(file)
            throw FileError(
                path: folder.path,
                message: "another studyd is running with this state folder" + (holder.map { " (process \($0))" } ?? "")
                    + "; stop it first (systemctl stop studyd), or use another folder with --state")
        }
        ftruncate(file, 0)
        let text = Array("\(getpid())\n".utf8)
        _ = pwrite(file, text, text.count, 0)
        descriptor = Mutex(file)
    }

    /// Frees the folder; calling it again does nothing.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    deinit { release() }
}
