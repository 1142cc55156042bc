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
    /// The last local day of points, day 1 being that of the enrolment; nil = there is none.
    package let days: Int?

    package init(digest: String, features: [RuleFeature], rules: [StudyRule], days: Int?) {
        (self.digest, self.features, self.rules, self.days) = (digest, features, rules, days)
    }

    package func rule(_ name: String) -> StudyRule? { rules.first { $0.name == name } }

    /// The records of outcomes that are still to be measured when the participant leaves.
    package func left(_ pending: [RuleMemory.Pending], at now: Instant) -> [OutcomeRecord] {
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

/// A number that is computed of a sensor's epochs, over a window.
package struct RuleFeature: Sendable, Hashable {
    package enum Reduction: String, Sendable, CaseIterable {
        case sum, mean, min, max, last
    }
    package let name: String
    /// `accelerometer`, `sound` or `position`.
    package let source: String
    /// Of the catalog of features.
    package let kind: String
    package let epoch: Duration
    package let window: Duration
    package let reduction: Reduction
    package let column: String
    /// Of the column: `1`, `g`, `deg`, `dB`, `s`.
    package let unit: String
    /// The least share of the window that must be covered.
    package let needs: Double
}

/// When a task may be prompted for by chance or by what was measured.
package struct StudyRule: Sendable, Hashable {
    package enum Points: Sendable, Hashable {
        case when(RuleExpression)
        case every(Duration)
        case at([LocalTime])
        case event(RuleEvent)
    }

    package enum Need: Sendable, Hashable {
        case worn, noRun, promptsOn, trustedClock
        case sincePrompt(Duration)
        case condition(RuleExpression)
    }

    package enum Chances: Sendable, Hashable {
        /// The first that holds; the last has no condition.
        case table([Row])
        case budget(RuleBudget)

        package struct Row: Sendable, Hashable {
            package let condition: RuleExpression?
            package let probability: Double
        }
    }

    package struct Outcome: Sendable, Hashable {
        /// The feature's place.
        package let feature: Int
        package let window: Duration
    }

    package let name: String
    package let task: String
    package let points: Points
    package let rearm: Duration
    package let needs: [Need]
    package let chances: Chances
    package let outcome: Outcome?
    package let quiet: QuietHours
    /// How long a raised prompt is open.
    package let expires: Duration

    /// The features that its conditions name, by their places, rising.
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
    /// The event marker; nil = any.
    case button(String?)
    case arrival
    case loud
}

/// Spans of the local clock in which no point falls due.
package struct QuietHours: Sendable, Hashable {
    /// In milliseconds from midnight, in order, without overlap; the end is not in it.
    private let spans: [Range<Int>]
    private static let day = 86_400_000

    /// Of spans from a start to an end, either in milliseconds from midnight; over midnight where
    /// the start is not before the end.
    package init(_ given: [(start: Int, end: Int)]) {
        let parts = given.flatMap { $0.start < $0.end ? [$0.start..<$0.end] : [$0.start..<Self.day, 0..<$0.end] }
        spans = parts.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { all, next in
            guard let last = all.last, next.lowerBound <= last.upperBound else { return all.append(next) }
            all[all.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
        }
    }

    package func contains(_ time: LocalTime) -> Bool { contains(Int(time.nanoseconds / 1_000_000)) }

    private func contains(_ millisecond: Int) -> Bool { spans.contains { $0.contains(millisecond) } }

    /// Milliseconds of a day that are not quiet, from that one on.
    package func active(from millisecond: Int = 0) -> Int {
        let left = Self.day - millisecond
        return left - spans.reduce(0) { $0 + max(0, $1.upperBound - max($1.lowerBound, millisecond)) }
    }
}
