// SPDX-License-Identifier: Apache-2.0
import Base

/// What a `TaskRun` gives to a question that opens (`QuestionKind.machine`).
package struct QuestionContext: Sendable {
    package let panel: Panel
    /// What the participant's wall clock shows when the question opens.
    package let now: LocalDateTime
    /// From which the ids of recordings are made; unique on the device.
    package let recordingID: String
    /// The order in which options are presented, as positions in the file; nil = the file's.
    package var optionOrder: [Int]?
    /// For what an active task draws.
    package var generator = SplitMix64(seed: 0)
    /// CLOCK_MONOTONIC when it opens.
    package var time = MonotonicTime.zero
    /// Where a performance goes on after a restart; nil = from its beginning.
    package var progress: BrokenPerformance?
}
