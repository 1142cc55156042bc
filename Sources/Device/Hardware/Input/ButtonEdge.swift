// SPDX-License-Identifier: Apache-2.0
import Base

/// A button went down or up: from a `ButtonSource` through `InputThread` to the panel and to the recording of
/// buttons (`ButtonTap`).
package struct ButtonEdge: Sendable, Hashable {
    /// Which button, from 0, in the board's order.
    package var button: Int
    package let isPressed: Bool
    /// CLOCK_MONOTONIC of the contact, from the kernel where it stamps it.
    package let time: MonotonicTime
    /// Edges of any button of its source that the kernel dropped between the one that it delivered
    /// last and this one.
    package var missedBefore = 0
    /// The contact was still bouncing from its edge before when the `Debouncer` stopped waiting.
    package var isRestless = false

    package init(button: Int, isPressed: Bool, time: MonotonicTime) {
        self.button = button
        self.isPressed = isPressed
        self.time = time
    }
}
