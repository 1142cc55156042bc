// SPDX-License-Identifier: Apache-2.0
import Base

/// Finds the prompt that a submission answers, by its due time and its task, and copies what only the prompt
/// knows. `LabFolder` and `DeviceFolder` link a record's submissions, `HiddenPosts` one post.
struct PromptLink {
    /// By the second at which they were due.
    private let prompts: [Int64: [StudyPrompt]]
    private let byTask: [String: [StudyPrompt]]
    /// By enrolment and occurrence.
    private let byName: [[String]: StudyPrompt]
    private let codebook: Codebook
    /// When each of several enrolments began, as far as known. A single one asked all prompts, so this is empty.
    private let begins: [String: Instant]
    /// A run's end and its prompt's are written in the same transaction, but platforms cut fractions.
    private static let tolerance: Duration = .seconds(5)

    init(_ prompts: [StudyPrompt], _ codebook: Codebook, _ enrolments: [Participant.Enrolment] = []) {
        self.prompts = Dictionary(grouping: prompts, by: \.due.instant.seconds)
        byTask = Dictionary(grouping: prompts.filter(\.isAnswered), by: \.task)
        byName = Dictionary(prompts.map { ([$0.enrolment ?? "", $0.occurrence], $0) }) { first, _ in first }
        self.codebook = codebook
        // A report need not name its enrolment: its prompts are of another one, too.
        let all = Set(enrolments.map(\.id) + prompts.map { $0.enrolment ?? "" })
        begins = all.count > 1 ? enrolments.reduce(into: [:]) { $0[$1.id] = $1.began?.instant } : [:]
    }

    func link(_ submissions: inout [StudySubmission]) {
        for place in submissions.indices { link(&submissions[place]) }
    }

    private func link(_ submission: inout StudySubmission) {
        submission.task = Int(submission.task).flatMap { codebook.tasksByPlace[$0] } ?? submission.task
        guard let prompt = prompt(of: submission) else { return }
        submission.task = prompt.task
        submission.prompt = prompt.occurrence
        submission.due = submission.due ?? prompt.due
        submission.enrolment = submission.enrolment ?? prompt.enrolment
        submission.presented = submission.presented ?? prompt.presented
        submission.opened = submission.opened ?? prompt.opened
        // A sticky task is answered again and again; what the prompt knows is of its first end.
        guard Self.endTogether(prompt, submission) else { return }
        submission.clockError = submission.clockError ?? prompt.clockError
        // Reports have the steps' own keys; in a dataset the sections of a SageResearch question are joined by `_`.
        // Where two steps come to one name, none of them is known to be meant.
        let joined = Dictionary(grouping: prompt.presses) { $0.key.replacing("/", with: "_") }
            .compactMapValues { $0.count == 1 ? $0[0].value : nil }
        for place in submission.answers.indices {
            let item = submission.answers[place].item
            submission.answers[place].presses =
                submission.answers[place].presses ?? prompt.presses[item] ?? joined[item]
        }
    }

    private func prompt(of submission: StudySubmission) -> StudyPrompt? {
        if let known = submission.prompt { return byName[[submission.enrolment ?? "", known]] }
        guard let due = submission.due else {
            return byTask[submission.task]?.first { Self.endTogether($0, submission) }
        }
        let candidates = prompts[due.instant.seconds] ?? []
        let possible = candidates.filter { isPossible($0, for: submission) }
        // A task that is known only by its place in the study: the only prompt of that moment is meant.
        return likeliest(possible.filter { $0.task == submission.task }, submission)
            ?? (candidates.count == 1 ? possible.first : nil)
    }

    /// An enrolment that began later did not ask, unless its device's clock was set back in between.
    private func isPossible(_ prompt: StudyPrompt, for submission: StudySubmission) -> Bool {
        guard let began = begin(of: prompt), began > submission.answered.instant else { return true }
        return prompt.isAnswered && Self.endTogether(prompt, submission)
    }

    /// Two enrolments of a participant may have prompts at the same moment.
    private func likeliest(_ prompts: [StudyPrompt], _ submission: StudySubmission) -> StudyPrompt? {
        func rank(_ prompt: StudyPrompt) -> (Int, Int, Instant) {
            (prompt.isAnswered ? 1 : 0, Self.endTogether(prompt, submission) ? 1 : 0, begin(of: prompt) ?? .epoch)
        }
        return prompts.max { rank($0) < rank($1) }
    }

    private func begin(of prompt: StudyPrompt) -> Instant? { prompt.enrolment.flatMap { begins[$0] } }

    private static func endTogether(_ prompt: StudyPrompt, _ submission: StudySubmission) -> Bool {
        prompt.ended.map { ($0.instant - submission.answered.instant).magnitude <= tolerance } ?? false
    }
}
