// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a start of the agent knows of earlier ones, and how far it has come. `StartSequence` holds it until
/// the start is over.
struct StartProgress: Sendable {
    /// The last row of an earlier start; nil in a new log.
    let lastRow: EventStamp?
    /// The span in which an earlier start measured last, as the log has it; nil = none.
    let span: MeasuringSpan?
    /// The last sign of life of that span.
    let beat: MonotonicTime?
    /// The number of this start's first recording: those of lower numbers are of earlier starts.
    let firstNumber: Int
    /// What earlier starts left was put in order, and the log has the beginning of measuring.
    var isRecovered = false
    /// Events that arrived during the start, in order; they are decided once the study is read.
    var deferred: [AgentEvent] = []
    /// When to try again after the disk refused an operation; nil = it refused none.
    var retry: MonotonicTime?
    /// The damaged store was set aside already, which is done once in a start.
    var hasRepaired = false

    /// The most events in `deferred`; further ones are dropped and counted as lost.
    static let room = 4096
}
