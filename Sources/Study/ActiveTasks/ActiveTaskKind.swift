// SPDX-License-Identifier: Apache-2.0
import Base

/// The question kind of all active tasks, which are performed on the buttons: `AnswerFormat.kind` makes it of
/// an `ActiveTask`. The rules of each task say how (`ActiveTaskPlay`); a scripted participant says how well to
/// perform.
struct ActiveTaskKind: QuestionKind {
    let task: ActiveTask

    /// Nil for a task that no panel can play, which is refused.
    private var play: (any ActiveTaskPlay)? { task.rules as? any ActiveTaskPlay }

    func machine(in context: QuestionContext) -> any QuestionMachine { play?.step(in: context) ?? InstructionStep() }
    func howTo(on panel: Panel, in words: Words) -> String { play?.howTo(on: panel, in: words) ?? "" }
    func leavingOut(on panel: Panel, in words: Words) -> String { words(AnsweringPhrases.leftOutByMenu) }
    func spoken(on panel: Panel) -> [Said] { play?.spoken(on: panel) ?? [] }

    func refusal(on panel: Panel) -> String? {
        guard let play else { return "\(task.name) cannot be done with buttons; remove it from the study" }
        return task.problems.first.map { "\(task.name): \($0)" } ?? play.refusal(on: panel)
    }

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        switch value {
        case .string("perfect"): return .perform(.perfect)
        case .string("fail"): return .perform(.fail)
        case .string("random"): return .perform(.random)
        case .list(let list):
            let presses = list.compactMap { $0.text.flatMap(ScriptedPress.init) }
            guard presses.count == list.count else { fallthrough }
            return .perform(.presses(presses))
        default:
            throw WantedError(
                value: value,
                expected: """
                    "perfect", "fail", "random", or presses, in a list for each time that it is asked, such as \
                    [["select@12.5"]]
                    """)
        }
    }

    func first(now: LocalDateTime) -> Wanted { .perform(.perfect) }
    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted { .perform(.random) }
}
