// SPDX-License-Identifier: Apache-2.0
import Base

/// Both clocks, read together by `StudyLoop` for each event that it gives to `StudyCore`, and how far the wall
/// clock can be trusted.
package struct ClockReading: Sendable {
    package let moment: Moment
    /// The same moment, with the wall clock's source and error.
    package let anchor: ClockAnchor
    /// The anchor as a row of the log.
    package let record: AnchorRecord
    /// The time is trusted, and its error is within the configured bound: prompts may come.
    package let isGood: Bool
    /// What is odd about the clock, in words; nil while nothing is.
    package var note: String?

    package init(moment: Moment, anchor: ClockAnchor, record: AnchorRecord, isGood: Bool, note: String? = nil) {
        self.moment = moment
        self.anchor = anchor
        self.record = record
        self.isGood = isGood
        self.note = note
    }
}
