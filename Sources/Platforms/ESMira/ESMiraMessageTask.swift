// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// A message of the participant to those who run the study, which the app has on a separate page
/// (`sendMessagesAllowed`): here a task that stays in the list, with one question that is answered by voice or
/// by letters. `ESMiraDecoder` adds the task, `ESMiraWriter` sends the message.
enum ESMiraMessageTask {
    /// The task's key, and the question's.
    private static let task = "letter"
    private static let question = "message"

    /// The server refuses what is shorter ("Message is too short").
    private static let leastBytes = 2

    /// The task, which comes after the study's own.
    static func task(index: Int, language: String) -> StudyTask {
        let language = Language(tag: language) ?? .english
        let name = StudyPhrases.writeToTeam.text(in: language)
        let step = Step(
            key: question, text: StudyPhrases.messageToTeam.text(in: language),
            format: .text(multiline: true), path: "$.sendMessagesAllowed")
        var made = StudyTask(
            key: task, index: index, wireName: "", name: name, prompt: PromptText(title: name, message: ""),
            condition: nil, schedule: AlwaysOpen(), isSticky: true,
            content: Questionnaire([step]))
        made.purpose = .message
        return made
    }

    /// What was written; nil where it is too short for the server.
    private static func text(_ answers: Answers) -> String? {
        let text: String
        switch answers[question] {
        case .text(let written)?: text = written
        case .recording(let id)?: text = "voice:" + id
        default: return nil
        }
        return text.utf8.count >= leastBytes ? text : nil
    }

    /// `save_message.php`, with the app's `MessageStructure` (`Web.kt`, ESMira-apps f750e58).
    static func requests(_ submission: Submission, _ study: ESMiraStudy, in context: WireContext) -> [WireRequest] {
        guard let text = text(submission.answers) else { return [] }
        let base = ESMiraWire.address(context.address, "save_message")
        return [
            ESMiraWire.post(
                [.init("content", .string(text)), .init("studyId", .integer(Int64(study.id)))],
                by: context.enrolment.participant.text, to: base.isEmpty ? "" : base + study.languageQuery)
        ]
    }
}
