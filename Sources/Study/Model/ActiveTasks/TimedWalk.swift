// SPDX-License-Identifier: Apache-2.0
import Base

/// ResearchKit's timed walk: a known way, walked within a time limit. Sage's reader reads it from a study, and
/// `TimedWalkStep` plays it.
///
/// Source: `ORKTimedWalkStep` (ResearchKit daba8c9f, `ResearchKitActiveTask/Walking/Timed Walk`).
package struct TimedWalkRules: ActiveTaskRules {
    /// How long the way is.
    package let distanceInMeters: Double
    /// The walk ends by itself then.
    package let timeLimit: Duration

    package init(distanceInMeters: Double, timeLimit: Duration) {
        (self.distanceInMeters, self.timeLimit) = (distanceInMeters, timeLimit)
    }

    package var name: String { "timedWalk" }
    /// As ResearchKit calls it.
    package var title: Phrase { Phrase("Timed Walk") }

    /// In words; the limits are ResearchKit's (`validateParameters`), which has no longest time.
    package var problems: [String] {
        var problems: [String] = []
        if !(1...10_000).contains(distanceInMeters) {
            problems.append("distanceInMeters is outside 1 to 10000 meters")
        }
        if timeLimit < .seconds(1) || timeLimit > .seconds(7_200) {
            problems.append("stepDuration, the time limit, is outside 1 to 7200 seconds")
        }
        return problems
    }
}

/// What came out of a timed walk, made by `TimedWalkStep`. The event log keeps it by the names of its
/// properties (`PerformanceRecord`).
package struct TimedWalkRecord: PerformanceRecord {
    /// As the study says; the way is not measured.
    package let distanceInMeters: Double
    let timeLimit: Duration
    /// From the press at the beginning to that at the end, or the time limit.
    package let duration: Duration
    /// CLOCK_MONOTONIC when it began.
    package let uptime: Duration
    /// Ended by a press; false = by the time limit.
    package let isFinished: Bool
    /// How often it was begun again, because the menu was opened on the way.
    package let restarts: Int

    package static var kind: String { "timedWalk" }

    /// What platforms send: the values of `ORKTimedWalkResult`.
    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("distanceInMeters", .number(distanceInMeters)),
            PerformanceFigure("timeLimit", .number(timeLimit.inSeconds)),
            PerformanceFigure("duration", .number(duration.inSeconds)),
        ]
    }

    package var mainFigure: String { "duration" }

    /// The whole record; its first three are the values of `ORKTimedWalkResult`.
    package var fields: [JSONText.Member] {
        [
            .init("distanceInMeters", .number(distanceInMeters)), .init("timeLimit", .seconds(timeLimit)),
            .init("duration", .seconds(duration)), .init("startUptime", .seconds(uptime)),
            .init("isFinished", .boolean(isFinished)), .init("restarts", .integer(Int64(restarts))),
        ]
    }
}
