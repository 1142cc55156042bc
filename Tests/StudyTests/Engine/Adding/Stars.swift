// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Study

// The example of docs/adding/question-kind.md; QuestionKindPageTests compares them.

/// One to five stars, told as places.
struct StarsQuestion: QuestionMachine {
    let layout: Panel.Layout
    /// The place before the first star is no answer.
    private var ring = Ring(count: 6)

    init(layout: Panel.Layout) { self.layout = layout }

    mutating func begin() -> [QuestionEffect] { [] }

    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        if ring.move(gesture) { return [.say(ring.index == 0 ? .leaveOut : .position("\(ring.index)"))] }
        switch gesture {
        case .select: return ring.index == 0 ? [.leftOut] : [.answered(.number(Double(ring.index)))]
        case .undo: return [.back]
        default: return []
        }
    }

    func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .leaveOut: ring.press(to: 0, layout: layout)
        case .answer(.number(let stars)): ring.press(to: Int(stars), layout: layout)
        default: nil
        }
    }
}

struct StarsKind: QuestionKind {
    func machine(in context: QuestionContext) -> any QuestionMachine { StarsQuestion(layout: context.panel.layout) }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(StarsPhrases.howTo, panel.walking(in: words), panel.pressing(.select, in: words))
    }

    func card(_ context: CardContext) -> String { "<p class=unit>★ … ★★★★★</p>" }

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        guard case .number(let stars) = value, (1...5).contains(stars), stars == stars.rounded() else {
            throw WantedError(value: value, expected: "a whole number from 1 to 5")
        }
        return .answer(.number(stars))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.number(1)) }
}

enum StarsPhrases {
    static let howTo = Phrase("{0}; {1} gives as many stars as were told last")
}
