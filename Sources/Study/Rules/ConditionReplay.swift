// SPDX-License-Identifier: Apache-2.0
import Base

/// The moments at which a rule with `when` has a point, computed from docs/rules.md a second time for
/// `RuleProof`, without the engine's code. Values so near a limit that rounding could move them over it prove
/// nothing.
struct ConditionReplay {
    let rule: StudyRule
    /// The first moment since the last decision at which a point was certainly due; nil = none so far. If the
    /// next decision of the log is later, the log lacks this one.
    private(set) var certainDue: Instant?
    private let expression: RuleExpression
    private let step: Duration
    private var windows: [Int: FeatureWindow]
    private let initial: [Int: FeatureWindow]
    /// The end of the first epoch since `restart`; conditions are not judged from before it.
    private var begin: Instant?
    /// When the rule's last decision was due.
    private var last: Instant?

    /// Nil for a rule without a condition. `last`: when it was decided last.
    init?(_ rule: StudyRule, of rules: StudyRules, last: Instant? = nil) {
        guard case .when(let expression) = rule.points else { return nil }
        (self.rule, self.expression) = (rule, expression)
        step = expression.features.map { rules.features[$0].epoch }.min() ?? .seconds(60)
        let reach = expression.longest
        initial = Dictionary(
            uniqueKeysWithValues: expression.features.map {
                ($0, FeatureWindow(rules.features[$0], reach: rules.features[$0].window + reach))
            })
        windows = initial
        self.last = last
    }

    mutating func restart() { (windows, begin, certainDue) = (initial, nil, nil) }

    mutating func noteDecision(_ due: Instant) { (last, certainDue) = (due, nil) }

    mutating func add(_ epoch: FeatureEpoch, _ isActive: (Instant) -> Bool) {
        for place in windows.keys { windows[place]?.add(epoch) }
        begin = begin ?? epoch.end
        let time = FeatureWindow.edge(step, before: epoch.end)
        guard certainDue == nil, windows.values.allSatisfy({ $0.isComplete(at: time) }),
            last.map({ time - $0 >= rule.rearm }) ?? true, isActive(time), holds(at: time) == .yes
        else { return }
        certainDue = time
    }

    /// The rule's condition does not hold then, however its values are rounded.
    func isRefuted(at time: Instant) -> Bool { holds(at: time) == .no }

    /// Whether the condition holds, evaluated with all values a little lower, as they are, and a little higher;
    /// unknown where the three differ.
    private func holds(at time: Instant) -> Truth {
        let said = [-1.0, 0, 1].map { side in
            expression.value(at: time, every: step, since: begin ?? time) { place, time in
                windows[place]?.value(at: time).map { $0 + side * 1e-3 * max(1, abs($0)) }
            }
        }
        return said.allSatisfy { $0 == said[0] } ? said[0] : .unknown
    }
}

extension RuleExpression {
    /// The longest `for`.
    fileprivate var longest: Duration {
        root.all.compactMap { if case .held(_, let length, _) = $0 { length } else { nil } }.max() ?? .zero
    }

    /// Its value at `time` from `reading`, which gives a feature's value at any moment; unknown where a `for`
    /// would need moments before `start`.
    fileprivate func value(
        at time: Instant, every step: Duration, since start: Instant, _ reading: (Int, Instant) -> Double?
    ) -> Truth {
        Self.value(root, time, step, start, reading)
    }

    private static func value(
        _ node: Node, _ time: Instant, _ step: Duration, _ start: Instant, _ reading: (Int, Instant) -> Double?
    ) -> Truth {
        func inner(_ node: Node, at time: Instant) -> Truth { value(node, time, step, start, reading) }
        switch node {
        case .compare(let feature, let comparison, let limit):
            return reading(feature, time).map { Truth(comparison.holds($0, limit)) } ?? .unknown
        case .not(let node): return !inner(node, at: time)
        case .both(let one, let other): return inner(one, at: time) & inner(other, at: time)
        case .either(let one, let other): return inner(one, at: time) | inner(other, at: time)
        case .held(let node, let length, _):
            var (look, holds) = (time, Truth.yes)
            while look > time - length, holds != .no {
                holds = holds & (look < start ? .unknown : inner(node, at: look))
                look = look - step
            }
            return holds
        }
    }
}
