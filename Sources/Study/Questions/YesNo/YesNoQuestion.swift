// SPDX-License-Identifier: Apache-2.0

/// Yes or no by a single press: `YesNoKind` makes it, and `TaskRun` drives it.
///
/// ```
///            three buttons: next = yes, previous = no, select = left out
///  asked ──▶ one or two:    select = yes, next = no, previous (a hold of two) = left out
///            undo: back
/// ```
/// With one button it can be left out from the menu only.
package struct YesNoQuestion: QuestionMachine {
    private let layout: Panel.Layout

    package init(layout: Panel.Layout) { self.layout = layout }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        guard case .gesture(let gesture, 0) = event else { return [] }
        switch gesture {
        case layout.yes: return [.answered(.boolean(true))]
        case layout.no: return [.answered(.boolean(false))]
        case .undo: return [.back]
        case .select, .previous: return [.leftOut]
        default: return []
        }
    }

    /// One press for yes or no. Left out by the menu alone where there is one button: nil then.
    package func press(towards wanted: Wanted) -> Press? {
        switch wanted {
        case .answer(.boolean(true)): Press(layout.yes)
        case .answer(.boolean(false)): Press(layout.no)
        case .leaveOut: layout == .one ? nil : Press(layout == .two ? .previous : .select)
        default: nil
        }
    }
}

enum YesNoPhrases {
    static let answer = Phrase("{0}: {1}; {2}: {3}")
    static let menu = Phrase("the menu ({0})")
    static let leftOut = Phrase(". To skip yes or no: {0}")
}
