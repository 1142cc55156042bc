// SPDX-License-Identifier: Apache-2.0
import Times

/// One edge of one button, debounced.
public struct ButtonEvent: Sendable, Hashable {
    /// Position in `Panel.buttons`.
    public let button: Int
    /// True when it went down.
    public let isPressed: Bool
    /// The edge's kernel time, CLOCK_MONOTONIC.
    public let time: MonotonicTime

    public init(button: Int, isPressed: Bool, time: MonotonicTime) {
        self.button = button
        self.isPressed = isPressed
        self.time = time
    }
}
