// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct CardIndexTests {
    private static let game = AnswerFormat.active(ActiveTask(TowerOfHanoiRules(disks: 3)))

    private static func numbers(_ steps: [Step]) -> [Int?] {
        let task = PanelFixtures.task(steps)
        let index = CardIndex([task])
        return steps.map { index.number(task: task.key, step: $0.key) }
    }

    /// MyStudies' app shows the title where a task has no text of its own.
    @Test func whatIsToldBeforeATaskInTheSameWordsIsAnotherCard() {
        let steps = [("told", AnswerFormat.instruction), ("done", Self.game)].map {
            Step(key: $0.0, text: "Tower of Hanoi", format: $0.1, path: "steps[0]")
        }
        #expect(Self.numbers(steps) == [1, 2])
    }

    @Test(arguments: [("steps[0]", [1, 1]), ("", [1, 2])]) func roundsOfOnePlaceAreOneCard(path: String, cards: [Int]) {
        let steps = ["first", "second"].map { Step(key: $0, text: "?", format: .yesNo(yes: "Y", no: "N"), path: path) }
        #expect(Self.numbers(steps) == cards.map(Optional.some))
    }
}
