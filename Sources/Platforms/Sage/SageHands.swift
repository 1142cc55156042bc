// SPDX-License-Identifier: Apache-2.0
import Study

/// A task's choice of a hand, and the sections whose order depends on it. `SageTaskReader` makes it,
/// `SageRoute` puts the sections in order.
struct SageHands {
    /// Key of the step that asks for the hand.
    let question: String
    /// Keys of the drawn steps that say which hand comes first, by hand.
    let drawnSteps: [String: String]
    /// Both hands are used where the question was not answered.
    let isAlways: Bool
    /// Rows of the sections `left` and `right`.
    var sections: [String: Range<Int>] = [:]

    /// `left`, `right` or `both`; nil where nothing was chosen.
    private func chosen(_ facts: StudyFacts) -> String? {
        if case .choices(let keys)? = facts.answers[question] { keys.first } else { isAlways ? "both" : nil }
    }

    /// The hand that was drawn to be first.
    private func drawn(_ facts: StudyFacts) -> String? { drawnSteps.first { facts.answers[$0.value] != nil }?.key }

    fileprivate func first(_ facts: StudyFacts) -> String? {
        chosen(facts).flatMap { $0 == "both" ? nil : $0 } ?? drawn(facts)
    }

    fileprivate func order(_ facts: StudyFacts) -> [String] { Self.order(chosen(facts), first: drawn(facts)) }

    /// Hands in the order of use: the chosen one, or both as they were drawn.
    static func order(_ chosen: String?, first: String?) -> [String] {
        guard let chosen else { return [] }
        if chosen != "both" { return [chosen] }
        return first == "right" ? ["right", "left"] : ["left", "right"]
    }
}

/// Holds where another hand comes first, or none does: hides an instruction that names the first hand.
struct SageNotFirstHand: Condition {
    let hands: SageHands
    let hand: String

    func holds(_ facts: StudyFacts) -> Bool { hands.first(facts) != hand }
    var questionKeys: [String] { [hands.question] }
}

/// Holds where exactly these hands are used, in this order.
struct SageHandsAre: Condition {
    let hands: SageHands
    /// `["right"]`, `["right", "left"]`.
    let order: [String]

    func holds(_ facts: StudyFacts) -> Bool { hands.order(facts) == order }
    var questionKeys: [String] { [hands.question] }
}
