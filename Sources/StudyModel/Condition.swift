// SPDX-License-Identifier: Apache-2.0

/// What a condition may look at.
public struct StudyFacts: Sendable {
    /// Keys of tasks that were completed at least once.
    public var completedTasks: Set<String>
    /// The arm drawn at enrolment.
    public var condition: String?
    /// Variables the platform keeps over runs.
    public var variables: [String: AnswerValue]
    /// Answers of the run under way.
    public var answers: Answers
    /// Who looks, where and when; nil where nobody said.
    public var setting: FactSetting?

    /// Facts of a study; everything empty unless given.
    public init(
        completedTasks: Set<String> = [], condition: String? = nil, variables: [String: AnswerValue] = [:],
        answers: Answers = [:]
    ) {
        self.completedTasks = completedTasks
        self.condition = condition
        self.variables = variables
        self.answers = answers
    }
}

/// Something that holds or does not, told by the facts alone. Platforms bring their own implementations.
public protocol Condition: Sendable {
    /// Whether it holds. Pure: the same facts give the same answer.
    func holds(_ facts: StudyFacts) -> Bool
    /// Keys of the questions of the run whose answers it looks at; empty where it looks at none.
    var drivers: [String] { get }
}

extension Condition {
    /// No question of the run: right for what looks at tasks, arms or variables only.
    public var drivers: [String] { [] }
}

/// Holds always.
public struct Always: Condition {
    public init() {}
    /// True, whatever the facts.
    public func holds(_ facts: StudyFacts) -> Bool { true }
}

/// Holds once each of these tasks was completed at least once.
public struct Completed: Condition {
    /// Task keys.
    public let tasks: [String]
    /// Waits for all of `tasks`; holds at once when there are none.
    public init(_ tasks: [String]) { self.tasks = tasks }
    /// True once every one of them is among `completedTasks`.
    public func holds(_ facts: StudyFacts) -> Bool { tasks.allSatisfy(facts.completedTasks.contains) }
}
