// SPDX-License-Identifier: Apache-2.0

/// Why `AgeWriter` did not encrypt something, or `AgeReader` did not open it.
package enum AgeFault: Error, Sendable, Hashable {
    /// It is not an age file, or its beginning is damaged.
    case header(String)
    /// None of the keys is a recipient's.
    case noMatch
    /// The header was changed.
    case headerCode
    /// The content is damaged from this byte on; the bytes before were authenticated.
    case damaged(at: Int)
    /// The content ends at this byte, after whole chunks: the power went while the file was being written, or it
    /// was truncated. A damaged last chunk, of up to 64 KiB, looks the same.
    case cut(at: Int)
    case source(FileError)
    /// No memory, or an OpenSSL without these algorithms.
    case library

    /// This fault as an error of the file at `path`.
    package func at(_ path: String) -> FileError {
        switch self {
        case .header(let problem): FileError(path: path, message: "is not sealed by age: \(problem)")
        case .noMatch:
            FileError(
                path: path, message: "is sealed to other keys", remedy: "give the identity of one of its recipients")
        case .headerCode: FileError(path: path, message: "its header was changed")
        case .damaged(let place):
            FileError(path: path, message: "is damaged: only its first \(place) bytes can be opened")
        case .cut(let place):
            FileError(
                path: path, message: "is truncated, or its end is damaged: its first \(place) bytes can be opened")
        case .source(let error): error
        case .library:
            FileError(
                path: path, message: "libcrypto refused", remedy: "check the OpenSSL installation and free memory")
        }
    }
}
