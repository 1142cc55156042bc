// SPDX-License-Identifier: Apache-2.0
import Times

/// Takes the bouncing out of one contact without delaying it.
///
///     quiet ──edge──▶ reported at once ──▶ deaf for `period` ──▶ quiet
///                                                │ level differs at the end: reported
///
/// The first edge counts and keeps its own time, so that a reaction time is not late by the period, as it would be with
/// the kernel's debouncing, which stamps when the line has come to rest.
public struct Debouncer: Sendable, Equatable {
    /// What a change is reported as.
    public struct Change: Sendable, Equatable {
        /// The contact's new state.
        public let isPressed: Bool
        /// When it took that state.
        public let time: MonotonicTime

        /// A change of the contact.
        public init(isPressed: Bool, time: MonotonicTime) {
            self.isPressed = isPressed
            self.time = time
        }
    }

    /// For how long a contact may bounce; 5 to 20 ms is usual.
    public let period: Duration
    private var reported: Bool
    private var level: Bool
    private var changed: MonotonicTime = .zero
    private var deafUntil: MonotonicTime?

    /// A debouncer for a contact that is in the given state.
    public init(period: Duration, isPressed: Bool = false) {
        self.period = period
        reported = isPressed
        level = isPressed
    }

    /// When `settle` must be called; nil while the contact is quiet.
    public var due: MonotonicTime? { deafUntil }

    /// An edge of the contact; the changes it makes certain.
    public mutating func edge(isPressed: Bool, at time: MonotonicTime) -> [Change] {
        let settled = settle(at: time)
        level = isPressed
        changed = time
        return settled + (deafUntil == nil ? report() : [])
    }

    /// The deaf time may be over: what is then different from what was reported.
    public mutating func settle(at now: MonotonicTime) -> [Change] {
        guard let end = deafUntil, now >= end else { return [] }
        deafUntil = nil
        return report()
    }

    private mutating func report() -> [Change] {
        guard level != reported else { return [] }
        reported = level
        deafUntil = changed + period
        return [Change(isPressed: level, time: changed)]
    }
}
