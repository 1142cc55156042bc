// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// What the kernel refused about a file on a disk.
package struct FileError: ExplainedError, Sendable, Hashable {
    /// `write`, `rename`, `sync the folder of`.
    package let operation: String
    /// The file, as it was named.
    package let path: String
    /// The errno value.
    package let code: CInt

    /// That operation on that file, and the kernel's answer.
    package init(operation: String, path: String, code: CInt) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The failure of the C call made directly before on this thread.
    static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, code: errno)
    }

    /// The errno value in the C library's words.
    package var reason: String { String(cString: strerror(code)) }

    /// With the remedy where one is known.
    package var explanation: Explanation {
        Explanation(place: path, cause: "cannot \(operation): \(reason)", remedy: remedy)
    }

    private var remedy: String? {
        switch code {
        case ENOSPC, EDQUOT: "free space or lower the disk cap of the recordings"
        case EACCES, EPERM, EROFS: "the state folder must be writable for the user studyd runs as"
        case EIO: "the storage is failing: replace the SD card"
        default: nil
        }
    }
}
