// SPDX-License-Identifier: Apache-2.0
import Base

/// One edge of one button, debounced: `StudyLoop` makes it of a board's, the simulation and the demo of a
/// scripted participant's.
package struct ButtonEvent: Sendable, Hashable {
    /// Position in `Panel.buttons`.
    package let button: Int
    /// True when it went down.
    package let isPressed: Bool
    /// The edge's kernel time, CLOCK_MONOTONIC.
    package let time: MonotonicTime

    package init(button: Int, isPressed: Bool, time: MonotonicTime) {
        (self.button, self.isPressed, self.time) = (button, isPressed, time)
    }
}
