// SPDX-License-Identifier: Apache-2.0
import Times

/// A key of an event device went down or up.
public struct KeyEdge: Sendable, Hashable {
    /// The key's code, `KEY_*` or `BTN_*` of linux/input-event-codes.h.
    public let code: UInt16
    /// True when it went down.
    public let isPressed: Bool
    /// CLOCK_MONOTONIC, stamped by the kernel in its interrupt.
    public let time: MonotonicTime

    public init(code: UInt16, isPressed: Bool, time: MonotonicTime) {
        self.code = code
        self.isPressed = isPressed
        self.time = time
    }
}
