// SPDX-License-Identifier: Apache-2.0
import Base

/// The moves of a tower of Hanoi, as `TowerOfHanoi` records them. Field by field as in ResearchKit's
/// ORKTowerOfHanoiResult. The event log keeps it by the names of its properties (`PerformanceRecord`).
package struct HanoiRecord: PerformanceRecord {
    package struct Move: LoggedRecord {
        /// Since the first move, with its time as zero.
        package let time: Duration
        /// Tower it was taken from, 0 ... 2.
        let donor: Int
        /// Tower it was put on, 0 ... 2.
        let recipient: Int

        fileprivate var fields: [JSONText.Member] {
            [
                .init("timestamp", .seconds(time)), .init("donorTowerIndex", .integer(Int64(donor))),
                .init("recipientTowerIndex", .integer(Int64(recipient))),
            ]
        }
    }
    let disks: Int
    /// Legal moves only.
    package let moves: [Move]
    /// Choices of a move that the rules forbid; ResearchKit does not count them as moves.
    package let illegalMoves: Int
    /// All disks lie on the last tower.
    package let isSolved: Bool

    package static var kind: String { "hanoi" }

    package var figures: [PerformanceFigure] {
        [
            PerformanceFigure("puzzleWasSolved", .truth(isSolved)),
            PerformanceFigure("numberOfMoves", .whole(Int64(moves.count))),
        ]
    }

    package var mainFigure: String { "numberOfMoves" }

    /// With the names of ResearchKit's result where it has one; times in seconds.
    package var fields: [JSONText.Member] {
        [
            .init("puzzleWasSolved", .boolean(isSolved)), .init("moves", .array(moves.map { .object($0.fields) })),
            .init("numberOfDisks", .integer(Int64(disks))), .init("illegalMoves", .integer(Int64(illegalMoves))),
        ]
    }
}
