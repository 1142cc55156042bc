// SPDX-License-Identifier: Apache-2.0

extension AnswerFormat {
    /// The kind of question for each format, by which the study's steps are asked, printed and scripted.
    var kind: any QuestionKind {
        switch self {
        case .instruction: InstructionKind()
        case .yesNo(let yes, let no): YesNoKind(yes: yes, no: no)
        case .choice(let format): ChoiceKind(format: format)
        case .slider(let format): SliderKind(format: format)
        case .number(let format): NumberKind(format: format)
        case .dateTime(let format, let limits): DateTimeKind(format: format, limits: limits)
        case .text(_, let rules): TextKind(rules: rules)
        case .media(let media): MediaKind(media: media)
        case .active(let task): ActiveTaskKind(task: task)
        case .position: PositionKind()
        case .recording: RecordingKind()
        case .countdown(let time): CountdownKind(time: time)
        case .reading(let reading): ReadingKind(reading: reading)
        }
    }
}
