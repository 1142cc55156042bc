// SPDX-License-Identifier: Apache-2.0
import Base

/// When a destination may be asked again; `DeliveryBackoff` owns it. Pure.
///
/// After a failure all its items wait a little, so that a server that does not answer is not asked for each of them.
/// `outage` failures in a row are taken for the server's or the network's fault: after the success that ends them
/// every item that failed may be tried at once. Fewer are taken for faults of the items themselves, each of which
/// waits for its own retry.
struct DestinationTurn: Sendable, Hashable {
    /// Failures since the last success.
    private(set) var failures = 0
    /// Nothing is sent before this.
    private(set) var quietUntil: MonotonicTime?
    /// The server asked to be left alone until then; another network changes nothing about that.
    private(set) var retryAfter: MonotonicTime?
    /// Items last tried before this need not wait for their own retry.
    private(set) var resettingBackoffBefore: Instant?

    /// The longest a destination is left alone, whatever its items' own waits.
    private static let longestQuiet = Duration.seconds(300)

    /// Failures in a row that mean the server is gone.
    private static let outage = 3

    func isOpen(at now: MonotonicTime) -> Bool { closedUntil.map { now >= $0 } ?? true }

    /// Nothing is sent before this.
    var closedUntil: MonotonicTime? { [quietUntil, retryAfter].compactMap(\.self).max() }

    /// An answer came that means the server is there.
    mutating func recordSuccess(at now: MonotonicTime, wall: Instant, interval: Duration) {
        if failures >= Self.outage { resettingBackoffBefore = wall }
        failures = 0
        retryAfter = nil
        quietUntil = interval > .zero ? now + interval : nil
    }

    /// Nothing came, or the server asked to be asked later.
    mutating func recordFailure(
        at now: MonotonicTime, interval: Duration, policy: RetryPolicy, retryAfter wait: Duration = .zero,
        using generator: inout some RandomNumberGenerator
    ) {
        failures += 1
        let quiet = min(policy.delay(afterFailure: failures, using: &generator), Self.longestQuiet)
        quietUntil = now + max(quiet, interval)
        retryAfter = wait > .zero ? now + wait : nil
    }

    /// The network changed: everything may be tried at once.
    mutating func resetBackoff(wall: Instant) {
        resettingBackoffBefore = wall
        quietUntil = nil
    }
}
