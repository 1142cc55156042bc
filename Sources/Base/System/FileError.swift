// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// What is wrong with a file: what the kernel refused, or what the file holds.
package struct FileError: ExplainedError, Sendable, Hashable {
    /// The path as the caller gave it.
    package let path: String
    /// What the kernel refused: `write`, `rename`, `sync the folder of`; nil where the content is
    /// wrong.
    package let operation: String?
    /// The errno value; 0 where the content is wrong.
    package let code: CInt
    private let message: String
    private let remedy: String?

    /// That operation on that file, and the kernel's answer.
    package init(operation: String, path: String, code: CInt) {
        self.path = path
        self.operation = operation
        self.code = code
        message = "cannot \(operation): \(String(cString: strerror(code)))"
        remedy = Self.remedy(code)
    }

    package init(path: String, message: String, remedy: String? = nil) {
        self.path = path
        operation = nil
        code = 0
        self.message = message
        self.remedy = remedy
    }

    /// The failure of the C call made directly before on this thread.
    package static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, code: errno)
    }

    /// The same without an operation: the message is the C library's alone.
    package static func last(_ path: String) -> FileError {
        FileError(path: path, message: String(cString: strerror(errno)))
    }

    /// The same error for a file that could not be read, saying what it should have held: `the key`.
    package func reading(_ content: String) -> FileError {
        FileError(path: path, message: "\(content) cannot be read: \(reason)", remedy: remedy)
    }

    /// A file from outside that could not be read: the failure of the C call made directly before.
    package static func lastReading(_ path: String) -> FileError {
        let code = errno
        let remedy: String? =
            switch code {
            case ENOENT, ENOTDIR: "check its name and its folder"
            case EISDIR: "name a file in it"
            default: Self.remedy(code)
            }
        return FileError(path: path, message: String(cString: strerror(code)), remedy: remedy)
    }

    /// What the kernel answered, in the C library's words.
    package var reason: String { code == 0 ? message : String(cString: strerror(code)) }

    /// With the remedy where one is known.
    package var explanation: Explanation { Explanation(place: path, cause: message, remedy: remedy) }

    private static func remedy(_ code: CInt) -> String? {
        switch code {
        case ENOSPC, EDQUOT: "free space on its disk"
        case EACCES, EPERM: "check the rights of the file and of its folders, and which user this runs as"
        case EROFS: "its disk is mounted read-only"
        case EIO: "the storage is failing: replace the SD card or disk"
        default: nil
        }
    }
}
