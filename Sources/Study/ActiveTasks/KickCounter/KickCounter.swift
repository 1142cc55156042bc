// SPDX-License-Identifier: Apache-2.0
import Base

/// Counts kicks, as the apps of FDA MyStudies do, for `KickCounterStep`. Pure: presses and times go in, and the
/// state is read.
///
/// ```
///          first press (no kick)        kick `count`, or `duration` over, or finish
///  waiting ────────────────────▶ counting ──────────────────────────────────────▶ ended
///                                  │  ▲                                             │
///        every later press: a kick ┘  └─ reopen: without the kick that ended it ────┘
/// ```
/// Time is CLOCK_MONOTONIC, which no step of the wall clock moves.
package struct KickCounter: Sendable {
    /// What must be kept to go on after a restart.
    package struct Progress: Sendable, Hashable {
        /// Each kick so far, since the first press.
        package let kicks: [Duration]
        /// Since the first press, also after the end, which can be taken back.
        package let elapsed: Duration
        /// How long after the first press the count ended; nil while it goes on.
        package var ended: Duration?
        /// How often it was resumed after a restart while it counted.
        package var restarts = 0
        /// Part of the time that it counted is not known.
        package var isTimeUncertain = false
    }

    package let rules: KickCounterRules
    /// Each kick since the first press.
    package private(set) var kicks: [Duration] = []
    /// How counting ended, and how long after the first press; nil before.
    package private(set) var ended: (end: KickRecord.End, measured: Duration)?
    private var start: MonotonicTime?
    private var restarts = 0
    private var isTimeUncertain = false
    /// A restart after the end is part of the count only once the end is taken back.
    private var sinceEnd = (restarts: 0, isTimeUncertain: false)

    package init(_ rules: KickCounterRules) { self.rules = rules }

    /// A counter that goes on after a restart: `progress` was written `off` before `now`, nil where no clock can
    /// tell.
    package init(_ rules: KickCounterRules, from progress: Progress, off: Duration?, at now: MonotonicTime) {
        self.init(rules)
        kicks = progress.kicks
        restarts = progress.restarts
        isTimeUncertain = progress.isTimeUncertain
        start = now - (progress.elapsed + max(off ?? .zero, .zero))
        sinceEnd = (restarts: 1, isTimeUncertain: off == nil)
        if let measured = progress.ended {
            let end: KickRecord.End =
                kicks.count >= rules.count ? .count : measured < rules.duration ? .participant : .duration
            ended = (end, measured)
        } else {
            countRestarts()
        }
    }

    private mutating func countRestarts() {
        restarts += sinceEnd.restarts
        isTimeUncertain = isTimeUncertain || sinceEnd.isTimeUncertain
        sinceEnd = (restarts: 0, isTimeUncertain: false)
    }

    /// True between the first press and the end.
    package var isCounting: Bool { start != nil && ended == nil }
    /// When counting ends by itself; nil where it is not counting.
    package var end: MonotonicTime? { isCounting ? start.map { $0 + rules.duration } : nil }

    /// Since the first press; zero before.
    package func elapsed(at now: MonotonicTime) -> Duration {
        ended?.measured ?? start.map { min(max(now - $0, .zero), rules.duration) } ?? .zero
    }

    /// True where this press is a kick: the first one only begins.
    package mutating func press(at time: MonotonicTime) -> Bool {
        guard let start else {
            self.start = time
            return false
        }
        guard !tick(at: time), ended == nil else { return false }
        kicks.append(time - start)
        if kicks.count >= rules.count { ended = (.count, time - start) }
        return true
    }

    /// The participant ends the count; no longer possible once the time is over.
    package mutating func finish(at time: MonotonicTime) {
        if isCounting, !tick(at: time) { ended = (.participant, elapsed(at: time)) }
    }

    /// Takes the end back: counting goes on as if it had never ended, without the kick that ended
    /// it. False where the time was over, which nothing takes back.
    package mutating func reopen() -> Bool {
        switch ended?.end {
        case .participant: break
        case .count: kicks.removeLast()
        case .duration, nil: return false
        }
        ended = nil
        countRestarts()
        return true
    }

    /// Ends the counting once its time is over; true where this call ended it.
    package mutating func tick(at now: MonotonicTime) -> Bool {
        guard let end, end <= now else { return false }
        ended = (.duration, rules.duration)
        return true
    }

    /// What must be kept to go on after a restart; nil before the first press.
    package func progress(at now: MonotonicTime) -> Progress? {
        start.map { start in
            Progress(
                kicks: kicks, elapsed: min(max(now - start, .zero), rules.duration), ended: ended?.measured,
                restarts: restarts, isTimeUncertain: isTimeUncertain)
        }
    }

    /// The record, with the count and whole seconds as the participant confirmed them;
    /// nil before the end.
    package func record(count: Int, duration: Duration) -> KickRecord? {
        ended.map { ended in
            KickRecord(
                kicks: kicks, measured: ended.measured, end: ended.end, count: count, duration: duration,
                restarts: restarts, isTimeUncertain: isTimeUncertain)
        }
    }
}
