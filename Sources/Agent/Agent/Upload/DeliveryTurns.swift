// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What is sent in turn: the items of a destination, or where these have many servers of
/// one enrolment. The server of a study you left may be gone for ever, and must not hold up
/// that of the next.
struct DeliveryQueue: Sendable, Hashable {
    let destination: String
    /// nil = of all.
    let enrolment: String?
}

/// How an item's turn ended.
struct DeliveryEnding: Sendable {
    enum Result: Sendable {
        case verdict(Verdict)
        case paused
    }

    let result: Result
    /// The server asks to be left alone for so long.
    var plea: Duration = .zero

    static func verdict(_ verdict: Verdict) -> DeliveryEnding { DeliveryEnding(result: .verdict(verdict)) }
}

/// The turns of all queues, and what the end of an item's turn means for it and for
/// its queue. Pure.
struct DeliveryTurns: Sendable {
    private var turns: [DeliveryQueue: DestinationTurn] = [:]
    /// How a queue begins of which nothing was sent yet.
    private var newest = DestinationTurn()
    private let policy: RetryPolicy
    private var generator: SplitMix64

    /// `seed` feeds the jitter of retries only.
    init(policy: RetryPolicy, seed: UInt64) {
        self.policy = policy
        generator = SplitMix64(seed: seed)
    }

    /// When something of that queue may be sent.
    subscript(queue: DeliveryQueue) -> DestinationTurn { turns[queue, default: newest] }

    /// The network changed: everything may be tried at once.
    mutating func forgive(wall: Instant) {
        newest.forgive(wall: wall)
        for queue in turns.keys { turns[queue]?.forgive(wall: wall) }
    }

    /// Nothing is sent to that destination for a while.
    mutating func pause(_ destination: String, for interval: Duration, at now: MonotonicTime) {
        let own = turns.keys.filter { $0.destination == destination }
        for queue in own + [DeliveryQueue(destination: destination, enrolment: nil)] {
            turns[queue, default: newest].failed(at: now, interval: interval, policy: policy, using: &generator)
        }
    }

    /// What the store is to write of the item.
    mutating func end(
        _ ending: DeliveryEnding, of item: OutboxItem, in queue: DeliveryQueue, _ destination: any Destination,
        at now: MonotonicTime, wall: Instant
    ) -> UploadResult {
        guard case .verdict(let verdict) = ending.result else { return .paused }
        let interval = destination.minimumInterval
        switch verdict {
        case .delivered(let receipt):
            turns[queue, default: newest].succeeded(at: now, wall: wall, interval: interval)
            return .delivered(receipt: Self.bounded(receipt))
        case .refused(let reason):
            turns[queue, default: newest].succeeded(at: now, wall: wall, interval: interval)
            return .refused(reason: Self.bounded(reason))
        case .retry(let reason):
            return .failed(
                reason: Self.bounded(reason),
                retryAt: retry(item, queue, interval, plea: ending.plea, at: now, wall: wall))
        case .uncertain(let reason):
            let next = retry(item, queue, interval, plea: ending.plea, at: now, wall: wall)
            return .uncertain(
                reason: Self.bounded(reason), retryAt: destination.resendsUncertain ? next : nil)
        }
    }

    /// When it is tried again.
    private mutating func retry(
        _ item: OutboxItem, _ queue: DeliveryQueue, _ interval: Duration, plea: Duration, at now: MonotonicTime,
        wall: Instant
    ) -> Instant {
        turns[queue, default: newest].failed(
            at: now, interval: interval, policy: policy, plea: plea, using: &generator)
        // Not later than retries ever lie ahead: a time beyond that is taken for a wrong clock's.
        return wall
            + max(policy.delay(afterFailure: item.attempts + 1, using: &generator), min(plea, policy.longest))
    }

    /// Words of a server, as far as the log keeps them.
    static func bounded(_ text: String) -> String { String(text.prefix(500)) }
}
