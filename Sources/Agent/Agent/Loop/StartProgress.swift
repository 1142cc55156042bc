// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a start knows of the time before it, and how far it has come.
struct StartProgress: Sendable {
    /// The last row of an earlier start; nil in a new log.
    let lastRow: EventStamp?
    /// The span in which an earlier start measured last, as the log has it; nil = none.
    let span: MeasuringSpan?
    /// The last sign of life of that span.
    let beat: MonotonicTime?
    /// Recordings of lower numbers are of earlier starts.
    let firstNumber: Int
    /// What an earlier start left is in order, and the log knows that measuring began.
    var isRecovered = false
    /// What came meanwhile and can be decided only when the study is read, in order.
    var deferred: [AgentEvent] = []
    /// When to try again what the disk refused; nil = nothing was.
    var retry: MonotonicTime?
    /// The store was set aside once already.
    var hasRepaired = false

    /// The longest that `deferred` gets; what comes then is counted as lost.
    static let room = 4096
}
