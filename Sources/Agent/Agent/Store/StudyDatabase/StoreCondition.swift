// SPDX-License-Identifier: Apache-2.0
import Base

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

/// Flushes what was written without a flush and has waited too long for one.
struct FlushWatch {
    private var since: MonotonicTime?

    /// Why it could not be flushed; nil = it was, or need not be yet. The wait counts from the first
    /// call that sees it.
    mutating func flush(_ log: EventLog, after patience: Duration, at now: MonotonicTime) -> String? {
        guard log.awaitsFlush else {
            since = nil
            return nil
        }
        let seen = since ?? now
        since = seen
        guard now - seen >= patience else { return nil }
        do { try log.flush() } catch { return "\(error)" }
        since = nil
        return nil
    }
}
