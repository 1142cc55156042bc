// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Testing
import Times

@testable import StudyEngine

struct TowerOfHanoiTests {
    static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000) }

    @Test(arguments: 1...8) func theShortestWayTakesTwoToTheDisksLessOne(_ disks: Int) {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: disks))
        var second = 0
        while let next = puzzle.nextMove {
            for tower in [next.donor, next.recipient] {
                second += 1
                _ = puzzle.choose(tower, at: Self.time(second))
            }
        }
        #expect(puzzle.isSolved && puzzle.record.isSolved && puzzle.record.moves.count == 1 << disks - 1)
        #expect(puzzle.towers[2] == Array((1...disks).reversed()))
        let result1 = puzzle.choose(0, at: Self.time(9))
        #expect(result1 == .over)
    }

    @Test func theShortestWayIsFoundFromAnywhere() {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: 4))
        var generator = SplitMix64(seed: 3)
        for step in 0..<200 { _ = puzzle.choose(generator.below(3), at: Self.time(step)) }
        puzzle.clearChoice()
        var moves = 0
        while let next = puzzle.nextMove {
            moves += 1
            let choice = puzzle.choose(next.donor, at: .zero)
            #expect(choice == .chosen)
            _ = puzzle.choose(next.recipient, at: .zero)
        }
        #expect(puzzle.isSolved && moves <= 15)
    }

    @Test func anIllegalMoveLeavesTheChoiceAndIsNotCounted() {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: 2))
        let result2 = puzzle.choose(0, at: Self.time(5))
        #expect(result2 == .chosen)
        let result3 = puzzle.choose(1, at: Self.time(6))
        #expect(result3 == .moved)
        let result4 = puzzle.choose(0, at: Self.time(7))
        #expect(result4 == .chosen)
        let result5 = puzzle.choose(1, at: Self.time(8))
        #expect(result5 == .illegal)
        #expect(puzzle.donor == 0)
        let result6 = puzzle.choose(2, at: Self.time(9))
        #expect(result6 == .moved)
        #expect(puzzle.record.moves.map(\.time) == [.zero, .seconds(3)])
        #expect(puzzle.record.illegalMoves == 1)
    }

    /// ResearchKit lets an empty tower be chosen; on buttons nobody sees why nothing can be moved from it then.
    @Test func anEmptyTowerIsNoDonor() {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: 2))
        let empty = puzzle.choose(2, at: Self.time(1))
        #expect(empty == .illegal && puzzle.donor == nil && puzzle.record.illegalMoves == 0)
        let full = puzzle.choose(0, at: Self.time(2))
        #expect(full == .chosen)
    }

    @Test func theSameTowerTakesTheChoiceBack() {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: 2))
        _ = puzzle.choose(0, at: .zero)
        let result7 = puzzle.choose(0, at: .zero)
        #expect(result7 == .cleared)
        #expect(puzzle.donor == nil && puzzle.record.moves.isEmpty)
    }

    @Test func allDisksOnTheMiddleTowerAreNotSolved() {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: 1))
        _ = puzzle.choose(0, at: .zero)
        let result10 = puzzle.choose(1, at: .zero)
        #expect(result10 == .moved && !puzzle.isSolved)
    }
}
