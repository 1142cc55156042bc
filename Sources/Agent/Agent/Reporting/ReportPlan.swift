// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When the next report goes to the lab's receiver: each hour, or as configured; a minute after a
/// change, with all that changed meanwhile; at once at an enrolment and its end. Pure.
///
/// ```
///   due ──send──▶ received ──▶ due in an hour (at once where outcomes are left)
///    ▲  ▲            │
///    │  └─ changed: in a minute, with what else is gathered; urgent: now
///    └── back-off ◀──┴── no answer, or refused: doubles up to 15 minutes
/// ```
/// A network that comes ends the back-off, unless the receiver itself said no.
struct ReportPlan: Sendable {
    enum Event: Sendable, Hashable {
        case changed, urgent, networkCame
        case received(hasMore: Bool)
        /// `retryAfter` zero = the server asked for no wait.
        case failed(retryAfter: Duration)
        /// The receiver answered, and refuses the device: it does not know the device's key, or has revoked it.
        case barred
    }

    enum Step: Sendable, Hashable {
        /// `isChange` where something other than the time asks for it.
        case send(isChange: Bool)
        case wait(Duration)
    }

    /// How often it goes where nothing changes.
    struct Pace: Sendable, Hashable {
        var every = Duration.seconds(3600)
        /// What need not go at once waits for a whole multiple of it, as at `DeliveryWindow`; zero = it
        /// does not wait.
        var window = Duration.zero
        /// What a receiver may count on: later than this, a device is silent.
        var within: Duration { every + window + min(every, .seconds(300)) }

        fileprivate func opens(from time: MonotonicTime) -> MonotonicTime {
            guard window > .zero else { return time }
            let step = window.nanoseconds
            return MonotonicTime(nanoseconds: (time.nanoseconds + step - 1) / step * step)
        }
    }

    private static let gathering = Duration.seconds(60)

    private let pace: Pace
    private let policy: RetryPolicy
    private var generator: SplitMix64
    private var due: MonotonicTime
    private var closedUntil: MonotonicTime?
    private var failures = 0
    private var isRefused = false
    private var isChange = false

    /// The first is due then. `seed` feeds the jitter of retries only.
    init(due: MonotonicTime, pace: Pace = .init(), policy: RetryPolicy = .init(), seed: UInt64) {
        (self.due, self.pace, self.policy) = (due, pace, policy)
        generator = SplitMix64(seed: seed)
    }

    mutating func handle(_ event: Event, at now: MonotonicTime) {
        switch event {
        case .changed: schedule(by: pace.opens(from: now + Self.gathering))
        case .urgent: schedule(by: now)
        case .networkCame: if !isRefused { closedUntil = nil }
        case .received(let hasMore): restart(at: hasMore ? now : pace.opens(from: now + pace.every))
        case .failed(let retryAfter): backOff(at: now, atLeast: retryAfter, isRefused: retryAfter > .zero)
        case .barred: backOff(at: now, atLeast: .zero, isRefused: true)
        }
    }

    func step(at now: MonotonicTime) -> Step {
        let time = closedUntil.map { max($0, due) } ?? due
        return time <= now ? .send(isChange: isChange) : .wait(time - now)
    }

    private mutating func schedule(by time: MonotonicTime) {
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
