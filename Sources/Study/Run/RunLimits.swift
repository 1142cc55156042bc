// SPDX-License-Identifier: Apache-2.0

/// How long a run waits: for `TaskRun` and its `RunClock`; the card sheet prints some of it.
package struct RunLimits: Sendable, Hashable {
    /// Time without a press after which the question is presented again.
    package var reminder: Duration = .seconds(60)
    /// Time without a press after which the run is interrupted; its answers are not kept.
    package var interruption: Duration = .seconds(300)
    /// Time after which a question that may be left out is left out by itself; nil = never.
    package var question: Duration?
    /// How long before `question` runs out the participant is warned.
    package var warning: Duration = .seconds(10)
    /// The longest voice memo.
    package var recording: Duration = .seconds(120)
    /// In a task of one question: how long after its answer was repeated to the participant it can be undone,
    /// before it is submitted without a further press.
    package var grace: Duration = .seconds(4)
    /// Up to this many answers are all repeated at the end of a run; of more only the last one.
    static let mostSaidBack = 5

    /// `grace`, stretched for participants with slow hands.
    func grace(_ times: HoldTimes) -> Duration { times.stretched(grace) }
    /// The same in whole seconds.
    package func graceSeconds(_ times: HoldTimes) -> Int { Int(grace(times).components.seconds) }

    package init() {}
}
