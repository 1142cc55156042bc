// SPDX-License-Identifier: Apache-2.0
import Base

/// A key of an event device went down or up.
package struct KeyEdge: Sendable, Hashable {
    /// The key's code, `KEY_*` or `BTN_*` of linux/input-event-codes.h.
    package let code: UInt16
    package let isPressed: Bool
    /// CLOCK_MONOTONIC, stamped by the kernel in its interrupt.
    package let time: MonotonicTime

    package init(code: UInt16, isPressed: Bool, time: MonotonicTime) {
        self.code = code
        self.isPressed = isPressed
        self.time = time
    }
}
