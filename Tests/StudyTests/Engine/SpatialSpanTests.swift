// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct SpatialSpanTests {
    static func rules(
        _ initial: Int = 3, _ minimum: Int = 2, _ maximum: Int = 15, games: Int = 5, failures: Int = 3,
        reversed: Bool = false
    ) -> SpatialSpanRules {
        SpatialSpanRules(
            initialSpan: initial, minimumSpan: minimum, maximumSpan: maximum, period: .seconds(1), maximumGames: games,
            maximumFailures: failures, requiresReversal: reversed)
    }

    static func test(_ rules: SpatialSpanRules, buttons: Int = 36) -> SpatialSpan {
        SpatialSpan(rules, buttons: buttons, generator: SplitMix64(seed: 7))
    }

    static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Plays one game; true wins it, false presses a wrong target at once.
    static func play(_ test: inout SpatialSpan, win: Bool) {
        test.begin()
        test.open(at: time(0))
        let sequence = test.sequence
        guard win else {
            _ = test.touch((0..<test.targets).first { $0 != sequence[0] }!, at: time(1))
            return
        }
        for (index, target) in sequence.enumerated() { _ = test.touch(target, at: time(Double(index + 1))) }
    }

    @Test(arguments: [(1, 2), (2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5), (12, 5), (13, 6), (18, 6), (20, 6)])
    func theSquareGrowsWithTheSpan(_ span: Int, _ side: Int) { #expect(SpatialSpan.side(span: span) == side) }

    @Test(arguments: [(2, 1), (3, 2), (4, 2), (8, 2), (9, 4), (15, 4), (16, 8), (25, 12), (36, 20)])
    func theSpanIsCappedByTheButtons(_ buttons: Int, _ most: Int) {
        #expect(SpatialSpan.longestSpan(buttons: buttons) == most)
        let test = Self.test(Self.rules(3, 3, 20), buttons: buttons)
        #expect(test.cap == (most < 20 ? most : nil))
        #expect(test.rules.initialSpan == min(3, most) && test.rules.minimumSpan == min(3, most))
    }

    /// NSParameterAssert of ORKSpatialSpanGame: `_gameSize > 0`, `_sequenceLength > 0`,
    /// `_sequenceLength < _gameSize`.
    @Test(arguments: 2...36) func noSequenceIsAsLongAsThereAreTargets(_ buttons: Int) {
        var test = Self.test(Self.rules(2, 1, 20, games: 60, failures: 60), buttons: buttons)
        for game in 0..<60 { Self.play(&test, win: game % 7 < 5) }
        #expect(test.games.allSatisfy { $0.targets > 0 && !$0.sequence.isEmpty && $0.sequence.count < $0.targets })
    }

    /// On two buttons of two every second game was won by pressing both; on three of two
    /// it is every sixth.
    @Test func whoPressesAnythingSeldomWins() {
        var test = Self.test(Self.rules(2, 2, 2, games: 1_000, failures: 1_000), buttons: 3)
        var generator = SplitMix64(seed: 4)
        for _ in 0..<1_000 {
            test.begin()
            test.open(at: Self.time(0))
            for target in generator.shuffled([0, 1, 2]) { _ = test.touch(target, at: Self.time(1)) }
        }
        #expect((130...200).contains(test.games.count { $0.status == .success }))
    }

    @Test func whatIsSentSaysHowManyTargetsThereWere() {
        var test = Self.test(Self.rules(2, 2, 8, games: 3), buttons: 9)
        for _ in 0..<3 { Self.play(&test, win: true) }
        #expect(
            test.record.conditions
                == [
                    .init("gameSizes", .array([.integer(4), .integer(9), .integer(9)])), .init("spanCap", .integer(4)),
                ])
    }

    /// round(log2 k) + 1, times five.
    @Test(arguments: [(1, 5), (2, 10), (3, 15), (4, 15), (5, 15), (6, 20), (8, 20), (11, 20), (12, 25), (20, 25)])
    func laterTargetsGiveMorePoints(_ number: Int, _ points: Int) { #expect(SpatialSpan.points(number) == points) }

    @Test func aWholeSequenceGivesItsTargetsAndABonus() {
        var test = Self.test(Self.rules(3))
        Self.play(&test, win: true)
        // 5 + 10 + 15 for three targets, 15 for the whole of three.
        #expect(test.games[0].score == 45 && test.games[0].status == .success)
        #expect(test.games[0].touches.map(\.isCorrect) == [true, true, true])
        #expect(test.games[0].touches.map(\.time) == [.seconds(1), .seconds(2), .seconds(3)])
    }

    @Test func theSpanFollowsSuccessAndFailure() {
        var test = Self.test(Self.rules(2, 2, 3, games: 6, failures: 9))
        var spans: [Int] = []
        for win in [true, true, false, false, false, true] {
            Self.play(&test, win: win)
            spans.append(test.games.last!.sequence.count)
        }
        #expect(spans == [2, 3, 3, 2, 2, 2])
        #expect(test.isOver && test.record.numberOfGames == 6 && test.record.numberOfFailures == 3)
        #expect(test.record.score == test.games.map(\.score).reduce(0, +))
    }

    @Test func failuresInARowEndIt() {
        var test = Self.test(Self.rules(failures: 2))
        Self.play(&test, win: false)
        #expect(!test.isOver)
        Self.play(&test, win: false)
        #expect(test.isOver && test.record.numberOfGames == 2)
    }

    @Test func twentySecondsWithoutARightPressLoseTheGame() {
        var test = Self.test(Self.rules(3))
        test.begin()
        test.open(at: Self.time(0))
        let sequence = test.sequence
        let result1 = test.touch(sequence[0], at: Self.time(15))
        #expect(result1 == .right)
        #expect(test.deadline == Self.time(35))
        let result2 = test.touch(sequence[0], at: Self.time(30))
        #expect(result2 == .repeated)
        #expect(test.deadline == Self.time(35))
        let result3 = test.tick(at: Self.time(34.9))
        #expect(!result3)
        let result4 = test.tick(at: Self.time(35))
        #expect(result4)
        #expect(test.games[0].status == .timeout && test.games[0].score == 5)
        #expect(test.games[0].touches.map(\.isCorrect) == [true, false])
    }

    @Test func aPressOnNoTargetIsKeptAndChangesNothing() {
        var test = Self.test(Self.rules(3))
        test.begin()
        test.open(at: Self.time(0))
        let result5 = test.touch(-1, at: Self.time(1))
        #expect(result5 == .repeated)
        let result6 = test.touch(test.sequence[0], at: Self.time(2))
        #expect(result6 == .right)
    }

    @Test func anInterruptedGameIsNotCountedAndItsSpanComesAgain() {
        var test = Self.test(Self.rules(4, games: 1))
        test.begin()
        test.interrupt()
        #expect(!test.isOver && test.record.numberOfGames == 0 && test.games[0].status == .unknown)
        test.begin()
        #expect(test.sequence.count == 4)
    }

    @Test func reversalShowsTheOtherWayRound() {
        var test = Self.test(Self.rules(4, reversed: true))
        test.begin()
        #expect(test.shown == test.sequence.reversed())
    }

    @Test func aSequenceHasDistinctTargetsOfItsSquare() {
        var test = Self.test(Self.rules(2, 2, 20, games: 200, failures: 999))
        for _ in 0..<200 {
            Self.play(&test, win: true)
            let game = test.games.last!
            let side = SpatialSpan.side(span: game.sequence.count)
            #expect(Set(game.sequence).count == game.sequence.count && game.targets == side * side)
            #expect(game.sequence.allSatisfy { (0..<game.targets).contains($0) })
        }
        #expect(test.games.last?.sequence.count == 20)
    }

    @Test(arguments: [(1, 1, 3), (3, 4, 5), (6, 2, 5), (3, 2, 40), (40, 2, 40)])
    func parametersResearchKitRefusesAreNamed(_ initial: Int, _ minimum: Int, _ maximum: Int) {
        #expect(!ActiveTask(Self.rules(initial, minimum, maximum)).problems.isEmpty)
    }

    /// A study may set the least span to nothing; a game has at least one target.
    @Test(arguments: [(-3, [2, 1, 1]), (0, [2, 1, 1]), (1, [2, 1, 1]), (2, [2, 2, 2])])
    func noSpanFallsBelowItsLeastOrOne(_ minimum: Int, _ spans: [Int]) {
        var test = Self.test(Self.rules(2, minimum, 3, games: 9, failures: 9))
        for _ in spans { Self.play(&test, win: false) }
        #expect(test.games.map(\.sequence.count) == spans)
    }
}
