// SPDX-License-Identifier: Apache-2.0

/// Whether a condition can hold at all, for `RuleReader`, which refuses one that cannot. Tries values on each
/// side of every limit that it names; where it cannot tell, the answer is yes.
struct RuleReach {
    /// Combinations of values that are tried.
    private static let most = 50_000

    private let features: [RuleFeature]

    init(_ features: [RuleFeature]) { self.features = features }

    func canHold(_ all: [RuleExpression]) -> Bool {
        let used = Set(all.flatMap(\.features)).sorted()
        let choices = used.map { candidates($0, all) }
        let count = choices.reduce(1) {
            $0.multipliedReportingOverflow(by: $1.count).overflow ? Int.max : $0 * $1.count
        }
        guard count <= Self.most else { return true }
        var values: [Int: Double] = [:]
        return search(used[...], choices[...], &values) { values in
            all.allSatisfy { Self.possible($0.root, values).yes }
        }
    }

    private func search(
        _ used: ArraySlice<Int>, _ choices: ArraySlice<[Double]>, _ values: inout [Int: Double],
        _ holds: ([Int: Double]) -> Bool
    ) -> Bool {
        guard let feature = used.first, let own = choices.first else { return holds(values) }
        for value in own {
            values[feature] = value
            if search(used.dropFirst(), choices.dropFirst(), &values, holds) { return true }
        }
        return false
    }

    /// The limits themselves, and one value between and beyond each.
    private func candidates(_ place: Int, _ all: [RuleExpression]) -> [Double] {
        let feature = features[place]
        var range = RuleSensors.range(of: feature.column)
        if feature.reduction == .sum {
            range = range.lowerBound < 0 ? -Double.infinity...Double.infinity : 0...Double.infinity
        }
        let limits = Set(all.flatMap(\.root.all).compactMap { Self.limit(of: place, $0) }).sorted()
        guard let least = limits.first, let most = limits.last else { return [0] }
        let between = zip(limits, limits.dropFirst()).map { ($0 + $1) / 2 }
        let beyond = [least - 1 - abs(least), most + 1 + abs(most), range.lowerBound, range.upperBound].filter(
            \.isFinite)
        return (limits + between + beyond).filter(range.contains)
    }

    private static func limit(of place: Int, _ node: RuleExpression.Node) -> Double? {
        if case .compare(place, _, let limit) = node { limit } else { nil }
    }

    /// Whether it may be true, and whether it may be false, with these values now and any before.
    private static func possible(_ node: RuleExpression.Node, _ values: [Int: Double]) -> (yes: Bool, no: Bool) {
        switch node {
        case .compare(let feature, let comparison, let limit):
            let holds = comparison.holds(values[feature] ?? 0, limit)
            return (holds, !holds)
        case .not(let inner):
            let (yes, no) = possible(inner, values)
            return (no, yes)
        case .both(let one, let other):
            let (first, second) = (possible(one, values), possible(other, values))
            return (first.yes && second.yes, first.no || second.no)
        case .either(let one, let other):
            let (first, second) = (possible(one, values), possible(other, values))
            return (first.yes || second.yes, first.no && second.no)
        // It may have been false a moment ago.
        case .held(let inner, _, _): return (possible(inner, values).yes, true)
        }
    }
}
