// SPDX-License-Identifier: Apache-2.0

/// Shows whether a thread lives: asked, it answers as soon as it is back at its waker.
///
/// A thread that waits for a device with nothing to say answers at once; one that hangs in a driver
/// does not.
package struct LifeSign: Sendable {
    package let name: String
    private let waker: Waker

    /// The sign of the thread that waits on `waker`.
    package init(_ name: String, _ waker: Waker) {
        self.name = name
        self.waker = waker
    }

    /// Grows with each turn of the thread.
    package var answers: Int { waker.answers }
    /// The kernel's number of the thread; 0 before its first turn.
    package var threadID: CInt { waker.threadID }
    /// Wakes the thread, so that it answers; any thread, never blocks.
    package func ask() { waker.wake() }
}
