// SPDX-License-Identifier: Apache-2.0
import Base

/// The dataset of a submitted questionnaire, as the participant's charts look at it (`ESMiraDrawings`).
struct ESMiraDataset: Sendable {
    /// Days since 1970 by the local calendar.
    let day: Int
    /// The answers, as they are sent.
    let fields: [String: String]
    /// Metadata that conditions may name, such as `group`; it goes before an answer of the same name.
    let known: [String: String]

    /// Whether it counts for the variable, by the app's `ObservedVariable.checkCondition`. Numbers
    /// are compared as numbers.
    func fits(_ variable: ESMiraChart.Variable) -> Bool {
        guard variable.conditionType != 0 else { return true }
        let isOr = variable.conditionType == 2
        for condition in variable.conditions {
            let holds = Self.holds(condition, known[condition.key] ?? fields[condition.key] ?? "")
            if holds, isOr { return true }
            if !holds, !isOr { return false }
        }
        return !isOr
    }

    private static func holds(_ condition: ESMiraChart.Variable.Condition, _ text: String) -> Bool {
        let (left, right) = (Double(text), Double(condition.value))
        let isEqual = if let left, let right { left == right } else { text == condition.value }
        return switch condition.comparison {
        case 0: isEqual
        case 1: !isEqual
        case 2: (left ?? 0) >= (right ?? 0)
        default: (left ?? 0) <= (right ?? 0)
        }
    }
}
