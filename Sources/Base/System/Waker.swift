// SPDX-License-Identifier: Apache-2.0
import CLinux
import Synchronization

/// Wakes a measuring thread from any other, and tells it to stop.
///
/// The thread polls `descriptor` in its loop and calls `clear` when it is readable. The watchdog (`LivenessProbe`)
/// calls `wake` and sees by `turns` that the thread still goes round its loop.
package final class Waker: Sendable {
    private let event: Descriptor
    private let stopping = Atomic<Bool>(false)
    private let turnCount = Atomic<Int>(0)
    private let thread = Atomic<CInt>(0)

    package init() throws(SystemError) {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError.last("make an eventfd") }
        event = Descriptor(owning: descriptor, path: "eventfd")
    }

    /// What becomes readable when the thread is woken.
    package var descriptor: CInt { event.rawValue }
    /// True once `stop` was called; it never becomes false again.
    package var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Wakes the thread; any thread, never blocks.
    package func wake() { _ = eventfd_write(event.rawValue, 1) }

    /// Tells the thread to stop and wakes it; any thread, never blocks.
    package func stop() {
        stopping.store(true, ordering: .releasing)
        wake()
    }

    /// Takes back all wakes so far; the woken thread only.
    package func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(event.rawValue, &count)
        countTurn()
    }

    /// Counts one turn of the thread's loop, woken or by itself; the woken thread only.
    package func countTurn() {
        if thread.load(ordering: .relaxed) == 0 { thread.store(clinux_thread_id(), ordering: .relaxed) }
        turnCount.wrappingAdd(1, ordering: .releasing)
    }

    /// How many turns its loop has made; any thread.
    package var turns: Int { turnCount.load(ordering: .acquiring) }
    /// The kernel's number of the thread, as in /proc/self/task; 0 before its first turn.
    package var threadID: CInt { thread.load(ordering: .relaxed) }

    /// Blocks until woken, at most for `patience`; the woken thread only.
    package func wait(atMost patience: Duration? = nil) {
        var request = pollfd(fd: event.rawValue, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, patience.map { CInt(clamping: $0.pollTime) } ?? -1)
        clear()
    }
}
