// SPDX-License-Identifier: Apache-2.0

/// The stable card number of every step that a card sheet shows: 1, 2, 3 … in the order of the file, over all
/// tasks. `CardSheet` prints it, and `TaskRun` signals it.
///
/// Shuffling, branching and drawing change the order in which cards are presented, never their
/// numbers. Options are numbered from 1 in the order of the file. The rounds of a form that is
/// repeated have the same numbers.
package struct CardIndex: Sendable {
    /// One step with its number.
    package struct Card: Sendable {
        /// From 1, over all tasks of the study; what the device tells and the sheet prints.
        package let number: Int
        /// The task it belongs to; step keys are unique only within it.
        package let task: StudyTask
        /// As in the file: what an opening draws or shuffles does not touch it.
        package let step: Step
    }
    /// What a step has in common in all rounds of a repeated form. The path alone does not tell steps
    /// apart: an instruction before a question has the same.
    private struct Round: Hashable {
        let path: String
        let text: String
        let format: AnswerFormat
    }
    /// In order of number.
    package let cards: [Card]
    private let numbers: [String: [String: Int]]

    package init(_ tasks: [StudyTask]) {
        var cards: [Card] = []
        var numbers: [String: [String: Int]] = [:]
        for task in tasks {
            var rounds: [Round: Int] = [:]
            // A step that is skipped whatever is answered has no card.
            for step in task.content.steps where !step.isAlwaysSkipped {
                // Rounds of a repeated form are the same cards.
                let round = Round(path: step.path, text: step.text, format: step.format)
                if !step.path.isEmpty, let number = rounds[round] {
                    numbers[task.key, default: [:]][step.key] = number
                    continue
                }
                rounds[round] = cards.count + 1
                cards.append(Card(number: cards.count + 1, task: task, step: step))
                numbers[task.key, default: [:]][step.key] = cards.count
            }
        }
        self.cards = cards
        self.numbers = numbers
    }

    package init(_ study: StudyProtocol) { self.init(study.tasks) }

    /// The number of a step, nil where the study has no such step.
    package func number(task: String, step: String) -> Int? { numbers[task]?[step] }

    /// The format of the question whose answer is put into a text of `task`; nil where the study has no
    /// such question.
    func format(of piping: Piping, in task: StudyTask) -> AnswerFormat? {
        let asked = piping.task.map { key in cards.first { $0.task.key == key }?.task } ?? task
        return asked?.content.steps.first { $0.key == piping.question }?.format
    }
}
