// SPDX-License-Identifier: Apache-2.0

/// How long a run waits.
package struct RunLimits: Sendable, Hashable {
    /// Without a press, after which the question is presented again.
    package var reminder: Duration = .seconds(60)
    /// Without a press after which the run is interrupted; its answers are not kept.
    package var interruption: Duration = .seconds(300)
    /// For one question, after which it is left out where it may be; nil = none.
    package var question: Duration?
    /// Before `question` runs out, when that is said.
    package var warning: Duration = .seconds(10)
    /// The longest voice memo.
    package var recording: Duration = .seconds(120)
    /// How long the only answer of a task can be taken back after it was said back, before it is
    /// submitted without a further press; longer for slow hands.
    package var grace: Duration = .seconds(4)
    /// Where there are more answers, only the last one is said back at the end.
    static let mostSaidBack = 5

    /// The grace for hands of that kind.
    func grace(_ times: HoldTimes) -> Duration { times.stretched(grace) }
    /// The same in whole seconds.
    package func graceSeconds(_ times: HoldTimes) -> Int { Int(grace(times).components.seconds) }

    package init() {}
}
