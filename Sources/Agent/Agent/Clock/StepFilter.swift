// SPDX-License-Identifier: Apache-2.0
import Base

/// Holds back a source's time that is far off the agent's, which RFC 5905 calls a spike, until it has lasted an hour or
/// the source is back at the time before the last step. Pure.
struct StepFilter: Sendable {
    /// A step that is not followed yet.
    struct Spike: Sendable, Hashable {
        let since: MonotonicTime
        /// How far the source is ahead of the agent's time; negative = behind it.
        let by: Duration
        let source: ClockAnchor.Source
    }

    /// Beyond both errors and this a step is a spike; less is as good as any other correction.
    static let stepThreshold = Duration.seconds(60)
    /// A spike of a trusted source is followed after this long.
    private static let stepoutThreshold = Duration.seconds(3600)

    private(set) var spike: Spike?
    /// The anchor in force before a spike that was followed in the end.
    private var beforeStep: ClockAnchor?

    /// Takes in a spike against the anchor `held`; true where it is to be followed.
    mutating func takeSpike(_ anchor: ClockAnchor, by offset: Duration, from held: ClockAnchor, drift: Double) -> Bool {
        // The hour begins again with a step by another amount.
        let same = spike.flatMap { ($0.by - offset).magnitude < Self.stepThreshold ? $0 : nil }
        let since = same?.since ?? anchor.monotonic
        let isReturn = agreesWithTimeBeforeStep(anchor, drift: drift)
        guard isReturn || anchor.monotonic - since >= Self.stepoutThreshold else {
            spike = Spike(since: since, by: offset, source: anchor.source)
            return false
        }
        (spike, beforeStep) = (nil, isReturn ? nil : held)
        return true
    }

    mutating func endSpike() { spike = nil }

    mutating func resume(after suspension: Suspension) { beforeStep = beforeStep?.after(suspension) }

    /// Two readings against one, so that it is followed without waiting an hour.
    private func agreesWithTimeBeforeStep(_ anchor: ClockAnchor, drift: Double) -> Bool {
        guard let beforeStep else { return false }
        let error = beforeStep.error(at: anchor.monotonic, drift: drift) + anchor.uncertainty + Self.stepThreshold
        return (anchor.instant - beforeStep.instant(at: anchor.monotonic)).magnitude <= error
    }
}

extension ClockAnchor {
    /// The largest error of `instant(at:)` with a clock that drifts by at most that ratio.
    func error(at time: MonotonicTime, drift: Double) -> Duration {
        uncertainty + .nanoseconds(Int64(Double((time - monotonic).nanoseconds) * drift))
    }
}
