// SPDX-License-Identifier: Apache-2.0
import Base

/// Takes the bouncing out of one contact without delaying it; `GPIOButtons` and `EvdevButtons` have one for
/// each button.
///
///     quiet ──edge──▶ reported at once ──▶ deaf until no edge came for `period` ──▶ quiet
///                                                │ level differs at the end: reported
///
/// The first edge counts and keeps its own time, so that a reaction time is not late. A
/// contact that never comes to rest is listened to again after `longestBounce` periods: a broken
/// button shows as presses with `hasRested` false, which `HumFilter` recognises, and not as silence.
package struct Debouncer: Sendable, Equatable {
    /// What a change is reported as.
    package struct Change: Sendable, Equatable {
        package let isPressed: Bool
        /// When it took that state.
        package let time: MonotonicTime
        /// False where the contact was still moving when it was listened to again.
        package var hasRested = true
    }

    /// After this many periods of bouncing a contact is listened to again.
    private static let longestBounce = 5

    /// How long a contact must be without an edge to be at rest; 5 to 20 ms is usual. Without one
    /// every edge is reported.
    private let period: Duration
    /// The state in the last change that was returned.
    private var reported: Bool
    /// The state after the newest edge, and when it came.
    private var level: Bool
    private var changed: MonotonicTime = .zero
    private var deafSince: MonotonicTime = .zero
    private var deafUntil: MonotonicTime?

    package init(period: Duration, isPressed: Bool = false) {
        self.period = period
        reported = isPressed
        level = isPressed
    }

    /// When `settle` must be called; nil while the contact is quiet.
    package var due: MonotonicTime? { deafUntil }

    /// An edge of the contact; the changes it makes certain.
    package mutating func edge(isPressed: Bool, at time: MonotonicTime) -> [Change] {
        let settled = settle(at: time)
        let hasRested = time - changed >= period
        level = isPressed
        changed = time
        guard deafUntil == nil else {
            deafUntil = min(time + period, deafSince + period * Self.longestBounce)
            return settled
        }
        return settled + report(at: time, hasRested: hasRested)
    }

    /// The deaf time may be over: what is then different from what was reported. Where the
    /// contact can be asked, `isPressed` is its state now; the kernel sometimes loses the last
    /// edge of a bounce.
    package mutating func settle(at now: MonotonicTime, isPressed: Bool? = nil) -> [Change] {
        guard let end = deafUntil, now >= end else { return [] }
        deafUntil = nil
        let hasRested = end - changed >= period
        if let isPressed, isPressed != level {
            level = isPressed
            changed = end
        }
        return report(at: end, hasRested: hasRested)
    }

    private mutating func report(at time: MonotonicTime, hasRested: Bool) -> [Change] {
        guard level != reported else { return [] }
        reported = level
        // A change that is older than `period` has been at rest since, and needs no deaf time.
        if changed + period > time { (deafSince, deafUntil) = (time, changed + period) }
        return [Change(isPressed: level, time: changed, hasRested: hasRested)]
    }
}

extension ButtonEdge {
    init(button: Int, _ change: Debouncer.Change) {
        self.init(button: button, isPressed: change.isPressed, time: change.time)
        isRestless = !change.hasRested
    }
}
