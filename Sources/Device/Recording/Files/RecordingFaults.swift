// SPDX-License-Identifier: Apache-2.0
import SystemKit

extension FileError {
    /// A file is not what its name or place promises.
    package static func format(path: String, problem: String) -> FileError { FileError(path: path, message: problem) }
    /// libFLAC, zlib or libcrypto refused.
    package static func library(name: String, problem: String) -> FileError { FileError(path: name, message: problem) }
}
