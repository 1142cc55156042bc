// SPDX-License-Identifier: Apache-2.0
import Base

/// ResearchKit's paced serial addition test, spoken: to each digit the one before is to be added. Sage's reader
/// reads it from a study, and `PSATStep` plays it.
///
/// Source: `ORKPSATStep` (ResearchKit daba8c9f, `ResearchKitActiveTask/PSAT`).
package struct PSATRules: ActiveTaskRules {
    /// From one digit to the next.
    package let interStimulusInterval: Duration
    /// The number of additions; one digit more is said.
    package let seriesLength: Int

    package init(interStimulusInterval: Duration, seriesLength: Int) {
        (self.interStimulusInterval, self.seriesLength) = (interStimulusInterval, seriesLength)
    }

    package var name: String { "psat" }
    /// As ResearchKit calls the spoken one.
    package var title: Phrase { Phrase("PASAT") }

    /// In words; the limits are ResearchKit's (`validateParameters`).
    package var problems: [String] {
        var problems: [String] = []
        if interStimulusInterval < .seconds(1) || interStimulusInterval > .seconds(5) {
            problems.append("interStimulusInterval is outside 1 to 5 seconds")
        }
        if !(3...120).contains(seriesLength) { problems.append("seriesLength is outside 3 to 120 additions") }
        return problems
    }
}

/// The result of a paced serial addition test, made by `PSATStep`. The event log keeps it by the names of its
/// properties (`PerformanceRecord`).
package struct PSATRecord: PerformanceRecord {
    /// One addition, as an `ORKPSATSample`.
    package struct Sample: LoggedRecord {
        package let digit: Int
        /// The sum that was given; -1 = none.
        package let answer: Int
        /// The answer is the sum of this digit and the one before.
        package let correct: Bool
        /// From the digit to the last press; the whole interval where none was given.
        package let time: Duration

        fileprivate var fields: [JSONText.Member] {
            [
                .init("correct", .boolean(correct)), .init("digit", .integer(Int64(digit))),
                .init("answer", .integer(Int64(answer))), .init("time", .seconds(time)),
            ]
        }
    }
    let interStimulusInterval: Duration
    /// The number of additions, as the study says.
    package let length: Int
    /// The first digit, to which nothing is added.
    package let initialDigit: Int
    /// In the order of presentation.
    package let samples: [Sample]
    /// How often it was begun again, because the menu was opened.
    package let restarts: Int

    package static var kind: String { "psat" }

    package var totalCorrect: Int { samples.count { $0.correct } }
    /// Sums that were right after one that was right.
    package var totalDyad: Int { zip(samples, samples.dropFirst()).count { $0.0.correct && $0.1.correct } }
    /// The times of all samples together.
    package var totalTime: Duration { samples.reduce(.zero) { $0 + $1.time } }

    /// The totals that `ORKPSATResult` has.
    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("totalCorrect", .whole(Int64(totalCorrect))),
            PerformanceFigure("totalDyad", .whole(Int64(totalDyad))),
            PerformanceFigure("totalTime", .number(totalTime.inSeconds)),
            PerformanceFigure("length", .whole(Int64(length))),
        ]
    }

    package var mainFigure: String { "totalCorrect" }

    /// The properties of `ORKPSATResult`; mode 1 is `ORKPSATPresentationModeAuditory`, for which
    /// `stimulusDuration` is 0.
    package var fields: [JSONText.Member] {
        [
            .init("presentationMode", .integer(1)), .init("interStimulusInterval", .seconds(interStimulusInterval)),
            .init("stimulusDuration", .integer(0)), .init("length", .integer(Int64(length))),
            .init("totalCorrect", .integer(Int64(totalCorrect))), .init("totalDyad", .integer(Int64(totalDyad))),
            .init("totalTime", .seconds(totalTime)), .init("initialDigit", .integer(Int64(initialDigit))),
            .init("samples", .array(samples.map { .object($0.fields) })),
            .init("restarts", .integer(Int64(restarts))),
        ]
    }
}
