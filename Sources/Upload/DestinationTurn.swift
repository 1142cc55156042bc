// SPDX-License-Identifier: Apache-2.0
import Store
import Times

/// When a destination may be asked again. Pure.
///
/// After a failure all its items wait a little, so that a thousand of them do not all knock at a door that is closed. After a
/// success every item that failed before it may be tried at once.
struct DestinationTurn: Sendable, Hashable {
    /// Failures since the last success.
    private(set) var failures = 0
    /// Nothing is sent before this.
    private(set) var quietUntil: MonotonicTime?
    /// Items last tried before this need not wait for their own retry.
    private(set) var forgiving: Instant?

    /// The longest a destination is left alone, whatever its items' own waits.
    static let longestQuiet = Duration.seconds(300)

    /// Whether something may be sent now.
    func isOpen(at now: MonotonicTime) -> Bool { quietUntil.map { now >= $0 } ?? true }

    /// An answer came that means the server is there.
    mutating func succeeded(at now: MonotonicTime, wall: Instant, interval: Duration) {
        if failures > 0 { forgiving = wall }
        failures = 0
        quietUntil = interval > .zero ? now + interval : nil
    }

    /// Nothing came, or a plea to come later.
    mutating func failed(
        at now: MonotonicTime, interval: Duration, policy: RetryPolicy,
        using generator: inout some RandomNumberGenerator
    ) {
        failures += 1
        let wait = min(policy.delay(afterFailure: failures, using: &generator), Self.longestQuiet)
        quietUntil = now + max(wait, interval)
    }

    /// The network changed: everything may be tried at once.
    mutating func forgive(wall: Instant) {
        forgiving = wall
        quietUntil = nil
    }
}
