// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// One program at a time in a folder, by a lock of the kernel (flock(2)), which ends with the process however it ends.
enum FolderLock {
    /// The descriptor that keeps others out until it is closed; nil where another has it. Makes the folder where it is
    /// missing. Network file systems that have no such lock let all in.
    static func take(_ path: String) throws(FileError) -> CInt? {
        try File.makeFolder(path)
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileError.last("open", path) }
        if flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return folder }
        close(folder)
        return nil
    }
}
