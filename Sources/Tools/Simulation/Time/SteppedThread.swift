// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization
import SystemKit

/// A thread that serves one simulated device (keys, a GPS receiver) in real time, whenever it is due.
package final class SteppedThread: Sendable {
    private let waker: Waker
    private let thread: Mutex<NamedThread?>

    /// Starts a thread that serves `device` whenever it is due on `clock` (CLOCK_MONOTONIC).
    package init(
        _ device: sending any PolledDevice, clock: @escaping @Sendable () -> MonotonicTime
    ) throws(SystemError) {
        let waker = try Waker()
        self.waker = waker
        thread = Mutex(
            try NamedThread(name: "simulated") {
                while waker.wait(until: device.due, clock: clock) { device.serve(at: clock()) }
            })
    }

    /// Lets the thread look again at when its device is due; any thread may call.
    package func wake() { waker.wake() }

    /// Ends the thread and waits for its end; a second call does nothing.
    package func stop() {
        waker.stop()
        thread.withLock { $0.take() }?.join()
    }
}

extension Waker {
    fileprivate func wait(until time: MonotonicTime, clock: () -> MonotonicTime) -> Bool {
        let now = clock()
        if time > now {
            // Rounded up, and at most a minute: the time may be the end of time.
            let left = time.nanoseconds &- now.nanoseconds
            wait(atMost: .milliseconds(min(left / 1_000_000, 59_999) + 1))
        }
        return !isStopping
    }
}
