// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How an item's turn ended.
struct DeliveryEnding: Sendable {
    enum Result: Sendable {
        case verdict(Verdict)
        case paused
    }

    let result: Result
    /// RFC 9110 §10.2.3; zero = the server asked for no wait.
    var retryAfter: Duration = .zero
    /// A failure of this item alone: others need not wait for its retry.
    var isItemsOwn = false
    /// No server was asked: nothing is learnt of it.
    var isUnasked = false
    /// What the lab's receiver signed about the log with its last answer.
    var countersigned: String?

    static func verdict(_ verdict: Verdict) -> DeliveryEnding { DeliveryEnding(result: .verdict(verdict)) }
}

/// When a queue is sent from again, and what the end of an item's turn means for it. Pure.
struct DeliveryBackoff: Sendable {
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

    /// The network changed: everything may be tried at once.
    mutating func reset(wall: Instant) { turn.resetBackoff(wall: wall) }

    /// Nothing is sent for a while.
    mutating func pause(for interval: Duration, at now: MonotonicTime) {
        turn.failed(at: now, interval: interval, policy: policy, using: &generator)
    }

    /// What the store is to write of the item.
    mutating func end(
        _ ending: DeliveryEnding, of item: OutboxItem, _ destination: any Destination, at now: MonotonicTime,
        wall: Instant
    ) -> UploadResult {
        guard case .verdict(let verdict) = ending.result else { return .paused }
        let interval = destination.minimumInterval
        switch verdict {
        case .delivered(let receipt):
            turn.succeeded(at: now, wall: wall, interval: interval)
            return .delivered(receipt: Self.bounded(receipt), countersigned: ending.countersigned)
        case .refused(let reason):
            turn.succeeded(at: now, wall: wall, interval: interval)
            return .refused(reason: Self.bounded(reason))
        case .retry(let reason) where ending.isItemsOwn:
            if !ending.isUnasked { turn.succeeded(at: now, wall: wall, interval: interval) }
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

    /// When it is tried again.
    private mutating func retry(
        _ item: OutboxItem, _ interval: Duration, _ retryAfter: Duration, at now: MonotonicTime, wall: Instant
    ) -> Instant {
        turn.failed(at: now, interval: interval, policy: policy, retryAfter: retryAfter, using: &generator)
        // Not later than retries ever lie ahead: a time beyond that is taken for a wrong clock's.
        return wall
            + max(policy.delay(afterFailure: item.attempts + 1, using: &generator), min(retryAfter, policy.longest))
    }

    /// Words of a server, as far as the log keeps them.
    static func bounded(_ text: String) -> String { text.oneLine(500) }
}
