// SPDX-License-Identifier: Apache-2.0
import Base

/// Whether the time of a satellite receiver can be believed, and what it is. `PositionWatch` has one, and gives
/// what it believes to the agent's clock (`DisciplinedClock`). Pure. A moment is what the receiver reports at
/// once, one `Fix`, mostly every second.
///
/// The time is believed when two minutes in a row agree, each with fixes in space or of five satellites,
/// and the date is possible. After a cold start it is believed only 20 minutes after the first fix: until
/// then the receiver may not know the leap seconds and be some whole seconds off. A cold start is assumed
/// where moments without a position come before the first fix, and where after such moments the receiver
/// gives another time than before; a time that agrees with what was believed need not wait.
///
/// The first byte of a moment comes after it by the receiver's own delay, between nothing and half
/// a second; the anchor assumes the middle and includes that in its uncertainty.
///
/// `PositionWatch` calls `lineOpened` each time the serial line comes back, and `process` for each fix.
package struct GPSClock: Sendable {
    /// Why the time is not believed.
    package enum Doubt: Sendable, Hashable {
        case nothingHeard
        case noFix
        /// A position without height: too few satellites.
        case noHeight
        /// No date, or one that cannot be.
        case noDate
        /// A date that a trusted clock contradicts, or one before this program was written.
        case refusedDate
        /// Fewer than two minutes, or they differ.
        case gathering
        /// Leap seconds may not be known before then.
        case settling(until: MonotonicTime)
    }

    /// What the receiver's time is worth.
    package enum Verdict: Sendable, Hashable {
        case untrusted(Doubt)
        /// The newest pair of both clocks; it stays right while the receiver is silent, but for the
        /// drift of the computer's own clock.
        case trusted(ClockAnchor)
    }

    /// What the computer's own wall clock says at the moment of a fix.
    package struct Wall: Sendable, Hashable {
        /// UTC by that clock.
        package let instant: Instant
        /// True when the kernel or a battery-backed clock is trusted for it.
        package let isTrusted: Bool

        package init(_ instant: Instant, isTrusted: Bool) {
            self.instant = instant
            self.isTrusted = isTrusted
        }
    }

    /// The offsets of two minutes that agree differ by no more than this; more is another time, such as
    /// after learning of a leap second.
    private static let steadiness = Duration.milliseconds(200)
    /// A moment contradicts its minute when its offset differs from the minute's by more than this.
    private static let jitter = Duration.milliseconds(500)
    /// The longest that receivers take from the moment to its first byte.
    private static let latency = Duration.milliseconds(500)
    /// Leap seconds are sent every 12.5 minutes; one transmission may be missed.
    private static let settling = Duration.seconds(20 * 60)
    /// A minute counts when its first and last moments are at least this far apart.
    private static let coverage = Duration.seconds(45)
    /// Satellites of a flat fix whose time counts all the same: it needs three, and each further one contradicts a
    /// wrong time. Some modems say mode 2 whatever they use (Telit PLS83, a Quectel: gpsd's `test/daemon`,
    /// telit-pls83-w.log and quectel.log); gpsd itself takes the time of any fix after the third.
    private static let enoughSatellites = 5
    /// After this many moments in a row that contradict it, a time that was believed is given up.
    private static let contradictionLimit = 3

    package private(set) var verdict = Verdict.untrusted(.nothingHeard)
    /// Rounds of 1024 weeks by which the receiver's date was corrected last; 0 for
    /// one that is right.
    package private(set) var rounds = 0
    private let floor: Instant
    /// The minute in progress, and the one before it, nil unless that counts.
    private var current: Minute?
    private var previous: Minute?
    /// A moment without a position came before `firstFix`, which is that of the latest start: unless it agrees
    /// with the one believed, the time is believed only `settling` after it.
    private var isColdStart = false
    private var firstFix: MonotonicTime?
    /// A moment without a position has come since the last one that agreed with its minute: if the next moments
    /// contradict what was believed, the receiver was restarted, and `isColdStart` is set.
    private var hasLostFix = false
    /// Moments in a row that contradicted their minute.
    private var contradictions = 0

    /// One minute of the receiver's UTC.
    private struct Minute: Sendable {
        let number: Int64
        let first: MonotonicTime
        var last: MonotonicTime
        /// UTC less monotonic time of the moment that came with the least delay,
        /// nanoseconds since 1970.
        var offset: Int64
        var isCovered: Bool { last - first >= GPSClock.coverage }
    }

    /// A clock that has heard nothing. `floor` is a time that has certainly passed.
    package init(floor: Instant) { self.floor = floor }

    /// The line was opened again, perhaps to another receiver or to one that was restarted. A time that was
    /// believed stays until one by the new moments is believed, or until these contradict each other.
    package mutating func lineOpened() {
        (current, previous, firstFix, contradictions) = (nil, nil, nil, 0)
        (isColdStart, hasLostFix) = (false, false)
        if case .untrusted = verdict { verdict = .untrusted(.nothingHeard) }
    }

    /// Takes a moment of the receiver, with the arrival of its first byte; returns the new `verdict`.
    @discardableResult
    package mutating func process(_ fix: Fix, firstByte: MonotonicTime, wall: Wall) -> Verdict {
        guard fix.mode > 1 else {
            if firstFix == nil { isColdStart = true } else { hasLostFix = true }
            return setDoubt(.noFix)
        }
        let hasHeight = fix.mode == 3 || fix.altitudeMSL != nil && fix.satellites ?? 0 >= Self.enoughSatellites
        guard hasHeight else { return setDoubt(.noHeight) }
        guard let said = fix.time else { return setDoubt(fix.dateCheck == .refused ? .refusedDate : .noDate) }
        guard let (time, rounds) = possible(said, wall) else { return setDoubt(.refusedDate) }
        self.rounds = rounds
        if firstFix == nil { firstFix = firstByte }
        return add(time, firstByte)
    }

    /// Sets why the time is not believed; a time that is believed already stays.
    private mutating func setDoubt(_ doubt: Doubt) -> Verdict {
        if case .untrusted = verdict { verdict = .untrusted(doubt) }
        return verdict
    }

    /// The time as it is or moved by rounds of 1024 weeks, and their number; nil where the date cannot be.
    ///
    /// An untrusted clock may be months behind, but a receiver with a week counter that began again
    /// is behind by whole rounds of that counter, to a few days.
    private func possible(_ time: Instant, _ wall: Wall) -> (time: Instant, rounds: Int)? {
        if let found = NMEAEpochs.corrected(time, by: wall.instant), found.time >= floor { return found }
        let isPossible = !wall.isTrusted && time >= floor && time < floor + .seconds(NMEAEpochs.round)
        return isPossible ? (time: time, rounds: 0) : nil
    }

    /// Adds a moment to the current minute, or begins the next.
    private mutating func add(_ time: Instant, _ firstByte: MonotonicTime) -> Verdict {
        let offset = time.nanoseconds - firstByte.nanoseconds
        let minute = Minute(number: time.seconds / 60, first: firstByte, last: firstByte, offset: offset)
        guard let current else {
            self.current = minute
            return setDoubt(.gathering)
        }
        guard abs(offset - current.offset) <= Self.jitter.nanoseconds else { return addContradiction(minute) }
        (contradictions, hasLostFix) = (0, false)
        if current.number == minute.number {
            self.current?.last = firstByte
            self.current?.offset = max(current.offset, offset)
            return verdict
        }
        self.current = minute
        return closeMinute(current, at: firstByte)
    }

    /// One moment that contradicts a believed time is ignored; several end it, and a new minute begins.
    private mutating func addContradiction(_ minute: Minute) -> Verdict {
        contradictions += 1
        if case .trusted = verdict, contradictions < Self.contradictionLimit { return verdict }
        (current, previous, contradictions) = (minute, nil, 0)
        // The receiver was switched off and on again: a cold start.
        if hasLostFix { (firstFix, isColdStart, hasLostFix) = (minute.first, true, false) }
        verdict = .untrusted(.gathering)
        return verdict
    }

    /// The minute `newer` is over: if it agrees with the one before, the time is believed.
    private mutating func closeMinute(_ newer: Minute, at now: MonotonicTime) -> Verdict {
        let older = previous
        previous = newer.isCovered ? newer : nil
        guard newer.isCovered, let older, newer.number == older.number + 1,
            abs(newer.offset - older.offset) <= Self.steadiness.nanoseconds
        else { return setDoubt(.gathering) }
        let anchor = Self.anchor(older, newer)
        if let end = settlingEnd(anchor), now < end { return setDoubt(.settling(until: end)) }
        verdict = .trusted(anchor)
        return verdict
    }

    /// Until when leap seconds may be unknown; nil where they are known: there was no cold start, or the
    /// time agrees with the one believed.
    private func settlingEnd(_ anchor: ClockAnchor) -> MonotonicTime? {
        guard isColdStart, let firstFix else { return nil }
        if case .trusted(let known) = verdict,
            abs((known.instant(at: anchor.monotonic) - anchor.instant).nanoseconds) < Self.jitter.nanoseconds
        {
            return nil
        }
        return firstFix + Self.settling
    }

    private static func anchor(_ older: Minute, _ newer: Minute) -> ClockAnchor {
        let half = latency / 2
        let spread = Duration.nanoseconds(abs(newer.offset - older.offset))
        let instant = Instant.epoch + .nanoseconds(newer.offset + newer.last.nanoseconds) + half
        return ClockAnchor(monotonic: newer.last, instant: instant, source: .gps, uncertainty: half + spread)
    }
}

extension GPSClock.Verdict: CustomStringConvertible {
    /// For people: `time accepted, ± 250 ms`, `time not accepted: no fix`.
    package var description: String {
        switch self {
        case .trusted(let anchor): "time accepted, ± \(anchor.uncertainty.milliseconds) ms"
        case .untrusted(let doubt): "time not accepted: \(doubt)"
        }
    }
}

extension GPSClock.Doubt: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nothingHeard: "nothing received"
        case .noFix: "no fix"
        case .noHeight: "no height yet"
        case .noDate: "no date"
        case .refusedDate: "impossible date"
        case .gathering: "waiting for two consistent minutes"
        case .settling: "leap seconds may not be known yet"
        }
    }
}
