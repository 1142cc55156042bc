// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Writes whole files: whoever looks sees the old content or the new, never a part.
public enum AtomicFile {
    /// Writes beside `path` and renames; blocks on the disk.
    public static func write(_ bytes: [UInt8], to path: String) throws {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFault(path: path, message: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileFault(path: path, message: String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw FileFault(path: path, message: String(cString: strerror(errno)))
        }
    }
}
