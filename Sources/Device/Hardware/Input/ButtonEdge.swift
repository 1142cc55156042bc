// SPDX-License-Identifier: Apache-2.0
import Base

/// A button went down or up.
package struct ButtonEdge: Sendable, Hashable {
    /// Which button, from 0, in the board's order.
    package var button: Int
    package let isPressed: Bool
    /// CLOCK_MONOTONIC of the contact, from the kernel where it stamps it.
    package let time: MonotonicTime
    /// Edges of its source, of whichever button, that the kernel dropped before this one since the
    /// last that was delivered.
    package var missedBefore = 0
    /// The contact had not come to rest since its edge before, however long it was waited for.
    package var isRestless = false

    package init(button: Int, isPressed: Bool, time: MonotonicTime) {
        self.button = button
        self.isPressed = isPressed
        self.time = time
    }
}
