// SPDX-License-Identifier: Apache-2.0

/// How long a run waits.
package struct RunLimits: Sendable, Hashable {
    /// Time without a press after which the question is presented again.
    package var reminder: Duration = .seconds(60)
    /// Time without a press after which the run is interrupted; its answers are not kept.
    package var interruption: Duration = .seconds(300)
    /// Limit for a question that may be left out, which it then is; nil = none.
    package var question: Duration?
    /// How long before `question` runs out that is said.
    package var warning: Duration = .seconds(10)
    /// The longest voice memo.
    package var recording: Duration = .seconds(120)
    /// How long the only answer of a task can be taken back after it was said back, before it is
    /// submitted without a further press; longer for slow hands.
    package var grace: Duration = .seconds(4)
    /// Up to this many answers are all said back at the end; of more only the last one.
    static let mostSaidBack = 5

    /// The grace for hands of that kind.
    func grace(_ times: HoldTimes) -> Duration { times.stretched(grace) }
    /// The same in whole seconds.
    package func graceSeconds(_ times: HoldTimes) -> Int { Int(grace(times).components.seconds) }

    package init() {}
}
