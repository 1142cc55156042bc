// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A file open for writing at given places. Closed with its last owner.
package final class DiskFile {
    private let descriptor: CInt
    private let path: String

    /// Opens a file; `create` makes it where it is missing. Throws `DiskError`.
    init(_ path: String, create: Bool) throws(DiskError) {
        descriptor = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0o600)
        self.path = path
        guard descriptor >= 0 else { throw DiskError("opening", path) }
    }

    deinit { close(descriptor) }

    /// Writes all the bytes from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int64) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw DiskError("writing", path) }
            done += written
        }
    }

    /// Removes what lies beyond `size` bytes.
    func cut(to size: Int64) throws(DiskError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw DiskError("cutting", path) }
    }

    /// Returns once the disk has what was written.
    func synchronise() throws(DiskError) {
        guard fdatasync(descriptor) == 0 else { throw DiskError("synchronising", path) }
    }

    /// Makes a directory and those above it where they are missing; only the owner can look in.
    package static func makeDirectory(_ path: String) throws(DiskError) {
        if access(path, F_OK) == 0 { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeDirectory(String(path[..<slash])) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw DiskError("making the directory", path) }
    }

    /// Renames a file, durably.
    static func rename(_ old: String, _ new: String) throws(DiskError) {
        do throws(FileError) {
            try AtomicFile.rename(old, to: new)
        } catch {
            throw DiskError(
                path: error.path, doing: error.path == old ? "renaming" : "synchronising the directory of",
                reason: error.reason)
        }
    }

    /// Removes a file; one that is not there is fine.
    static func remove(_ path: String) { unlink(path) }

    /// The SHA-256 of a file, read in pieces.
    static func sha256(_ path: String) throws -> [UInt8] {
        let digest = try DigestStream()
        _ = try forEachPiece(path) {
            try digest.update($0)
            return true
        }
        return try digest.finish()
    }

    /// Reads a file in pieces until `body` returns false; whether it never did.
    static func forEachPiece(_ path: String, _ body: (ArraySlice<UInt8>) throws -> Bool) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError("opening", path) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError("reading", path) }
            if count == 0 { return true }
            guard try body(buffer[..<count]) else { return false }
        }
    }
}

/// The system refused something about a file.
package struct DiskError: Error, CustomStringConvertible {
    private let path: String
    private let doing: String
    private let reason: String

    init(path: String, doing: String, reason: String) {
        self.path = path
        self.doing = doing
        self.reason = reason
    }

    /// With the system's reason; to be made right after the call.
    init(_ doing: String, _ path: String) {
        self.init(path: path, doing: doing, reason: String(cString: strerror(errno)))
    }

    package var description: String { "\(doing) \(path): \(reason)" }
}
