// SPDX-License-Identifier: Apache-2.0
import Base

/// The parameters of reaction time and go/no-go, read from a study by Sage's reader; `ReactionTest` holds to
/// them.
///
/// Source: `ORKReactionTimeStep` of ResearchKit (daba8c9f,
/// `ResearchKitActiveTask/Reaction Time`), `ORKGoNoGoStep` (ba33aaa0) and BiAffect's
/// `GoNoGoStepObject` (BiAffectSDK f78dd2f6); names are theirs.
package struct ReactionTerms: Sendable, Hashable {
    /// From an attempt's beginning to its light, at least.
    package var minimumStimulusInterval: Duration
    /// From an attempt's beginning to its light, at most; every moment between the two is equally likely.
    package var maximumStimulusInterval: Duration
    /// How long after its light an attempt without a press ends.
    package var timeout: Duration
    /// Attempts that have to succeed.
    package var numberOfAttempts: Int
    /// Attempts of any outcome after which the task ends; nil = it goes on until enough succeeded. May be
    /// less than `numberOfAttempts`.
    package var maxTotalAttempts: Int?

    /// Defaults are BiAffect's; ResearchKit has none.
    package init(
        minimumStimulusInterval: Duration = .seconds(4), maximumStimulusInterval: Duration = .seconds(10),
        timeout: Duration = .seconds(3), numberOfAttempts: Int = 9, maxTotalAttempts: Int? = nil
    ) {
        self.minimumStimulusInterval = minimumStimulusInterval
        self.maximumStimulusInterval = maximumStimulusInterval
        self.timeout = timeout
        self.numberOfAttempts = numberOfAttempts
        self.maxTotalAttempts = maxTotalAttempts
    }

    /// In words; the first three are ResearchKit's (`validateParameters`).
    var problems: [String] {
        var problems: [String] = []
        if minimumStimulusInterval <= .zero { problems.append("minimumStimulusInterval is not above zero") }
        if maximumStimulusInterval < minimumStimulusInterval {
            problems.append("maximumStimulusInterval is less than minimumStimulusInterval")
        }
        if !(1...1_000).contains(numberOfAttempts) { problems.append("numberOfAttempts is outside 1 to 1000") }
        if maximumStimulusInterval > .seconds(600) { problems.append("maximumStimulusInterval is above ten minutes") }
        if timeout < .milliseconds(100) || timeout > .seconds(120) {
            problems.append("the timeout is outside 0.1 to 120 seconds")
        }
        if let maxTotalAttempts, maxTotalAttempts < 1 { problems.append("maxTotalAttempts is below 1") }
        return problems
    }
}
