// SPDX-License-Identifier: Apache-2.0

/// Tells the watchdog whether a thread still goes round its loop: after `ask`, `turns` grows as soon as the
/// thread is back at its waker. `HangDetector` asks.
///
/// A thread that waits for a silent device answers at once; one that hangs in a driver does not.
package struct LivenessProbe: Sendable {
    package let name: String
    private let waker: Waker

    /// For the thread that waits on `waker`.
    package init(_ name: String, _ waker: Waker) { (self.name, self.waker) = (name, waker) }

    /// How many turns the thread's loop has made.
    package var turns: Int { waker.turns }
    /// The kernel's number of the thread; 0 before its first turn.
    package var threadID: CInt { waker.threadID }
    /// Wakes the thread, so that it answers; any thread, never blocks.
    package func ask() { waker.wake() }
}
