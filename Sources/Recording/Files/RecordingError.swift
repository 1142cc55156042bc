// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What went wrong with a recording: where, and what to do about it.
public enum RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kernel refused an operation on a file.
    case system(operation: String, path: String, code: Int32)
    /// A file is not what its name or place promises.
    case format(path: String, problem: String)
    /// libFLAC, zlib or libcrypto refused.
    case library(name: String, problem: String)

    /// Names the file or the library, what was refused, and the remedy where one is known.
    public var description: String {
        switch self {
        case .system(let operation, let path, let code):
            "\(path): cannot \(operation): \(String(cString: strerror(code)))\(Self.remedy(code))"
        case .format(let path, let problem): "\(path): \(problem)"
        case .library(let name, let problem): "\(name): \(problem)"
        }
    }

    private static func remedy(_ code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "; free space or lower the disk cap of the recordings"
        case EACCES, EPERM, EROFS: "; the state folder must be writable for the user studyd runs as"
        case EIO: "; the storage is failing: replace the SD card"
        default: ""
        }
    }
}
