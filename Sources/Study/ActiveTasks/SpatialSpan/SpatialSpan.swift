// SPDX-License-Identifier: Apache-2.0
import Base

/// The games of a spatial span memory test: sequences, scoring, adaptation. Pure. Source: ResearchKit's
/// spatial span memory. The span is the length of a sequence. `SpatialSpanStep` calls `begin`, shows the
/// sequence, calls `open`, then `touch` for each press and `tick` at the deadline, until the game has ended.
///
/// ```
///  begin ─▶ asking ── every target of the sequence ──▶ won ──▶ span + 1 ─┐
///             ├────── a wrong target ───────────────▶ lost ─▶ span − 1 ─┤
///             ├────── 20 s without a right one ─────▶ late ─▶ span − 1 ─┼─▶ the next `begin`, until the games or the
///             └────── interrupt ────────────────────▶ the same span ────┘   failures in a row are used up
/// ```
package struct SpatialSpan: Sendable {
    /// How long the participant may take for the next right target.
    private static let patience: Duration = .seconds(20)

    /// `repeated` = given already, or no target at all: such a touch is recorded, and the game goes on.
    package enum Touched: Sendable, Hashable { case right, repeated, wrong, won }

    /// Its parameters, the span capped at what the board can show.
    package let rules: SpatialSpanRules
    /// The longest sequence the board can ask for; nil where that is no limit.
    package let cap: Int?
    /// Games so far, interrupted ones too.
    package private(set) var games: [SpanRecord.Game] = []
    /// The targets in the order expected of the participant, as numbers from 0; empty between games.
    package private(set) var sequence: [Int] = []
    /// How many targets the present game has.
    package private(set) var targets = 0
    /// How many of the sequence were given.
    package private(set) var given = 0
    private let buttons: Int
    /// The span of the game under way, or of the next one.
    private var span: Int
    /// Games lost in a row.
    private var failures = 0
    private var generator: SplitMix64
    private var touches: [SpanRecord.Touch] = []
    /// When presses began to count; nil between games and while the sequence is shown.
    private var opened: MonotonicTime?
    /// When the last right press came, or `opened` before it.
    private var lastRight: MonotonicTime?

    /// A test for that many buttons, with sequences that `generator` draws; none is longer than
    /// `longest`.
    package init(_ rules: SpatialSpanRules, buttons: Int, longest: Int = 20, generator: SplitMix64) {
        let most = min(Self.longestSpan(buttons: buttons), longest)
        cap = most < rules.maximumSpan ? most : nil
        self.rules = rules.capped(at: most)
        self.buttons = buttons
        self.generator = generator
        span = self.rules.initialSpan
    }

    /// The side of the square in which a sequence of that length is shown.
    package static func side(span: Int) -> Int {
        let side = (1...6).first { $0 * $0 >= 2 * span } ?? 6
        return max(side, 2)
    }

    /// The longest sequence in a square with no more than `buttons` targets; with fewer than four
    /// buttons there is no square. Always shorter than there are targets, as ORKSpatialSpanGame
    /// asserts: of two targets, pressing both in either order would win every second game.
    package static func longestSpan(buttons: Int) -> Int {
        (2...20).last { side(span: $0) * side(span: $0) <= buttons } ?? max(min(2, buttons - 1), 1)
    }

    /// No game is left to be played.
    package var isOver: Bool {
        sequence.isEmpty && (record.numberOfGames >= rules.maximumGames || failures >= rules.maximumFailures)
    }

    /// The targets in the order in which they are shown.
    package var shown: [Int] { rules.requiresReversal ? sequence.reversed() : sequence }

    /// Draws the next sequence: the first targets of a shuffled square.
    package mutating func begin() {
        let side = Self.side(span: span)
        targets = min(side * side, buttons)
        sequence = Array(generator.shuffled(Array(0..<targets)).prefix(span))
        (given, touches, opened, lastRight) = (0, [], nil, nil)
    }

    /// The sequence was shown: from here on presses count.
    package mutating func open(at now: MonotonicTime) { (opened, lastRight) = (now, now) }

    /// When the game is lost unless a right press comes before; nil while no press is expected.
    package var deadline: MonotonicTime? { lastRight.map { $0 + Self.patience } }

    /// Takes a press on target `target`; -1 for a button that is no target. A wrong press ends the game, and so
    /// does the last right one. Nil where no press is expected.
    package mutating func touch(_ target: Int, at time: MonotonicTime) -> Touched? {
        guard let opened, given < sequence.count else { return nil }
        let isIgnored = target < 0 || sequence.prefix(given).contains(target)
        let isRight = sequence[given] == target
        touches.append(SpanRecord.Touch(time: time - opened, target: target, isCorrect: isRight))
        if isIgnored { return .repeated }
        guard isRight else {
            close(.failure)
            return .wrong
        }
        given += 1
        lastRight = time
        guard given == sequence.count else { return .right }
        close(.success)
        return .won
    }

    /// Loses the game once its time is over; true where this call did.
    package mutating func tick(at now: MonotonicTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        close(.timeout)
        return true
    }

    /// Throws the game away: it is kept as unknown, not counted, and the same span comes again.
    package mutating func interrupt() { if !sequence.isEmpty { close(.unknown) } }

    package var record: SpanRecord { SpanRecord(games: games, cap: cap) }

    /// The points of the `number`-th right press (from 1), and the bonus for a whole
    /// sequence of that length.
    package static func points(_ number: Int) -> Int {
        var power = 0
        // round(log2 n): the power p with 2^(p - ½) ≤ n, that is 2^(2p - 1) ≤ n².
        while 1 << (2 * power + 1) <= number * number { power += 1 }
        return (power + 1) * 5
    }

    /// Ends the game: records and scores it, and sets the span of the next.
    private mutating func close(_ status: SpanRecord.Status) {
        var score = given > 0 ? (1...given).reduce(0) { $0 + Self.points($1) } : 0
        if status == .success { score += Self.points(sequence.count) }
        if status == .unknown { score = 0 }
        games.append(
            SpanRecord.Game(sequence: sequence, targets: targets, touches: touches, status: status, score: score))
        (sequence, opened, lastRight) = ([], nil, nil)
        adapt(to: status)
    }

    private mutating func adapt(to status: SpanRecord.Status) {
        switch status {
        case .unknown: break
        case .success:
            failures = 0
            span = min(span + 1, rules.maximumSpan)
        case .failure, .timeout:
            failures += 1
            span = max(span - 1, rules.minimumSpan, 1)
        }
    }
}

extension SpatialSpanRules {
    /// The same, with no span above `most`.
    func capped(at most: Int) -> SpatialSpanRules {
        SpatialSpanRules(
            initialSpan: min(initialSpan, most), minimumSpan: min(minimumSpan, most),
            maximumSpan: min(maximumSpan, most), period: period, maximumGames: maximumGames,
            maximumFailures: maximumFailures, requiresReversal: requiresReversal, targetName: targetName)
    }
}
