// SPDX-License-Identifier: Apache-2.0

/// How the store is doing at one moment, for the faults that `status` shows (`StoreMaintenance`).
package struct StoreCondition: Sendable, Hashable {
    /// Why the store is in memory only, and nothing reaches the disk; nil = it does.
    package let memoryOnlyReason: String?
    /// Why the head of the log could not be kept; nil = it is.
    package let headFault: String?
    /// Why what waits for a flush could not be flushed; nil = nothing waits too long.
    package let flushFault: String?
    /// Why no recording can be kept; nil = there is room below the cap.
    package var capFault: String?
}
