// SPDX-License-Identifier: Apache-2.0
import Base

/// What a file of rules says, read and checked: `docs/rules.md`.
package struct StudyRules: Sendable {
    /// SHA-256 of the file, in hexadecimal.
    package let digest: String
    /// By name.
    package let features: [RuleFeature]
    /// By name; points of the same moment are decided in this order.
    package let rules: [StudyRule]
    /// The last local day on which points fall due, day 1 being that of the enrolment; nil = they go on.
    package let days: Int?

    package init(digest: String, features: [RuleFeature], rules: [StudyRule], days: Int?) {
        (self.digest, self.features, self.rules, self.days) = (digest, features, rules, days)
    }

    package func rule(_ name: String) -> StudyRule? { rules.first { $0.name == name } }

    /// Records, with `missing: .left`, for the outcomes that were still to be measured when the participant
    /// left.
    package func unmeasuredOutcomes(_ pending: [RuleMemory.Pending], at now: Instant) -> [OutcomeRecord] {
        pending.compactMap { one in
            guard let own = rule(one.rule)?.outcome else { return nil }
            let feature = features[own.feature]
            let from = FeatureWindow.edge(feature.epoch, after: one.due)
            return OutcomeRecord(
                rule: one.rule, index: one.index, feature: feature.name, from: from, to: from + own.window, at: now,
                value: nil, coverage: 0, recordings: nil, missing: .left, rules: digest)
        }
    }

    /// From then on no point falls due; nil = they go on.
    func end(of enrolment: Enrolment, in zone: Zone) -> Instant? {
        days.map { zone.resolve(LocalDateTime(enrolment.local.date.adding(days: $0), .midnight)).instant }
    }
}

/// `[feature.NAME]`: one column of a sensor's epochs, reduced to a number over a window.
package struct RuleFeature: Sendable, Hashable {
    package enum Reduction: String, Sendable, CaseIterable {
        case sum, mean, min, max, last
    }
    package let name: String
    /// `accelerometer`, `sound` or `position`.
    package let source: String
    /// A name of the catalog of features, such as `agcounts`.
    package let kind: String
    package let epoch: Duration
    package let window: Duration
    package let reduction: Reduction
    package let column: String
    /// The column's unit: `1`, `g`, `deg`, `dB`, `s`.
    package let unit: String
    /// The least share of the window that samples must cover for a value, above 0 to 1.
    package let needs: Double
}

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

/// Spans of the local clock in which no point falls due.
package struct QuietHours: Sendable, Hashable {
    /// In milliseconds from midnight, in order, without overlap; the end is not in it.
    private let spans: [Range<Int>]
    private static let day = 86_400_000

    /// Spans in milliseconds from midnight; one whose start is not before its end goes over midnight.
    package init(_ given: [(start: Int, end: Int)]) {
        let parts = given.flatMap { $0.start < $0.end ? [$0.start..<$0.end] : [$0.start..<Self.day, 0..<$0.end] }
        spans = parts.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { all, next in
            guard let last = all.last, next.lowerBound <= last.upperBound else { return all.append(next) }
            all[all.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
        }
    }

    package func contains(_ time: LocalTime) -> Bool { contains(Int(time.nanoseconds / 1_000_000)) }

    private func contains(_ millisecond: Int) -> Bool { spans.contains { $0.contains(millisecond) } }

    /// How many milliseconds of the day are not quiet, from that millisecond on.
    package func active(from millisecond: Int = 0) -> Int {
        let left = Self.day - millisecond
        return left - spans.reduce(0) { $0 + max(0, $1.upperBound - max($1.lowerBound, millisecond)) }
    }
}
