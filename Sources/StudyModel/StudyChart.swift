// SPDX-License-Identifier: Apache-2.0

/// A graph of a task's answers that the study itself describes.
public struct StudyChart: Sendable, Hashable {
    /// Key of the task whose runs give the points.
    public let task: String
    /// Which value of an active task is drawn; nil = its most telling one.
    public let part: String?
    /// The question, and how it is drawn.
    public let graph: GraphDescription

    public init(task: String, part: String?, graph: GraphDescription) {
        self.task = task
        self.part = part
        self.graph = graph
    }
}
