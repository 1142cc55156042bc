// SPDX-License-Identifier: Apache-2.0

/// A piece of a step's text that is replaced by an earlier answer: MyStudies' reader reads it, and `RunTexts`
/// fills it in.
package struct Piping: Sendable, Hashable {
    /// Every place where the text has these characters is replaced.
    package let snippet: String
    /// The step with the answer that is put in.
    package let question: String
    /// The task whose last submitted answer is put in; nil = the answer of the run under way.
    package let task: String?

    package init(snippet: String, question: String, task: String? = nil) {
        (self.snippet, self.question, self.task) = (snippet, question, task)
    }

    /// The fact in which the last submitted answer to a question is kept for other tasks.
    package static func variable(task: String, question: String) -> String { "answer/\(task)/\(question)" }

    /// The answer to be put in; nil where there is none.
    package func answer(in facts: StudyFacts) -> AnswerValue? {
        guard let task else { return facts.answers[question] }
        return facts.variables[Self.variable(task: task, question: question)]
    }
}

extension StudyProtocol {
    /// The answers of a submission that texts of other tasks put in, by the fact in which each is
    /// kept; `cleared` where the question was left unanswered this time.
    package func pipedAnswers(of submission: Submission) -> [(variable: String, value: AnswerValue)] {
        let questions = Set(
            tasks.flatMap(\.content.steps).compactMap(\.piping).filter { $0.task == submission.task }
                .map(\.question))
        return questions.sorted().map { question in
            (Piping.variable(task: submission.task, question: question), submission.answers[question] ?? .cleared)
        }
    }
}
