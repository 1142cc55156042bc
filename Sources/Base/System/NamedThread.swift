// SPDX-License-Identifier: Apache-2.0
import CLinux

/// A named POSIX thread: where blocking is allowed. Dropping it without `join` leaves it
/// running by itself.
///
/// The thread takes no signals. With a priority it asks for SCHED_FIFO and locks its stack in
/// memory; where that is not allowed (LimitRTPRIO= of the service) it runs all the same.
package struct NamedThread: ~Copyable, Sendable {
    /// Generous for libasound's configuration reader, small enough to lock.
    private static let stackSize = 512 * 1024

    private let thread: pthread_t

    /// Starts `body` on a new thread. The kernel keeps 15 bytes of `name`; `priority` is that of
    /// SCHED_FIFO, 1...99. A `stack` of nil is as large as the system's threads have it.
    package init(
        name: String, priority: Int? = nil, stack: Int? = stackSize, body: sending @escaping () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        if let stack { pthread_attr_setstacksize(&attributes, stack) }
        let start = Unmanaged.passRetained(ThreadStart(name: name, locksStack: priority != nil, body: body))
        var thread = pthread_t()
        let result = pthread_create(&thread, &attributes, threadMain, start.toOpaque())
        guard result == 0 else {
            start.release()
            throw SystemError(code: result, operation: "start thread", place: name)
        }
        self.thread = thread
        if let priority { _ = clinux_set_fifo(thread, CInt(priority)) }
    }

    package consuming func join() {
        pthread_join(thread, nil)
        discard self
    }

    /// Waits for the end of the body for `patience` at most. Returns false where it is still running; the thread is
    /// then detached.
    package consuming func join(within patience: Duration) -> Bool {
        let isOver = clinux_join_within(thread, Int(max(0, patience.pollTime))) == 0
        if !isOver { pthread_detach(thread) }
        discard self
        return isOver
    }

    deinit { pthread_detach(thread) }
}

private final class ThreadStart {
    let name: String
    let locksStack: Bool
    let body: () -> Void

    init(name: String, locksStack: Bool, body: @escaping () -> Void) {
        self.name = name
        self.locksStack = locksStack
        self.body = body
    }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    clinux_block_signals()
    _ = clinux_name_thread(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
    if start.locksStack { lockStack() }
    start.body()
    return nil
}

/// What the loops use of their stacks, and more; the rest is for opening devices and costs no
/// memory until then. A stack grows down from its end.
private let lockedStack = 64 * 1024

/// Best effort: without it a page fault may delay a sample, nothing is lost.
private func lockStack() {
    var address: UnsafeMutableRawPointer?
    var size = 0
    guard clinux_stack(&address, &size) == 0, let address, size > lockedStack else { return }
    _ = mlock(address + (size - lockedStack), lockedStack)
}
