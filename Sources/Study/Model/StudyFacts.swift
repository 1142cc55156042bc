// SPDX-License-Identifier: Apache-2.0

/// What a condition may look at.
package struct StudyFacts: Sendable {
    /// Keys of tasks that were completed at least once.
    package var completedTasks: Set<String>
    /// The arm drawn at enrolment.
    package var condition: String?
    /// Variables the platform keeps over runs.
    package var variables: [String: AnswerValue]
    /// Answers of the run under way.
    package var answers: Answers
    /// Questions of the run that were drawn from their group and are not answered; they have 1 in `answers`.
    package var presets: Set<String> = []
    /// Which participant looks, where and when; nil where that is unknown.
    package var setting: FactSetting?

    package init(
        completedTasks: Set<String> = [], condition: String? = nil, variables: [String: AnswerValue] = [:],
        answers: Answers = [:]
    ) {
        self.completedTasks = completedTasks
        self.condition = condition
        self.variables = variables
        self.answers = answers
    }
}
