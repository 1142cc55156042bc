// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The names that recordings have for a file and what is wrong with one.
package typealias DiskFile = File
package typealias RecordingError = FileError

extension FileError {
    /// A file is not what its name or place promises.
    package static func format(path: String, problem: String) -> FileError { FileError(path: path, message: problem) }
    /// libFLAC, zlib or libcrypto refused.
    package static func library(name: String, problem: String) -> FileError { FileError(path: name, message: problem) }
}
