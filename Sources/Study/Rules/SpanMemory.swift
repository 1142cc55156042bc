// SPDX-License-Identifier: Apache-2.0
import Base

/// What the `for`s of one expression have seen so far (`steps > 5 for 40m` needs the last 40 minutes). The
/// expression is evaluated at moments one step apart; for each, `begin` is called first.
struct SpanMemory: Sendable {
    private let step: Duration
    /// The first moment since the last `restart`.
    private var first: Instant?
    /// When the condition of each `for` was last false, and last unknown.
    private var lastNo: [Instant?]
    private var lastUnknown: [Instant?]

    init(_ spans: Int, step: Duration) {
        self.step = step
        (lastNo, lastUnknown) = (Array(repeating: nil, count: spans), Array(repeating: nil, count: spans))
    }

    /// Forgets everything: the next moment does not follow the last by one step.
    mutating func restart() { self = SpanMemory(lastNo.count, step: step) }

    mutating func begin(at time: Instant) { first = first ?? time }

    /// Notes that the condition of a `for` has the value `now`, and returns that of the `for`: whether the
    /// condition held at all moments of the last `length`.
    mutating func evaluate(_ now: Truth, for length: Duration, _ span: Int, at time: Instant) -> Truth {
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
