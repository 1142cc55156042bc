// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A named thread that waits on its waker, and can be stopped. Buses, recorder, lights and sound each run on
/// one.
///
/// The body returns once the waker says `isStopping`. Dropping the last reference asks for that too,
/// without waiting.
package final class WorkerThread: Sendable {
    private let name: String
    private let waker: Waker
    private let thread: Mutex<NamedThread?>

    /// Starts `body`, which alone waits on `waker`. `priority` is that of SCHED_FIFO.
    package init(
        name: String, waker: Waker, priority: Int? = nil, body: sending @escaping () -> Void
    ) throws(SystemError) {
        self.name = name
        self.waker = waker
        thread = Mutex(try NamedThread(name: name, priority: priority, body: body))
    }

    deinit { waker.stop() }

    /// Wakes the thread; any thread, never blocks.
    package func wake() { waker.wake() }

    /// Asks the body to return and waits until it has. Calling it again does nothing.
    package func stop() {
        waker.stop()
        thread.withLock { $0.take()?.join() }
    }

    /// As `stop`, but waits for `patience` at most; false when a driver still holds the thread,
    /// which then ends by itself when the driver returns.
    @discardableResult package func stop(within patience: Duration) -> Bool {
        waker.stop()
        return thread.withLock { $0.take()?.join(within: patience) } ?? true
    }

    /// Shows the watchdog that the thread still returns to its waker.
    package var probe: LivenessProbe { LivenessProbe(name, waker) }
}
