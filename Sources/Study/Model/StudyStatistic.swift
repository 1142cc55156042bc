// SPDX-License-Identifier: Apache-2.0

/// A figure about a participant's own answers that a MyStudies study shows back, by `studyd history`.
package struct StudyStatistic: Sendable, Hashable {
    /// How the answers of a stretch of time become one number.
    package enum Calculation: String, Sendable, CaseIterable { case sum, average, maximum, minimum }

    /// What it is called, as plain text.
    package let title: String
    /// Printed behind the number; may be empty.
    package let unit: String
    package let calculation: Calculation
    /// Key of the task with the runs that give the values.
    package let task: String
    /// Key of the question; an active task is asked under its step's key.
    package let question: String
    /// Which figure of an active task is meant, by its name on the wire; nil = its main figure.
    package let part: String?

    package init(
        title: String, unit: String, calculation: Calculation, task: String, question: String, part: String? = nil
    ) {
        self.title = title
        self.unit = unit
        self.calculation = calculation
        self.task = task
        self.question = question
        self.part = part
    }

    /// The figure for the answers of one stretch of time; nil where there are none.
    package func value(of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        return switch calculation {
        case .sum: values.reduce(0, +)
        case .average: values.reduce(0, +) / Double(values.count)
        case .maximum: values.max()
        case .minimum: values.min()
        }
    }
}

extension AnswerValue {
    /// The number in an answer, for graphs and figures; nil where it holds none. `part` names a
    /// value of an active task.
    package func number(part: String? = nil) -> Double? {
        switch self {
        case .number(let value): value.isFinite ? value : nil
        case .performance(let performance): performance.number(part)
        default: nil
        }
    }
}
