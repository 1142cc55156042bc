// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When the next report goes to the lab's receiver: each hour; a minute after a change, with all
/// that changed meanwhile; at once at an enrolment and its end. Pure.
///
/// ```
///   due ──send──▶ received ──▶ due in an hour (at once where outcomes are left)
///    ▲  ▲            │
///    │  └─ changed: in a minute; urgent: now
///    └── back-off ◀──┴── no answer, or refused: doubles up to 15 minutes
/// ```
/// A network that comes ends the back-off, unless the receiver itself said no.
struct ReportPlan: Sendable {
    enum Event: Sendable, Hashable {
        case changed, urgent, networkCame
        case received(hasMore: Bool)
        /// `retryAfter` zero = the server asked for no wait.
        case failed(retryAfter: Duration)
        /// By a receiver that is there: its key is unknown to it, or it was revoked.
        case barred
    }

    enum Step: Sendable, Hashable {
        /// `isChange` where something other than the hour asks for it.
        case send(isChange: Bool)
        case wait(Duration)
    }

    static let hour = Duration.seconds(3600)
    static let gathering = Duration.seconds(60)
    /// What a receiver may count on: later than this, a device is silent.
    static let within = hour + .seconds(300)

    private let policy: RetryPolicy
    private var generator: SplitMix64
    private var due: MonotonicTime
    private var closedUntil: MonotonicTime?
    private var failures = 0
    private var isRefused = false
    private var isChange = false

    /// The first is due then. `seed` feeds the jitter of retries only.
    init(due: MonotonicTime, policy: RetryPolicy = .init(), seed: UInt64) {
        self.due = due
        self.policy = policy
        generator = SplitMix64(seed: seed)
    }

    mutating func handle(_ event: Event, at now: MonotonicTime) {
        switch event {
        case .changed: want(by: now + Self.gathering)
        case .urgent: want(by: now)
        case .networkCame: if !isRefused { closedUntil = nil }
        case .received(let hasMore): restart(at: hasMore ? now : now + Self.hour)
        case .failed(let retryAfter): backOff(at: now, atLeast: retryAfter, isRefused: retryAfter > .zero)
        case .barred: backOff(at: now, atLeast: .zero, isRefused: true)
        }
    }

    func step(at now: MonotonicTime) -> Step {
        let time = closedUntil.map { max($0, due) } ?? due
        return time <= now ? .send(isChange: isChange) : .wait(time - now)
    }

    private mutating func want(by time: MonotonicTime) {
        due = min(due, time)
        isChange = true
    }

    private mutating func restart(at time: MonotonicTime) {
        (due, closedUntil, failures, isRefused, isChange) = (time, nil, 0, false, false)
    }

    private mutating func backOff(at now: MonotonicTime, atLeast least: Duration, isRefused: Bool) {
        failures += 1
        self.isRefused = isRefused
        closedUntil = now + max(policy.delay(afterFailure: failures, using: &generator), least)
    }
}
