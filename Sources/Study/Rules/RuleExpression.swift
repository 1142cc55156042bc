// SPDX-License-Identifier: Apache-2.0
import Base

/// A condition of a rule, read: comparisons of features with numbers. Total: it always has a value,
/// after a number of steps that its text bounds.
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
        /// The feature by its place in the file's list; the limit in the unit of its column.
        case compare(feature: Int, Comparison, Double)
        case not(Node)
        case both(Node, Node)
        case either(Node, Node)
        /// Its place among the expression's spans, which keep what was seen of them.
        case held(Node, Duration, span: Int)
    }

    package let text: String
    package let root: Node
    /// How many `for` it holds.
    package let spans: Int

    package init(text: String, root: Node, spans: Int) { (self.text, self.root, self.spans) = (text, root, spans) }

    /// The features that it names, by their places.
    package var features: Set<Int> { Self.features(root) }

    private static func features(_ node: Node) -> Set<Int> {
        switch node {
        case .compare(let feature, _, _): [feature]
        case .not(let inner), .held(let inner, _, _): features(inner)
        case .both(let one, let other), .either(let one, let other): features(one).union(features(other))
        }
    }

    /// What it says at a moment; `memory` has a place for each `for` in it, and was told of the moment.
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
        // Both sides in any case: what they hold looks at every moment.
        case .both(let one, let other):
            let first = value(one, reading, at: time, &memory)
            return first & value(other, reading, at: time, &memory)
        case .either(let one, let other):
            let first = value(one, reading, at: time, &memory)
            return first | value(other, reading, at: time, &memory)
        case .held(let inner, let length, let span):
            let now = value(inner, reading, at: time, &memory)
            return memory.held(now, for: length, span, at: time)
        }
    }
}

/// What the `for` of one expression have seen, on moments a step apart.
struct SpanMemory: Sendable {
    private let step: Duration
    /// The first moment that was looked at without a break.
    private var first: Instant?
    private var lastNo: [Instant?]
    private var lastUnknown: [Instant?]

    init(_ spans: Int, step: Duration) {
        self.step = step
        (lastNo, lastUnknown) = (Array(repeating: nil, count: spans), Array(repeating: nil, count: spans))
    }

    /// The next moment does not follow the last.
    mutating func restart() { self = SpanMemory(lastNo.count, step: step) }

    mutating func look(at time: Instant) { first = first ?? time }

    mutating func held(_ now: Truth, for length: Duration, _ span: Int, at time: Instant) -> Truth {
        switch now {
        case .no: lastNo[span] = time
        case .unknown: lastUnknown[span] = time
        case .yes: break
        }
        let start = time - length
        if let last = lastNo[span], last > start { return .no }
        if let last = lastUnknown[span], last > start { return .unknown }
        guard let first, first <= start + step else { return .unknown }
        return .yes
    }
}
