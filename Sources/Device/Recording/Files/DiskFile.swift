// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An open file of known path. Closed with its last reference; used by one thread at a time.
package final class DiskFile {
    package enum Mode: Sendable {
        /// For reading; it must be there.
        case read
        /// For reading and writing; it must be there.
        case update
        /// A new file for reading and writing; one of that name is an error.
        case create
        /// For reading and writing, emptied when it is there.
        case replace
    }

    package let path: String
    private let descriptor: CInt

    /// Opens a file; a new one is readable by its owner alone.
    package init(_ path: String, _ mode: Mode) throws(RecordingError) {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .update: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .replace: O_RDWR | O_CREAT | O_TRUNC
            }
        self.path = path
        descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .system(operation: "open", path: path, code: errno) }
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    /// Bytes in the file.
    package func size() throws(RecordingError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("measure") }
        return Int(status.st_size)
    }

    /// Writes all of `bytes` at a place in the file.
    package func write(_ bytes: [UInt8], at offset: Int) throws(RecordingError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            done += count
        }
    }

    /// Up to `count` bytes from a place in the file; fewer only at its end.
    package func read(_ count: Int, at offset: Int) throws(RecordingError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                failed = got < 0
                guard got > 0 else { return }
                filled += got
            }
        }
        if failed { throw failure("read") }
        return bytes
    }

    package func truncate(to size: Int) throws(RecordingError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure("truncate") }
    }

    /// Waits until the data are on the medium; with `metadata` also everything else about the file.
    package func sync(metadata: Bool = false) throws(RecordingError) {
        guard (metadata ? fsync(descriptor) : fdatasync(descriptor)) == 0 else { throw failure("sync") }
    }

    private func failure(_ operation: String) -> RecordingError {
        .system(operation: operation, path: path, code: errno)
    }
}
