// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads which earlier answer the text of a step repeats (`piping`), for `MyStudiesActivityReader`.
enum MyStudiesPiping {
    /// Nil where the step repeats none. `activity` is the id of the step's own activity.
    static func read(
        _ place: JSONPlace, in text: String, of activity: String?, _ findings: inout Findings
    ) -> Piping? {
        guard let logic = place.member("pipingLogic") ?? place.member("piping"), logic.isObject else { return nil }
        let snippet = PlainText(html: findings.text("pipingSnippet", in: logic)).text
        let source = findings.text("sourceQuestionKey", in: logic)
        let isPiping = place.member("isPiping")?.boolean ?? (!snippet.isEmpty && !source.isEmpty)
        guard isPiping else { return nil }
        guard !snippet.isEmpty, !source.isEmpty else {
            findings.assume("no answer is put into the text: pipingSnippet or sourceQuestionKey is empty", at: logic)
            return nil
        }
        guard text.contains(snippet) else {
            findings.assume("no answer is put into the text: it does not have the pipingSnippet", at: logic)
            return nil
        }
        let task = logic.member("activityId")?.text ?? ""
        return Piping(snippet: snippet, question: source, task: task.isEmpty || task == activity ? nil : task)
    }

    /// Quotes by the key of a step. A file names the question alone, `Q1`; in a form its step is
    /// `form/Q1`, in round 2 `form/2/Q1`, and that of the text's own round is taken.
    static func resolved(_ step: Step, among steps: [Step], _ findings: inout Findings) -> Step {
        guard let piping = step.piping, piping.task == nil, !steps.contains(where: { $0.key == piping.question }) else {
            return step
        }
        let members = steps.filter { $0.form != nil && $0.ownKey == piping.question && !$0.isOther && !$0.isMore }
        guard let source = members.first(where: { $0.form == step.form && $0.round == step.round }) ?? members.first
        else {
            // Once, not for every round.
            if step.round == 1 {
                findings.assume(
                    "the pipingSnippet stays in the text: \"\(piping.question)\" is not a question of this activity",
                    path: step.path)
            }
            return step
        }
        var step = step
        step.variation = .piped(Piping(snippet: piping.snippet, question: source.key))
        return step
    }
}
