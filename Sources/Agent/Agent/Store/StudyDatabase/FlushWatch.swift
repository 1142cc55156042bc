// SPDX-License-Identifier: Apache-2.0
import Base

/// Flushes what was written without a flush and has waited too long for one. `StudyDatabase.condition` calls it
/// now and then.
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
