// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What went wrong with a recording: where, and what to do about it.
package enum RecordingError: ExplainedError, Sendable, Hashable {
    /// The kernel refused an operation on a file.
    case system(operation: String, path: String, code: Int32)
    /// A file is not what its name or place promises.
    case format(path: String, problem: String)
    /// libFLAC, zlib or libcrypto refused.
    case library(name: String, problem: String)

    /// Names the file or the library, what was refused, and the remedy where one is known.
    package var explanation: Explanation {
        switch self {
        case .system(let operation, let path, let code):
            FileError(operation: operation, path: path, code: code).explanation
        case .format(let path, let problem): Explanation(place: path, cause: problem)
        case .library(let name, let problem): Explanation(place: name, cause: problem)
        }
    }

    /// What the kernel refused.
    init(_ error: FileError) { self = .system(operation: error.operation, path: error.path, code: error.code) }
}
