// SPDX-License-Identifier: Apache-2.0
import Base

/// The charts of a study whose platform computes them, for `studyd history`; other studies' show answers over
/// time (`GraphSeries`).
package protocol StudyDrawings: Sendable {
    /// True where some charts show what others answered, which the server has to be asked for.
    var wantsPublic: Bool { get }
    /// The charts of the participant's own runs, oldest first, and of `others`, the server's answer; nil = it
    /// was not asked or did not answer. `isOver` = the participant has left. Pure.
    func drawings(of runs: [DoneRun], others: [UInt8]?, in context: ScheduleContext, isOver: Bool) -> [StudyDrawing]
}
