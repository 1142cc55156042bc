// SPDX-License-Identifier: Apache-2.0

/// The moves of a tower of Hanoi. Field by field as in ResearchKit's ORKTowerOfHanoiResult.
public struct HanoiRecord: PerformanceRecord {
    /// One legal move.
    public struct Move: Sendable, Hashable, Codable {
        /// Since the first move, whose own time is zero.
        public let time: Duration
        /// Tower it was taken from, 0 ... 2.
        public let donor: Int
        /// Tower it was put on, 0 ... 2.
        public let recipient: Int
        public init(time: Duration, donor: Int, recipient: Int) {
            self.time = time
            self.donor = donor
            self.recipient = recipient
        }
    }
    /// Disks at the beginning.
    public let disks: Int
    /// Legal moves only.
    public let moves: [Move]
    /// Choices of a move that the rules forbid; ResearchKit does not count them as moves.
    public let illegalMoves: Int
    /// All disks lie on the last tower.
    public let isSolved: Bool

    public init(disks: Int, moves: [Move], illegalMoves: Int, isSolved: Bool) {
        self.disks = disks
        self.moves = moves
        self.illegalMoves = illegalMoves
        self.isSolved = isSolved
    }
}

extension HanoiRecord {
    /// `hanoi`.
    public static var kind: String { "hanoi" }

    /// In the order in which platforms send them.
    public var figures: [PerformanceFigure] {
        [
            PerformanceFigure("puzzleWasSolved", .truth(isSolved)),
            PerformanceFigure("numberOfMoves", .whole(Int64(moves.count))),
        ]
    }

    /// The one that tells most.
    public var tellingFigure: String { "numberOfMoves" }

    /// With the names of ResearchKit's result where it has one; times in seconds.
    public var fields: [JSONText.Member] {
        [
            .init("puzzleWasSolved", .boolean(isSolved)), .init("moves", .array(moves.map { .object($0.fields) })),
            .init("numberOfDisks", .integer(Int64(disks))), .init("illegalMoves", .integer(Int64(illegalMoves))),
        ]
    }
}

extension Performance {
    /// What came out of it.
    public static func hanoi(_ record: HanoiRecord) -> Performance { Performance(record) }
}

extension HanoiRecord.Move {
    fileprivate var fields: [JSONText.Member] {
        [
            .init("timestamp", .seconds(time)), .init("donorTowerIndex", .integer(Int64(donor))),
            .init("recipientTowerIndex", .integer(Int64(recipient))),
        ]
    }
}
