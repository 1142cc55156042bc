// SPDX-License-Identifier: Apache-2.0

/// How a step is asked and answered on a panel, or why it cannot be: for `studyd validate` and enrolment
/// (`StudyVerdict`), and for `CardSheet`.
package enum PanelSupport: Sendable, Hashable {
    /// Two sentences for `validate` and the card sheet.
    case asked(how: String, answered: String)
    /// The reason, with the remedy.
    case refused(String)

    /// What that panel does with that step. Participants read how it is answered, in their words;
    /// how it is asked, and why it cannot be, is for those who set the device up, in English.
    package init(_ step: Step, on panel: Panel, in words: Words = .english) {
        let kind = step.format.kind
        if let reason = kind.refusal(on: panel) {
            self = .refused(reason)
        } else {
            self = .asked(how: kind.presentation(on: panel), answered: Self.answering(step, kind, panel, words))
        }
    }

    /// True where the study cannot be installed because of this step.
    package var isRefused: Bool { if case .refused = self { true } else { false } }

    private static func answering(_ step: Step, _ kind: any QuestionKind, _ panel: Panel, _ words: Words) -> String {
        let sentence = kind.howTo(on: panel, in: words)
        guard step.format.isQuestion else { return sentence }
        return sentence
            + (step.isRequired ? words(AnsweringPhrases.required) : kind.leavingOut(on: panel, in: words))
    }
}
