// SPDX-License-Identifier: Apache-2.0
import Study

/// What is written of one moment.
package struct StoreEntry: Sendable {
    /// Rows of the log, in order.
    package let events: [StudyEvent]
    /// Items to be sent; one that is in the outbox already is not queued again.
    package var drafts: [OutboxDraft] = []
    package let stamp: EventStamp
}
