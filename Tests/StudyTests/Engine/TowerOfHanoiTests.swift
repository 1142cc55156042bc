// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct TowerOfHanoiTests {
    static func time(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000) }

    /// Ten disks take 2^10 − 1 moves, and one more twice as many.
    @Test(arguments: [(0, false), (1, true), (10, true), (11, false), (-1, false)])
    func oneToTenDisksCanBeMoved(_ disks: Int, _ isPlayed: Bool) {
        #expect(TowerOfHanoiRules(disks: disks).problems.isEmpty == isPlayed)
    }

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

    /// `towerOfHanoiTowerViewWasSelected` takes any tower as donor; `recieveDiskFrom` refuses an
    /// empty one, and the choice stays.
    @Test func anEmptyTowerIsChosenAndNothingCanBeMovedFromIt() {
        var puzzle = TowerOfHanoi(TowerOfHanoiRules(disks: 2))
        let choices = [2, 0, 1, 2, 0].map { puzzle.choose($0, at: Self.time(1)) }
        #expect(choices == [.chosen, .illegal, .illegal, .cleared, .chosen])
        #expect(puzzle.record.illegalMoves == 2 && puzzle.record.moves.isEmpty)
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

    /// The button that can open the menu is down then, and a tower was chosen.
    @Test func anInterruptionTakesBackWhatWasPressedAndChosen() {
        let context = QuestionContext(panel: .reference, now: PanelFixtures.now, recordingID: "r")
        var step = TowerOfHanoiStep(TowerOfHanoiRules(disks: 2), in: context)
        func edge(_ button: Int, _ isPressed: Bool) -> [QuestionEffect] {
            step.handle(.edge(ButtonEvent(button: button, isPressed: isPressed, time: .zero)))
        }
        let chosen = edge(0, true)
        #expect(chosen == [.say(.tower(0, [2, 1]))])
        _ = edge(0, false)
        _ = edge(1, true)
        _ = step.handle(.interrupted)
        let (late, next) = (edge(1, false), edge(2, true))
        #expect(late.isEmpty && next == [.say(.tower(2, []))])
    }

    // MARK: - Without a loudspeaker

    static let mute = [
        PanelFixtures.one, PanelFixtures.two, PanelFixtures.panel(["a", "b", "c"]),
        try! Panel(buttons: Panel.buttons(named: ["a", "b", "c"]), leds: [], buzzer: nil, hasVibration: true),
    ]

    /// On and off of everything that a question tells, as one sense alone has it.
    static func told(_ effects: [QuestionEffect], on panel: Panel) -> [Duration] {
        let cues = effects.compactMap { if case .say(let cue) = $0 { cue } else { nil } }
        return Signals(panel).plan(cues)?.steps.map(\.duration) ?? []
    }

    static func choose(_ tower: Int, _ step: inout TowerOfHanoiStep, on panel: Panel) -> [QuestionEffect] {
        guard panel.layout != .three else {
            return [true, false].flatMap {
                step.handle(.edge(ButtonEvent(button: tower, isPressed: $0, time: .zero)))
            }
        }
        let name = QuestionEffect.say(.menuItem(tower + 1, GamePhrases.towers[tower]))
        while step.handle(.gesture(.next, repeats: 0)) != [name] {}
        return step.handle(.gesture(.select, repeats: 0))
    }

    /// What a participant can hear of a position: how it is described, and what each tower answers
    /// to a choice.
    static func heard(_ step: TowerOfHanoiStep, on panel: Panel) -> [[Duration]] {
        var told = step
        return [Self.told(told.begin(), on: panel)]
            + (0..<3).map { tower in
                var asked = step
                return Self.told(choose(tower, &asked, on: panel), on: panel)
            }
    }

    /// Walked by every legal move from the beginning: as many positions are heard as there are.
    @Test(arguments: mute, 1...4) func everyPositionIsToldApart(_ panel: Panel, _ disks: Int) {
        let context = QuestionContext(panel: panel, now: PanelFixtures.now, recordingID: "r")
        let first = TowerOfHanoiStep(TowerOfHanoiRules(disks: disks), in: context)
        var known = Set([Self.heard(first, on: panel)])
        var open = [first]
        while let step = open.popLast() {
            for (donor, recipient) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
                var next = step
                guard Self.choose(donor, &next, on: panel) != [.say(.refused)],
                    Self.choose(recipient, &next, on: panel).first == .say(.accepted)
                else { continue }
                if known.insert(Self.heard(next, on: panel)).inserted { open.append(next) }
            }
        }
        // All but the solved one, after which nothing is asked any more.
        #expect(known.count == (0..<disks).reduce(1) { all, _ in all * 3 } - 1)
    }

    /// The uppermost disks alone: 44 % of the positions of three disks look like another one, 99 %
    /// of those of seven.
    @Test(arguments: [(1, 0), (3, 44), (7, 99), (8, 100)]) func theUppermostDisksAloneDoNotTell(
        _ disks: Int, _ percent: Int
    ) {
        var tops: [[Rhythm]: Int] = [:]
        var whole: Set<[Rhythm]> = []
        let count = (0..<disks).reduce(1) { all, _ in all * 3 }
        for position in 0..<count {
            var towers: [[Int]] = [[], [], []]
            var rest = position
            for disk in stride(from: disks, to: 0, by: -1) {
                towers[rest % 3].append(disk)
                rest /= 3
            }
            tops[[Cue.towers(towers).rhythm], default: 0] += 1
            whole.insert([Cue.towers(towers).rhythm] + towers.indices.map { Cue.tower($0, towers[$0]).rhythm })
        }
        let ambiguous = tops.values.filter { $0 > 1 }.reduce(0, +)
        #expect(Int((Double(ambiguous) / Double(count) * 100).rounded()) == percent)
        #expect(whole.count == count)
    }

    @Test func aChosenTowerIsSaidWhereThereIsALoudspeaker() {
        let panel = PanelFixtures.panel(["a", "b", "c"], speaks: true)
        #expect(Signals(panel).plan(.tower(1, [3, 1])).speech.map(\.text) == ["Tower 2", "3", "1"])
    }
}
