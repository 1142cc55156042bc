// SPDX-License-Identifier: Apache-2.0
import Base

/// Go/no-go: one light asks for a press, the other one for none. Sage's reader reads it from a study, and
/// `ReactionStep` plays it.
package struct GoNoGoRules: ActiveTaskRules {
    package let terms: ReactionTerms

    package init(_ terms: ReactionTerms) { self.terms = terms }

    /// `gonogo`, as BiAffect's step is called.
    package var name: String { "gonogo" }
    package var title: Phrase { Phrase("Go/No-Go") }
    package var problems: [String] { terms.problems }
}

/// What came out of a go/no-go task, made by its rules for `ReactionStep`. The event log keeps it by the names of its
/// properties (`PerformanceRecord`).
package struct GoNoGoRecord: PerformanceRecord {
    /// In the order of presentation.
    package let attempts: [ReactionAttempt]
    /// Attempts thrown away because the light did not go on, or because the menu was opened.
    private let void: Int

    package init(attempts: [ReactionAttempt], void: Int) { (self.attempts, self.void) = (attempts, void) }

    package static var kind: String { "gonogo" }

    /// The mistakes by their kinds: false alarms are presses on the light that asks for none.
    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("meanTimeToThreshold", attempts.meanReaction.map { .number($0) } ?? .none),
            PerformanceFigure("incorrect", .whole(Int64(attempts.count { !$0.succeeded }))),
            PerformanceFigure("falseAlarms", .whole(Int64(attempts.count(.falseAlarm)))),
            PerformanceFigure("falseStarts", .whole(Int64(attempts.count(.falseStart)))),
            PerformanceFigure("timeouts", .whole(Int64(attempts.count(.timeout)))),
        ]
    }

    package var mainFigure: String { "meanTimeToThreshold" }

    /// `results` has one `ORKGoNoGoResult` for each attempt, failed ones included, with further measurements.
    package var fields: [JSONText.Member] {
        [
            .init("results", .array(attempts.map { .object($0.fields) })), .init("void", .integer(Int64(void))),
        ]
    }
}
