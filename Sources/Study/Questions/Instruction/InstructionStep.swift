// SPDX-License-Identifier: Apache-2.0

/// Something that is said and acknowledged.
///
/// ```
///  said ── select ──▶ passed
///   └── next, previous: said again      undo: back
/// ```
package struct InstructionStep: QuestionMachine {
    package init() {}

    /// Passing is `leftOut`: there is no answer.
    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .gesture(.select, 0): [.leftOut]
        case .gesture(.next, 0), .gesture(.previous, 0): [.repeatText]
        case .gesture(.undo, 0): [.back]
        default: []
        }
    }

    package func press(towards wanted: Wanted) -> Press? { Press(.select) }
}

enum InstructionPhrases {
    static let howTo = Phrase("{0} to continue, {1} to repeat")
}
