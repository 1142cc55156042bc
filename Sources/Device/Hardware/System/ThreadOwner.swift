// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// What works on a named thread of its own: `BusThread`, `InputThread` and `PCMCapture`.
package protocol ThreadOwner: Sendable {
    var worker: WorkerThread { get }
}

extension ThreadOwner {
    /// Ends the thread after the transfer in progress and waits for it. Calling it again does nothing.
    package func stop() { worker.stop() }
    /// As `stop`, but waits for `patience` at most; false when a driver still holds the thread, which
    /// then ends by itself when the driver returns.
    package func stop(within patience: Duration) -> Bool { worker.stop(within: patience) }
    /// For the watchdog.
    package var probe: LivenessProbe { worker.probe }
}
