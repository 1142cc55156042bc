// SPDX-License-Identifier: Apache-2.0
import Base

/// What a `Condition` and a `Schedule` may look at: read from the store at a start, then kept by `Scheduler`.
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

    /// The name of the variable with the time of a task's last submission; kept only for tasks with
    /// a `rest`, which pause after each, and for those with prompts that time out.
    package static func lastDoneVariable(_ task: String) -> String { lastDoneHead + task }
    private static let lastDoneHead = "done/"

    /// The name of the variable with the time at which a version of the study was taken up; kept only where
    /// a schedule starts with its version, or a task numbers its runs again (`RunNumbering`).
    static let versionVariable = "version/since"

    /// When the latest version was taken up for which that is kept, which is the present one where a schedule
    /// starts with its version; nil = there was none.
    var versionSince: Instant? { time(Self.versionVariable) }

    /// Whether a variable keeps when something happened to a task, or when it was last done.
    static func isTimestamp(_ variable: String) -> Bool {
        StudyHappening.isKept(in: variable) || variable.hasPrefix(lastDoneHead)
    }

    /// When the task was submitted last; nil where that is not kept, or it never was.
    package func lastDone(_ task: String) -> Instant? { time(Self.lastDoneVariable(task)) }

    private func time(_ variable: String) -> Instant? {
        guard case .number(let milliseconds)? = variables[variable] else { return nil }
        return Instant(milliseconds: Int64(milliseconds))
    }
}
