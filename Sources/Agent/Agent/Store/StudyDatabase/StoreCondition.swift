// SPDX-License-Identifier: Apache-2.0

/// How the store is doing, at one moment.
package struct StoreCondition: Sendable, Hashable {
    /// Why nothing reaches the disk; nil = it does.
    package let volatile: String?
    /// Why the head of the log could not be kept; nil = it is.
    package let headFault: String?
    /// Why what waits for a flush could not be flushed; nil = nothing waits too long.
    package let flushFault: String?
    /// Why no recording can be kept; nil = there is room below the cap.
    package var capFault: String?
}
