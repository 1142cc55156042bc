// SPDX-License-Identifier: Apache-2.0
import Base

/// The wall clock as `RuleEngine` knows it: since when it is trusted, and why a point was missed. Pure.
struct RuleClock: Sendable {
    private(set) var isTrusted = false
    /// When this run of the agent began, by the trusted wall clock; nil until it is trusted. What
    /// was due before was missed while the device was off.
    private(set) var start: Instant?
    private let began: MonotonicTime
    /// The zone was changed since the last run of the agent.
    private let zoneIsNew: Bool
    /// When the clock was last found not to be trusted.
    private var distrusted: MonotonicTime
    /// When the device went off before this run.
    private var offFrom: Instant?
    /// The last span in which the clock was not trusted.
    private var unknown: Range<Instant>?
    /// The span that the clock passed over when it was last set ahead.
    private var stepped: Range<Instant>?
    /// The wall clock's lead over the monotonic clock when it was last trusted.
    private var offset: Duration?

    init(began: MonotonicTime, zoneIsNew: Bool) {
        (self.began, self.zoneIsNew, distrusted) = (began, zoneIsNew, began)
    }

    mutating func noteOff(from: Instant) { offFrom = from }

    /// To be called when that changes. Returns by how much the clock was set while it was not
    /// trusted; nil = it was not set, or is no longer trusted.
    mutating func setTrusted(_ trusted: Bool, at now: Moment) -> Duration? {
        isTrusted = trusted
        guard trusted else {
            distrusted = now.monotonic
            return nil
        }
        let jumped = offset.map { Self.offset(now) - $0 }.flatMap { $0.magnitude > .milliseconds(500) ? $0 : nil }
        if let jumped { jump(jumped, at: now) }
        follow(now)
        start = now.instant(at: began)
        unknown = now.instant(at: distrusted)..<now.instant
        return jumped
    }

    mutating func jump(_ by: Duration, at now: Moment) {
        start = start.map { $0 + by }
        stepped = by > .zero ? now.instant - by..<now.instant : nil
        follow(now)
    }

    /// Takes the clock's lead as it is now, while it is trusted: the small steps by which a clock
    /// is steered add up, and would look like a jump when it is trusted again.
    mutating func follow(_ now: Moment) { if isTrusted { offset = Self.offset(now) } }

    /// Takes over the lead from the clock of an engine that this one replaces.
    mutating func keepLead(of old: RuleClock) { offset = old.offset }

    /// Why a point that is reached too late was missed; `isByWallClock` = a change of zone can have passed over it.
    func missReason(_ due: Instant, isByWallClock: Bool) -> String {
        if stepped?.contains(due) == true { return DecisionReason.clockStepped }
        if let start, due < start {
            let isPassedOver = isByWallClock && zoneIsNew && offFrom.map { due <= $0 } ?? false
            return isPassedOver ? DecisionReason.zoneChanged : DecisionReason.deviceOff
        }
        if unknown?.contains(due) == true { return DecisionReason.clockUnknown }
        return DecisionReason.late
    }

    private static func offset(_ now: Moment) -> Duration {
        .nanoseconds(now.instant.nanoseconds - now.monotonic.nanoseconds)
    }
}
