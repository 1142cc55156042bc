// SPDX-License-Identifier: Apache-2.0

/// A graph of a task's answers that a MyStudies study describes; `studyd history` draws it.
package struct StudyChart: Sendable, Hashable {
    /// Key of the task with the runs that give the points.
    package let task: String
    /// Which value of an active task is drawn; nil = the one that says most.
    package let part: String?
    package let graph: GraphDescription

    package init(task: String, part: String?, graph: GraphDescription) {
        (self.task, self.part, self.graph) = (task, part, graph)
    }
}
