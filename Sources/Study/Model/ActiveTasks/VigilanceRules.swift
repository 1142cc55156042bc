// SPDX-License-Identifier: Apache-2.0

/// How a psychomotor vigilance test is played: a light after a while, a press as soon as it goes on. The schema
/// reader reads it from a study, for `VigilanceStep`.
///
/// Source: the parameters of a `pvt` module of momenTUM (momenTUM-app e14a806,
/// `src/app/interfaces/study.ts`).
package struct VigilanceRules: ActiveTaskRules {
    /// Reactions in time that end the test; what came too early or too late is repeated.
    package let trials: Int
    /// From a trial's beginning to its light, at least.
    package let minimumWaiting: Duration
    /// And at most; every moment between is as likely as any other.
    package let maximumWaiting: Duration
    /// A press later than this is too late.
    package let maximumReaction: Duration
    /// The reaction times are given at the end.
    package let showsResults: Bool
    /// The participant may stop before the end; what was measured is sent.
    package let allowsLeaving: Bool

    package init(
        trials: Int, minimumWaiting: Duration, maximumWaiting: Duration, maximumReaction: Duration,
        showsResults: Bool, allowsLeaving: Bool
    ) {
        self.trials = trials
        self.minimumWaiting = minimumWaiting
        self.maximumWaiting = maximumWaiting
        self.maximumReaction = maximumReaction
        self.showsResults = showsResults
        self.allowsLeaving = allowsLeaving
    }

    /// No one reacts to a light more quickly. For `isEndless` alone: the test takes every press after the light.
    private static let quickestReaction: Duration = .milliseconds(100)

    /// No reaction can be in time, so that the test never ends by itself.
    package var isEndless: Bool { maximumReaction < Self.quickestReaction }

    package var name: String { "pvt" }
    package var title: Phrase { Phrase("Reaction Time") }

    package var problems: [String] {
        var problems: [String] = []
        if !(1...1_000).contains(trials) { problems.append("the number of trials is outside 1 to 1000") }
        if minimumWaiting < .zero || minimumWaiting > maximumWaiting {
            problems.append("the shortest waiting time is negative, or above the longest one")
        }
        if maximumWaiting > .seconds(600) { problems.append("the longest waiting time is above ten minutes") }
        if maximumReaction <= .zero || maximumReaction > .seconds(120) {
            problems.append("the longest reaction time is not within two minutes")
        }
        if isEndless, !allowsLeaving {
            problems.append(
                "no one can react within \(maximumReaction.components.attoseconds / 1_000_000_000_000_000) ms, and the test may not be left: it would never end; its times are milliseconds"
            )
        }
        return problems
    }
}
