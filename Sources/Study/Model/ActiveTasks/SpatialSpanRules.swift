// SPDX-License-Identifier: Apache-2.0

/// How a spatial span memory test is played: read by MyStudies' reader, for `SpatialSpanStep`.
///
/// Source: the limits of ResearchKit's ORKSpatialSpanMemoryStep, which refuses anything else;
/// `minimumSpan` may be below 2.
package struct SpatialSpanRules: ActiveTaskRules {
    /// Length of the first sequence; from 2.
    package let initialSpan: Int
    /// No sequence is shorter; below 1 counts as 1.
    package let minimumSpan: Int
    /// No sequence is longer; up to 20.
    package let maximumSpan: Int
    /// From one target to the next; each is lit for half of it. 0.5 s to 20 s.
    package let period: Duration
    /// Games after which the test ends; from 1.
    package let maximumGames: Int
    /// Failures in a row after which the test ends; from 1.
    package let maximumFailures: Int
    /// The participant gives the reverse of what was shown.
    package let requiresReversal: Bool
    /// What the targets are called: `flowers`.
    package let targetName: String

    package init(
        initialSpan: Int, minimumSpan: Int, maximumSpan: Int, period: Duration, maximumGames: Int,
        maximumFailures: Int, requiresReversal: Bool = false, targetName: String = "flowers"
    ) {
        self.initialSpan = initialSpan
        self.minimumSpan = minimumSpan
        self.maximumSpan = maximumSpan
        self.period = period
        self.maximumGames = maximumGames
        self.maximumFailures = maximumFailures
        self.requiresReversal = requiresReversal
        self.targetName = targetName
    }

    package var name: String { "spatialSpanMemory" }
    package var title: Phrase { Self.title }
    /// The same where the rules are not known.
    package static let title = Phrase("Spatial Memory")

    package var problems: [String] {
        var problems: [String] = []
        if initialSpan < 2 { problems.append("the initial span \(initialSpan) is below 2") }
        if minimumSpan > initialSpan { problems.append("the minimum span \(minimumSpan) is above the initial one") }
        if initialSpan > maximumSpan { problems.append("the initial span \(initialSpan) is above the maximum one") }
        if maximumSpan > 20 { problems.append("the maximum span \(maximumSpan) is above 20") }
        if period < .milliseconds(500) || period > .seconds(20) {
            problems.append("the play speed is outside 0.5 s to 20 s")
        }
        if !(1...1_000).contains(maximumGames) { problems.append("the number of tests is outside 1 to 1000") }
        if maximumFailures < 1 { problems.append("the number of consecutive failures is below 1") }
        return problems
    }
}
