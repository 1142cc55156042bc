// SPDX-License-Identifier: Apache-2.0
import Base

/// `[rule.NAME]`: at which moments (decision points) a task may be prompted for, and with which probability.
/// `RuleEngine` carries it out.
package struct StudyRule: Sendable, Hashable {
    /// What makes decision points: a condition on features, a period of the day, times of day, an event.
    package enum Points: Sendable, Hashable {
        case when(RuleExpression)
        case every(Duration)
        case at([LocalTime])
        case event(RuleEvent)
    }

    /// `available`: what must hold at a point for a draw.
    package enum Need: Sendable, Hashable {
        case worn, noRun, promptsOn, trustedClock
        case sincePrompt(Duration)
        case condition(RuleExpression)
    }

    /// How probable a prompt is at a point.
    package enum Chances: Sendable, Hashable {
        /// The first row whose condition holds counts; the last has none.
        case table([Row])
        case budget(RuleBudget)

        package struct Row: Sendable, Hashable {
            package let condition: RuleExpression?
            package let probability: Double
        }
    }

    /// What is measured after each point that is not missed, prompted or not.
    package struct Outcome: Sendable, Hashable {
        /// Its index in `StudyRules.features`.
        package let feature: Int
        package let window: Duration
    }

    package let name: String
    package let task: String
    package let points: Points
    /// The least time between two points of `when` or `event`.
    package let rearm: Duration
    package let needs: [Need]
    package let chances: Chances
    package let outcome: Outcome?
    package let quiet: QuietHours
    /// How long a raised prompt is open.
    package let expires: Duration

    /// The indices of the features that its conditions name, rising.
    package var features: [Int] {
        var all: Set<Int> = []
        if case .when(let expression) = points { all.formUnion(expression.features) }
        for case .condition(let expression) in needs { all.formUnion(expression.features) }
        if case .table(let rows) = chances { for row in rows { all.formUnion(row.condition?.features ?? []) } }
        return all.sorted()
    }
}

/// What a rule waits for besides the clock and its features.
package enum RuleEvent: Sendable, Hashable {
    /// The event marker of that name is pressed; nil = any.
    case button(String?)
    /// The participant arrives at a place: `visit` of a feature `visits` becomes 1.
    case arrival
    /// `sound` of a feature `sound` becomes 2.
    case loud
}
