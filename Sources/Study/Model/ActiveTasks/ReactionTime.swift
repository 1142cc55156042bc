// SPDX-License-Identifier: Apache-2.0
import Base

/// ResearchKit's simple reaction time: a light after a while, a press as soon as it goes on. Sage's reader
/// reads it from a study, and `ReactionStep` plays it.
package struct ReactionTimeRules: ActiveTaskRules {
    package let terms: ReactionTerms

    package init(_ terms: ReactionTerms) { self.terms = terms }

    package var name: String { "reactionTime" }
    /// As ResearchKit calls it.
    package var title: Phrase { Phrase("Reaction Time") }
    package var problems: [String] { terms.problems }
}

/// What came out of a reaction time task, made by its rules for `ReactionStep`. The event log keeps it by the names of its
/// properties (`PerformanceRecord`).
package struct ReactionTimeRecord: PerformanceRecord {
    /// In order; those that failed too, which ResearchKit leaves out.
    package let attempts: [ReactionAttempt]
    /// Attempts thrown away because the light did not go on, or because the menu was opened.
    package let void: Int

    package static var kind: String { "reactionTime" }

    /// ResearchKit has no figures for it.
    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("meanTimeToThreshold", attempts.meanReaction.map { .number($0) } ?? .none),
            PerformanceFigure("falseStarts", .whole(Int64(attempts.count(.falseStart)))),
            PerformanceFigure("timeouts", .whole(Int64(attempts.count(.timeout)))),
        ]
    }

    package var mainFigure: String { "meanTimeToThreshold" }

    /// `results` has the successful attempts, each of which is an `ORKReactionTimeResult` in
    /// ResearchKit; `failed` has the others.
    package var fields: [JSONText.Member] {
        [
            .init("results", .array(attempts.filter(\.succeeded).map { .object($0.fields) })),
            .init("failed", .array(attempts.filter { !$0.succeeded }.map { .object($0.fields) })),
            .init("void", .integer(Int64(void))),
        ]
    }
}
