// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// An open file of known path. Closed with its last reference; used by one thread at a time.
package final class File {
    package enum Mode: Sendable {
        /// For reading; it must be there.
        case read
        /// For reading and writing; it must be there.
        case update
        /// A new file for reading and writing; one of that name is an error.
        case create
        /// For reading and writing, emptied when it is there.
        case replace
        /// For reading and writing; made where it is missing.
        case updateOrCreate
    }

    package let path: String
    private let descriptor: CInt

    /// Opens a file; a new one is readable by its owner alone.
    package init(_ path: String, _ mode: Mode) throws(FileError) {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .update: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .replace: O_RDWR | O_CREAT | O_TRUNC
            case .updateOrCreate: O_RDWR | O_CREAT
            }
        self.path = path
        descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw failure("open") }
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    /// In bytes.
    package func size() throws(FileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("measure") }
        return Int(status.st_size)
    }

    /// Writes all of `bytes` at a place in the file.
    package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        guard Self.write(bytes[...], to: descriptor, at: offset) else { throw failure("write") }
    }

    /// Up to `count` bytes from a place in the file; fewer only at its end.
    package func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        let (bytes, hasFailed) = Self.read(descriptor, count, at: Int64(offset))
        if hasFailed { throw failure("read") }
        return bytes
    }

    package func truncate(to size: Int) throws(FileError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure("truncate") }
    }

    /// Has the kernel begin to write to the medium, and does not wait until it arrives; a full queue of the device may
    /// still hold it up. Not by POSIX_FADV_DONTNEED, which drops clean pages too: one that the medium refused counts
    /// as clean, and `syncOrRewrite` has to find it.
    package func beginWriting() { clinux_begin_writing(descriptor) }

    /// Waits until the data are on the medium; with `metadata` also everything else about the file.
    package func sync(metadata: Bool = false) throws(FileError) {
        guard (metadata ? fsync(descriptor) : fdatasync(descriptor)) == 0 else { throw failure("sync") }
    }

    /// Like `sync`, for a caller that tries again after an error. Linux reports a page that it could not write only
    /// once, and takes it for clean from then on: the next sync would succeed without it (fsync(2), EIO). So what
    /// lies from `offset` on is written again before this throws.
    package func syncOrRewrite(from offset: Int = 0, metadata: Bool = false) throws(FileError) {
        do throws(FileError) {
            try sync(metadata: metadata)
        } catch {
            try? rewrite(from: offset)
            throw error
        }
    }

    private func rewrite(from offset: Int) throws(FileError) {
        var place = offset
        while true {
            let piece = try read(256 << 10, at: place)
            if piece.isEmpty { return }
            try write(piece, at: place)
            place += piece.count
        }
    }

    private func failure(_ operation: String) -> FileError { .last(operation, path) }
}

/// Calls on descriptors that the caller owns, and on paths. After a failure errno is that of the call that failed.
extension File {
    /// Writes all bytes, also where signals interrupt; at the descriptor's own place unless one is
    /// given. Blocking descriptors only.
    package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt, at offset: Int? = nil) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let (start, left) = (buffer.baseAddress?.advanced(by: done), buffer.count - done)
                let count =
                    offset.map { pwrite(descriptor, start, left, off_t($0 + done)) }
                    ?? Glibc.write(descriptor, start, left)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// As read(2), repeated where a signal interrupts it: how many bytes are now at the front of
    /// `buffer`, 0 at the end, -1 for an error.
    package static func read(_ descriptor: CInt, into buffer: inout [UInt8]) -> Int {
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Up to `count` bytes from a place in a file; fewer at its end, or where the medium fails.
    package static func read(_ descriptor: CInt, _ count: Int, at offset: Int64) -> (bytes: [UInt8], hasFailed: Bool) {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let place = buffer.baseAddress?.advanced(by: filled)
                let got = pread(descriptor, place, count - filled, off_t(offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                hasFailed = got < 0
                guard got > 0 else { return }
                filled += got
            }
        }
        return (bytes, hasFailed)
    }

    /// Reads a file in pieces until `body` returns false; true if it never did. Throws `FileError`
    /// and what `body` throws.
    package static func forEachPiece(
        _ path: String, size: Int = 256 * 1024, _ body: (ArraySlice<UInt8>) throws -> Bool
    ) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.last("open", path) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = read(descriptor, into: &buffer)
            guard count >= 0 else { throw FileError.last("read", path) }
            if count == 0 { return true }
            guard try body(buffer[..<count]) else { return false }
        }
    }

    /// Makes a folder and those above it where they are missing; only the owner can look in.
    package static func makeFolder(_ path: String) throws(FileError) {
        if access(path, F_OK) == 0 { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolder(String(path[..<slash])) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last("create the folder", path) }
    }

    /// Whether there is a folder, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The absolute path without links; nil where nothing is there.
    package static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
