// SPDX-License-Identifier: Apache-2.0
import CLinux

/// An open file descriptor. The one owner closes it.
package struct Descriptor: ~Copyable, Sendable {
    /// The number for calls that only borrow it; never close it yourself.
    package let rawValue: CInt
    /// What it was opened from, for messages.
    package let path: String

    /// Opens `path`; `flags` as in open(2), O_CLOEXEC is added.
    package init(opening path: String, flags: CInt, mode: UInt32 = 0o640) throws(SystemError) {
        while true {
            let opened = clinux_open(path, flags | O_CLOEXEC, mode)
            if opened >= 0 {
                rawValue = opened
                self.path = path
                return
            }
            let failure = SystemError.last("open", path)
            if failure.code != EINTR { throw failure }
        }
    }

    /// Takes over an open descriptor, which is closed with this value. `path` is only for messages.
    package init(owning rawValue: CInt, path: String) {
        self.rawValue = rawValue
        self.path = path
    }

    deinit { _ = close(rawValue) }

    /// Reads at most `buffer.count` bytes. Nil when nothing waits on a descriptor that does not
    /// block; 0 at its end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        while true {
            let count = CLinux.read(rawValue, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let failure = SystemError.last("read", path)
            if failure.code == EAGAIN { return nil }
            if failure.code != EINTR { throw failure }
        }
    }

    /// Reads at most `count` bytes. Nil when nothing waits on a descriptor that does not block;
    /// empty at its end.
    package func read(upTo count: Int) throws(SystemError) -> [UInt8]? {
        var failure: SystemError?
        var isWaiting = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                let got = try read(into: UnsafeMutableRawBufferPointer(buffer))
                isWaiting = got == nil
                filled = got ?? 0
            } catch { failure = error }
        }
        if let failure { throw failure }
        return isWaiting ? nil : bytes
    }

    /// Writes some of the bytes; how many went. Nil when a descriptor that does not block
    /// can take none now.
    private func write(some bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
        while true {
            let count = CLinux.write(rawValue, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            let failure = SystemError.last("write to", path)
            if failure.code == EAGAIN { return nil }
            if failure.code != EINTR { throw failure }
        }
    }

    /// Writes all bytes; where the descriptor does not block, waits at most `patience`
    /// for room each time.
    package func write(_ bytes: [UInt8], patience: Duration = .seconds(1)) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            var failure: SystemError?
            let count = rest.withUnsafeBytes { (buffer) -> Int? in
                do throws(SystemError) { return try write(some: buffer) } catch { failure = error }
                return nil
            }
            if let failure { throw failure }
            if let count { rest = rest.dropFirst(count) } else { try waitForRoom(patience) }
        }
    }

    private func waitForRoom(_ patience: Duration) throws(SystemError) {
        var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        // Less than 0 where a signal came: the next write says what there is to wait for.
        guard poll(&request, 1, CInt(clamping: patience.pollTime)) != 0 else {
            throw SystemError(code: ETIMEDOUT, operation: "write to", place: path)
        }
    }
}
