// SPDX-License-Identifier: Apache-2.0
import Base

/// The points of rules that the clock alone decides, for `studyd plan`.
package struct RulePlan {
    package struct Point: Sendable {
        package let rule: StudyRule
        package let index: Int
        package let due: Instant
        /// 0..<1; what is drawn if it is neither missed nor unavailable.
        package let draw: Double
    }

    /// The most points of one rule that are listed.
    package static let most = 100_000
    private let rules: StudyRules
    private let context: ScheduleContext

    package init(_ rules: StudyRules, in context: ScheduleContext) { (self.rules, self.context) = (rules, context) }

    /// The points of that many local days, the day of the enrolment being the first, in the order in which
    /// they are decided. `cut` are the names of rules with more than `most` points, whose later ones are
    /// left out.
    package func points(days: Int, most: Int = RulePlan.most) -> (points: [Point], cut: [String]) {
        let last = context.enrolment.local.date.adding(days: days)
        let end = earliest(
            rules.end(of: context.enrolment, in: context.zone),
            context.zone.resolve(LocalDateTime(last, .midnight)).instant)
        let found = rules.rules.map { (rule: $0, points: points(of: $0, until: end, most)) }
        return (
            found.flatMap { $0.points.prefix(most) }.inTimeOrder(\.due),
            found.filter { $0.points.count > most }.map(\.rule.name)
        )
    }

    /// At most one more than `most`, by which the caller sees that there are more.
    private func points(of rule: StudyRule, until end: Instant?, _ most: Int) -> [Point] {
        switch rule.points {
        case .when, .event: return []
        case .every, .at: break
        }
        var track = RuleTrack(rule, of: rules, nil)
        var points: [Point] = []
        let start = context.enrolment.instant
        while points.count <= most {
            track.prepare(
                now: start, since: start, lateAfter: .zero, enrolment: context.enrolment,
                RuleZones(context.zone, end: end))
            guard let due = track.due else { break }
            let index = track.countDecision(due, track.slot ?? context.zone.local(due))
            var generator = context.chance.generator(for: RuleEngine.label(rule.name, index))
            points.append(Point(rule: rule, index: index, due: due, draw: generator.unit()))
        }
        return points
    }
}
