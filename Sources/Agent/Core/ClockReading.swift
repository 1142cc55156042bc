// SPDX-License-Identifier: Apache-2.0
import Store
import StudyEngine
import Times

/// Both clocks, and what is said of the wall clock, read together with every event.
struct ClockReading: Sendable {
    /// Both clocks.
    let moment: Moment
    /// The same with its source and error.
    let anchor: ClockAnchor
    /// As it stands in the log.
    let record: AnchorRecord
    /// Somebody vouches for the time, and its error is within the configured bound: prompts may come.
    let isGood: Bool
    /// What is odd about the clock, in words; nil while nothing is.
    var note: String?
}
