// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads whole files that came from outside (configurations, studies, keys), up to a limit.
package enum BoundedFile {
    /// The bytes of a file of at most `limit` bytes.
    package static func read(_ path: String, limit: Int = 8 << 20) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.lastReading(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = File.read(descriptor, into: &chunk)
            guard count >= 0 else { throw FileError.lastReading(path) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else { throw FileError(path: path, message: "is larger than \(limit) bytes") }
        }
    }

    /// The text of a file of at most 1 MiB.
    package static func text(_ path: String) throws -> String {
        String(decoding: try read(path, limit: 1 << 20), as: UTF8.self)
    }
}
