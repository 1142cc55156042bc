// SPDX-License-Identifier: Apache-2.0
import Base

/// How far the times that `SampleTimeline` gave to samples may be off, at most, before or after the true ones
/// on CLOCK_MONOTONIC. `OpenSegment` notes it in the description.
struct SampleTimeErrors: Sendable, Hashable {
    /// A source counts as steady this long after its first sample, and after each gap.
    static let startUp = Duration.seconds(60)

    private(set) var largest = Duration.zero
    /// Of samples in steady state; nil without any.
    private(set) var steady: Duration?

    mutating func add(_ error: Duration, isSteady: Bool) {
        largest = max(largest, error)
        if isSteady { steady = max(steady ?? .zero, error) }
    }
}
