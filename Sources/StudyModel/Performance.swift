// SPDX-License-Identifier: Apache-2.0

/// What came out of an active task, event by event. Times are measured on CLOCK_MONOTONIC, from the beginning of the task's
/// own time as each record says.
public enum Performance: Sendable, Hashable, Codable {
    case kicks(KickRecord)
    case span(SpanRecord)
    case hanoi(HanoiRecord)
    case vigilance(VigilanceRecord)
}

/// What a kick counter counted.
public struct KickRecord: Sendable, Hashable, Codable {
    /// Why counting ended.
    public enum End: String, Sendable, Codable { case count, duration, participant }
    /// Each kick, since the press that began the counting, which is none itself.
    public let kicks: [Duration]
    /// From the first press to the end of counting.
    public let measured: Duration
    /// Why counting ended.
    public let end: End
    /// As the participant confirmed it; differs from `kicks.count` where it was corrected.
    public let count: Int
    /// As the participant confirmed it; whole seconds.
    public let duration: Duration
    /// How often the device was restarted while it counted.
    public let restarts: Int
    /// Part of `measured` could not be told from any clock: the device was off and its wall clock not trusted.
    public let isTimeUncertain: Bool

    /// A record of these parts.
    public init(
        kicks: [Duration], measured: Duration, end: End, count: Int, duration: Duration, restarts: Int = 0,
        isTimeUncertain: Bool = false
    ) {
        self.kicks = kicks
        self.measured = measured
        self.end = end
        self.count = count
        self.duration = duration
        self.restarts = restarts
        self.isTimeUncertain = isTimeUncertain
    }
}

/// The games of a spatial span memory test. Field by field as in ResearchKit's ORKSpatialSpanMemoryGameRecord.
public struct SpanRecord: Sendable, Hashable, Codable {
    /// How a game ended; the raw values are ResearchKit's. An interrupted game is `unknown` and not counted.
    public enum Status: Int, Sendable, Codable { case unknown, success, failure, timeout }
    /// One press while the sequence was asked for.
    public struct Touch: Sendable, Hashable, Codable {
        /// Since the buttons were open.
        public let time: Duration
        /// The target's number from 0; -1 = a button that is none.
        public let target: Int
        /// It was the one expected.
        public let isCorrect: Bool
        /// A press at that time.
        public init(time: Duration, target: Int, isCorrect: Bool) {
            self.time = time
            self.target = target
            self.isCorrect = isCorrect
        }
    }
    /// One sequence, shown and given back.
    public struct Game: Sendable, Hashable, Codable {
        /// The targets in the order expected of the participant; shown the other way round where the rules reverse.
        public let sequence: [Int]
        /// How many targets there were: a square number where the board has buttons enough.
        public let targets: Int
        /// Every press.
        public let touches: [Touch]
        /// How it ended.
        public let status: Status
        /// The points of its right presses, and the bonus of a whole sequence.
        public let score: Int
        /// A game of these parts.
        public init(sequence: [Int], targets: Int, touches: [Touch], status: Status, score: Int) {
            self.sequence = sequence
            self.targets = targets
            self.touches = touches
            self.status = status
            self.score = score
        }
    }
    /// In the order in which they were played, interrupted ones too.
    public let games: [Game]
    /// The longest sequence this board can ask for; nil where that is no limit to the protocol's own.
    public let cap: Int?

    /// A record of these games.
    public init(games: [Game], cap: Int?) {
        self.games = games
        self.cap = cap
    }

    /// The sum over all games.
    public var score: Int { games.reduce(0) { $0 + $1.score } }
    /// Games that were played to their end.
    public var numberOfGames: Int { games.count { $0.status != .unknown } }
    /// Games that ended with a wrong target or without a press in time.
    public var numberOfFailures: Int { games.count { $0.status == .failure || $0.status == .timeout } }
}

/// The moves of a tower of Hanoi. Field by field as in ResearchKit's ORKTowerOfHanoiResult.
public struct HanoiRecord: Sendable, Hashable, Codable {
    /// One legal move.
    public struct Move: Sendable, Hashable, Codable {
        /// Since the first move, whose own time is zero.
        public let time: Duration
        /// Tower it was taken from, 0 ... 2.
        public let donor: Int
        /// Tower it was put on, 0 ... 2.
        public let recipient: Int
        /// A move at that time.
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

    /// A record of these moves.
    public init(disks: Int, moves: [Move], illegalMoves: Int, isSolved: Bool) {
        self.disks = disks
        self.moves = moves
        self.illegalMoves = illegalMoves
        self.isSolved = isSolved
    }
}
