// SPDX-License-Identifier: Apache-2.0
import Base

/// The games of a spatial span memory test, as `SpatialSpan` records them. Field by field as in ResearchKit's
/// ORKSpatialSpanMemoryGameRecord. The event log keeps it by the names of its properties: rename none.
package struct SpanRecord: PerformanceRecord {
    /// How a game ended; the raw values are ResearchKit's. An interrupted game is `unknown`
    /// and not counted.
    package enum Status: Int, LoggedRecord { case unknown, success, failure, timeout }
    /// One press while the sequence was asked for.
    package struct Touch: LoggedRecord {
        /// Since presses began to count.
        package let time: Duration
        /// The target's number from 0; -1 = a button that is no target.
        let target: Int
        /// It was the one expected.
        package let isCorrect: Bool

        fileprivate var fields: [JSONText.Member] {
            [
                .init("timestamp", .seconds(time)), .init("targetIndex", .integer(Int64(target))),
                .init("correct", .boolean(isCorrect)),
            ]
        }
    }
    /// One sequence, shown and given back.
    package struct Game: LoggedRecord {
        /// The targets in the order expected of the participant; shown the other way round where
        /// the rules reverse.
        package let sequence: [Int]
        /// How many targets there were: a square number where the board has buttons enough.
        package let targets: Int
        package let touches: [Touch]
        package let status: Status
        /// The points of its right presses, and the bonus of a whole sequence.
        package let score: Int
        package init(sequence: [Int], targets: Int, touches: [Touch], status: Status, score: Int) {
            self.sequence = sequence
            self.targets = targets
            self.touches = touches
            self.status = status
            self.score = score
        }

        fileprivate var fields: [JSONText.Member] {
            [
                .init("sequence", .array(sequence.map { .integer(Int64($0)) })),
                .init("gameSize", .integer(Int64(targets))),
                .init("touchSamples", .array(touches.map { .object($0.fields) })),
                .init("gameStatus", .integer(Int64(status.rawValue))), .init("score", .integer(Int64(score))),
            ]
        }
    }
    /// In the order in which they were played, interrupted ones too.
    package let games: [Game]
    /// The longest sequence this board can ask for; nil where that is no limit to
    /// what the study asks for.
    package let cap: Int?

    package init(games: [Game], cap: Int?) { (self.games, self.cap) = (games, cap) }

    package var score: Int { games.reduce(0) { $0 + $1.score } }
    /// Games that were played to their end.
    package var numberOfGames: Int { games.count { $0.status != .unknown } }
    /// Games that ended with a wrong target or without a press in time.
    package var numberOfFailures: Int { games.count { $0.status == .failure || $0.status == .timeout } }

    package static var kind: String { "span" }

    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("score", .whole(Int64(score))),
            PerformanceFigure("numberOfGames", .whole(Int64(numberOfGames))),
            PerformanceFigure("numberOfFailures", .whole(Int64(numberOfFailures))),
        ]
    }

    /// `gameSize` of every counted game, the number of targets: the fewer, the more often a
    /// sequence is guessed. And the longest sequence, where the board allows no longer one.
    package var conditions: [JSONText.Member] {
        let sizes = games.filter { $0.status != .unknown }.map { JSONText.integer(Int64($0.targets)) }
        return [.init("gameSizes", .array(sizes))] + (cap.map { [.init("spanCap", .integer(Int64($0)))] } ?? [])
    }

    package var mainFigure: String { "score" }

    /// With the names of ResearchKit's result where it has one; times in seconds.
    package var fields: [JSONText.Member] {
        [
            .init("score", .integer(Int64(score))), .init("numberOfGames", .integer(Int64(numberOfGames))),
            .init("numberOfFailures", .integer(Int64(numberOfFailures))),
            .init("gameRecords", .array(games.map { .object($0.fields) })),
        ]
    }
}
