// SPDX-License-Identifier: Apache-2.0

/// Dates from which tasks count their days, read from the study by MyStudies' and Sage's decoders
/// (`StudyProtocol.anchors`).
package struct AnchorDates: Sendable, Hashable {
    /// Answers to the study's own questions.
    package var questions: [AnchorRule] = []
    /// Values that the study's server is asked for.
    package var server: [ServerVariable] = []

    package init() {}
}

/// A date that is asked for in one task and from which others count their days. Not an anchor of
/// the clock.
package struct AnchorRule: Sendable, Hashable {
    /// Key of the task that asks.
    package let task: String
    /// Key of its question, which is answered with a date.
    package let question: String
    /// The variable that keeps the date; schedules look at it.
    package let variable: String

    package init(task: String, question: String, variable: String) {
        (self.task, self.question, self.variable) = (task, question, variable)
    }
}
