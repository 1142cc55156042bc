// SPDX-License-Identifier: Apache-2.0
import Base

/// A condition of a rule after parsing: comparisons of features with numbers. It always has a value (yes, no or
/// unknown), in a number of steps that the length of its text bounds. `RuleEngine` evaluates it.
package struct RuleExpression: Sendable, Hashable {
    package enum Comparison: String, Sendable, CaseIterable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "=="
        case unequal = "!="

        func holds(_ value: Double, _ limit: Double) -> Bool {
            switch self {
            case .less: value < limit
            case .lessOrEqual: value <= limit
            case .greater: value > limit
            case .greaterOrEqual: value >= limit
            case .equal: value == limit
            case .unequal: value != limit
            }
        }
    }

    package indirect enum Node: Sendable, Hashable {
        /// The feature is its index in `StudyRules.features`; the limit is in the unit of its column.
        case compare(feature: Int, Comparison, Double)
        case not(Node)
        case both(Node, Node)
        case either(Node, Node)
        /// `… for 40m`; `span` is its index among the expression's `for`s, in `SpanMemory`.
        case held(Node, Duration, span: Int)

        /// This node and all within it.
        var all: [Node] {
            switch self {
            case .compare: [self]
            case .not(let inner), .held(let inner, _, _): [self] + inner.all
            case .both(let one, let other), .either(let one, let other): [self] + one.all + other.all
            }
        }
    }

    package let text: String
    package let root: Node
    /// How many `for`s it has.
    package let spans: Int

    package init(text: String, root: Node, spans: Int) { (self.text, self.root, self.spans) = (text, root, spans) }

    /// The indices of the features that it names.
    package var features: Set<Int> {
        Set(root.all.compactMap { if case .compare(let feature, _, _) = $0 { feature } else { nil } })
    }

    /// Its value at a moment. `memory` must be the expression's own, and `SpanMemory.begin` must have been
    /// called for the same moment.
    func value(_ reading: (Int) -> Double?, at time: Instant, _ memory: inout SpanMemory) -> Truth {
        Self.value(root, reading, at: time, &memory)
    }

    private static func value(
        _ node: Node, _ reading: (Int) -> Double?, at time: Instant, _ memory: inout SpanMemory
    ) -> Truth {
        switch node {
        case .compare(let feature, let comparison, let limit):
            return reading(feature).map { Truth(comparison.holds($0, limit)) } ?? .unknown
        case .not(let inner): return !value(inner, reading, at: time, &memory)
        // Both sides are always evaluated, since a `for` in them must see every moment.
        case .both(let one, let other):
            let first = value(one, reading, at: time, &memory)
            return first & value(other, reading, at: time, &memory)
        case .either(let one, let other):
            let first = value(one, reading, at: time, &memory)
            return first | value(other, reading, at: time, &memory)
        case .held(let inner, let length, let span):
            let now = value(inner, reading, at: time, &memory)
            return memory.evaluate(now, for: length, span, at: time)
        }
    }
}
