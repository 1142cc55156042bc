// SPDX-License-Identifier: Apache-2.0
import Glibc
import NIOCore
import NIOPosix

/// A file that `ClientConnection` has open for sending. Reads block, so they run on NIO's thread pool. Closed
/// when its last owner lets go.
final class ServedFile: Sendable {
    let size: Int
    private let descriptor: CInt

    /// Nil when there is no regular file of that name that we may read.
    static func open(_ path: String) async throws -> ServedFile? {
        try await NIOThreadPool.singleton.runIfActive { ServedFile(path) }
    }

    private init?(_ path: String) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    deinit { Glibc.close(descriptor) }

    /// At most 64 KiB from `offset` on; empty at the end of the file.
    func piece(at offset: Int) async throws -> [UInt8] {
        try await NIOThreadPool.singleton.runIfActive {
            let count = max(0, min(65_536, self.size - offset))
            var failure: CInt = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                let read = pread(self.descriptor, buffer.baseAddress, count, off_t(offset))
                if read < 0 { failure = errno }
                initialized = max(0, read)
            }
            guard failure == 0 else { throw IOError(errnoCode: failure, reason: "reading a file to be sent") }
            return bytes
        }
    }
}
