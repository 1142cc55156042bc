// SPDX-License-Identifier: Apache-2.0

/// How a step is answered, whatever the platform and whatever the panel: platforms' readers make it, and its
/// `kind` (`QuestionKind`) asks it.
package enum AnswerFormat: Sendable, Hashable {
    /// Nothing to answer; it is said and acknowledged.
    case instruction
    case yesNo(yes: String, no: String)
    case choice(ChoiceFormat)
    case slider(SliderFormat)
    case number(NumberFormat)
    case dateTime(DateTimeFormat, limits: DateLimits = DateLimits())
    /// Free text: on a board a voice memo, or letters chosen by buttons.
    case text(multiline: Bool, rules: TextRules = TextRules())
    /// Said, played where it is sound, and acknowledged; nothing to answer.
    case media(MediaReference)
    /// Performed on the buttons; the answer is a `Performance`.
    case active(ActiveTask)
    /// Where the participant is, by the board's own receiver.
    case position
    /// The answer is a sound recording, even where the board could take a text by letters.
    case recording
    /// How long to wait; the answer is 0 for begun and 1 for waited out.
    case countdown(Duration)
    /// What the device measures at a press; the answer is a text of numbers with blanks between them, in the
    /// order that the `DeviceReading` gives.
    case reading(DeviceReading)

    /// True where the step takes an answer.
    package var isQuestion: Bool {
        switch self {
        case .instruction, .media: false
        default: true
        }
    }
}
