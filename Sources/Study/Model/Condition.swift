// SPDX-License-Identifier: Apache-2.0

/// Something that holds or does not, by the facts alone: steps, tasks and jumps have one, which `Navigator` and
/// `TaskAccess` judge. Platforms bring their own implementations.
package protocol Condition: Sendable {
    /// Whether it holds. Pure: the same facts give the same answer.
    func holds(_ facts: StudyFacts) -> Bool
    /// Keys of the run's questions whose answers it looks at.
    var questionKeys: [String] { get }
    /// As it is for one opening of a task: with its steps at those places, of which those in `undrawn`
    /// were not drawn from their group.
    func opened(places: [String: Int], undrawn: Set<String>) -> any Condition
}

extension Condition {
    /// No question of the run: right for what looks at tasks, arms or variables only.
    package var questionKeys: [String] { [] }

    /// The same at every opening.
    package func opened(places: [String: Int], undrawn: Set<String>) -> any Condition { self }
}

package struct Always: Condition {
    package init() {}
    package func holds(_ facts: StudyFacts) -> Bool { true }
}

/// Holds where every one of these does, and where there are none.
package struct AllOf: Condition {
    package let all: [any Condition]
    package init(_ all: [any Condition]) { self.all = all }
    package func holds(_ facts: StudyFacts) -> Bool { all.allSatisfy { $0.holds(facts) } }
    package var questionKeys: [String] { all.flatMap(\.questionKeys) }
    package func opened(places: [String: Int], undrawn: Set<String>) -> any Condition {
        AllOf(all.map { $0.opened(places: places, undrawn: undrawn) })
    }
}

/// Holds once each of these tasks was completed at least once.
package struct Completed: Condition {
    private let tasks: [String]
    package init(_ tasks: [String]) { self.tasks = tasks }
    package func holds(_ facts: StudyFacts) -> Bool { tasks.allSatisfy(facts.completedTasks.contains) }
}
