// SPDX-License-Identifier: Apache-2.0

/// A row of the log, decoded: `EventLog` and `StoredRow` hand it to the projections, the tables that are
/// computed from the log.
package struct LoggedEvent: Sendable, Hashable {
    /// From 1, without gaps.
    package let sequence: Int64
    /// When, on both clocks, and for whom; the same for all rows of one append.
    package let stamp: EventStamp
    package let event: StudyEvent

    package init(sequence: Int64, stamp: EventStamp, event: StudyEvent) {
        (self.sequence, self.stamp, self.event) = (sequence, stamp, event)
    }
}
