// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Decides when a queue may send again, and when an item that failed is retried. `DeliveryLane` calls `end`
/// after each item's turn. Pure.
struct DeliveryBackoff: Sendable {
    /// The destination's part: its failures in a row, and until when nothing is sent.
    private(set) var turn = DestinationTurn()
    private let policy: RetryPolicy
    private var generator: SplitMix64

    /// `seed` feeds the jitter of retries only. `networkCame`: items last tried before it need not
    /// wait for their own retry.
    init(policy: RetryPolicy, seed: UInt64, networkCame: Instant? = nil) {
        self.policy = policy
        generator = SplitMix64(seed: seed)
        if let networkCame { reset(wall: networkCame) }
    }

    mutating func reset(wall: Instant) { turn.resetBackoff(wall: wall) }

    mutating func pause(for interval: Duration, at now: MonotonicTime) {
        turn.recordFailure(at: now, interval: interval, policy: policy, using: &generator)
    }

    /// Counts the ending as the destination's success or failure, and returns what the store is to write.
    mutating func end(
        _ ending: DeliveryEnding, of item: OutboxItem, _ destination: any Destination, at now: MonotonicTime,
        wall: Instant
    ) -> UploadResult {
        guard case .verdict(let verdict) = ending.result else { return .paused }
        let interval = destination.minimumInterval
        switch verdict {
        case .delivered(let receipt):
            turn.recordSuccess(at: now, wall: wall, interval: interval)
            return .delivered(receipt: Self.bounded(receipt), countersigned: ending.countersigned)
        case .refused(let reason):
            turn.recordSuccess(at: now, wall: wall, interval: interval)
            return .refused(reason: Self.bounded(reason))
        case .retry(let reason) where ending.concernsItemOnly:
            if !ending.isBeforeSending { turn.recordSuccess(at: now, wall: wall, interval: interval) }
            return .failed(
                reason: Self.bounded(reason),
                retryAt: wall + policy.delay(afterFailure: item.attempts + 1, using: &generator))
        case .retry(let reason):
            return .failed(
                reason: Self.bounded(reason), retryAt: retry(item, interval, ending.retryAfter, at: now, wall: wall))
        case .uncertain(let reason):
            let next = retry(item, interval, ending.retryAfter, at: now, wall: wall)
            return .uncertain(reason: Self.bounded(reason), retryAt: destination.resendsUncertain ? next : nil)
        }
    }

    /// Counts a failure of the destination; returns when the item is tried again, by the wall clock.
    private mutating func retry(
        _ item: OutboxItem, _ interval: Duration, _ retryAfter: Duration, at now: MonotonicTime, wall: Instant
    ) -> Instant {
        turn.recordFailure(at: now, interval: interval, policy: policy, retryAfter: retryAfter, using: &generator)
        // Never further ahead than `longest`: `Outbox.nextItem` takes a later retry for one of a wrong clock.
        return wall
            + max(policy.delay(afterFailure: item.attempts + 1, using: &generator), min(retryAfter, policy.longest))
    }

    /// A server's words, cut to what the log keeps.
    static func bounded(_ text: String) -> String { text.oneLine(500) }
}
