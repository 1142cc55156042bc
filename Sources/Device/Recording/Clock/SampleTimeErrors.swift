// SPDX-License-Identifier: Apache-2.0
import Base

/// The largest expected errors of the times that samples were given, for start-up and steady state
/// separately. By CLOCK_MONOTONIC, one side.
struct SampleTimeErrors: Sendable, Hashable {
    /// How long a source counts as starting, after its first sample and after each gap.
    static let startUp = Duration.seconds(60)

    private(set) var largest = Duration.zero
    /// Of those beyond the start-up; nil where there were none.
    private(set) var steady: Duration?

    mutating func add(_ error: Duration, isSteady: Bool) {
        largest = max(largest, error)
        if isSteady { steady = max(steady ?? .zero, error) }
    }
}
