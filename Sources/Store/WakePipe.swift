// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A pipe by which one thread sleeps until another wakes it: no lock, no lost wake-up, no polling.
struct WakePipe: ~Copyable, Sendable {
    private let readEnd: CInt
    private let writeEnd: CInt

    /// Throws when the process has no descriptors left.
    init() throws(ThreadError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ThreadError(step: "pipe", code: errno) }
        readEnd = ends[0]
        writeEnd = ends[1]
        _ = fcntl(readEnd, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Wakes the sleeper, now or when it next sleeps. A full pipe is as good as a byte more.
    func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Sleeps until signalled; takes all signals so far at once.
    func wait() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while read(readEnd, &bytes, 32) < 0 && errno == EINTR {}
    }
}

/// A thread could not be started.
public struct ThreadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system call that failed.
    public let step: String
    /// Its errno.
    public let code: CInt
    /// A failure of that call.
    public init(step: String, code: CInt) {
        self.step = step
        self.code = code
    }
    /// Names the call and the remedy.
    public var description: String {
        "thread: \(step) failed with errno \(code): raise the limits of threads and open files of this process"
    }
}
