// SPDX-License-Identifier: Apache-2.0
import Base

/// Whether the time of a satellite receiver can be believed, and what it is. Pure.
///
/// Believed is what two minutes in a row say alike with a fix in space, when its date is possible,
/// and not before the receiver can know the leap seconds: until then a receiver that was switched
/// on may be some whole seconds off, for up to 20 minutes. A cold start is taken from void moments
/// before the first fix, and from those after which the receiver says another time than before; one
/// that agrees with what was believed has no need to wait.
///
/// The first byte of a moment comes after it by the receiver's own delay, between nothing and half
/// a second; the anchor assumes the middle and includes that in its uncertainty.
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

    /// Two minutes that agree are this near to each other; more is another time, such as a
    /// leap second learnt.
    private static let steadiness = Duration.milliseconds(200)
    /// A single moment may come late, but not further from its minute than this.
    private static let jitter = Duration.milliseconds(500)
    /// The longest that receivers take from the moment to its first byte.
    private static let latency = Duration.milliseconds(500)
    /// Leap seconds are sent every 12.5 minutes; one transmission may be missed.
    private static let settling = Duration.seconds(20 * 60)
    /// How far apart clocks may be that mean the same, in seconds.
    private static let tolerance: Int64 = 7 * 86_400
    /// From the first to the last moment of a minute at least.
    private static let coverage = Duration.seconds(45)
    /// Moments in a row that contradict before what was believed is given up.
    private static let contraryLimit = 3

    package private(set) var verdict = Verdict.untrusted(.nothingHeard)
    /// Rounds of 1024 weeks by which the receiver's date was corrected last; 0 for
    /// one that is right.
    package private(set) var rounds = 0
    private let floor: Instant
    /// The minute that is being heard, and the whole one before it.
    private var current: Minute?
    private var whole: Minute?
    private var hasSeenVoid = false
    private var firstFix: MonotonicTime?
    /// Void moments since the last one that agreed with its minute.
    private var hasLostFix = false
    private var contrary = 0

    /// One minute of the receiver's UTC.
    private struct Minute: Sendable {
        let number: Int64
        let first: MonotonicTime
        var last: MonotonicTime
        /// UTC less monotonic time of the moment that came with the least delay,
        /// nanoseconds since 1970.
        var offset: Int64
        var covers: Bool { last - first >= GPSClock.coverage }
    }

    /// A clock that has heard nothing. `floor` is a time that has certainly passed.
    package init(floor: Instant) { self.floor = floor }

    /// The line was opened again: it may be another receiver, or the same after a start.
    package mutating func lineOpened() {
        (current, whole, firstFix, contrary) = (nil, nil, nil, 0)
        (hasSeenVoid, hasLostFix) = (false, false)
        if case .untrusted = verdict { verdict = .untrusted(.nothingHeard) }
    }

    /// A moment of the receiver, with the arrival of its first byte.
    @discardableResult
    package mutating func process(_ fix: Fix, firstByte: MonotonicTime, wall: Wall) -> Verdict {
        guard fix.mode > 1 else {
            if firstFix == nil { hasSeenVoid = true } else { hasLostFix = true }
            return doubt(.noFix)
        }
        guard fix.mode == 3 else { return doubt(.noHeight) }
        guard let said = fix.time else { return doubt(fix.dateCheck == .refused ? .refusedDate : .noDate) }
        guard let (time, rounds) = possible(said, wall) else { return doubt(.refusedDate) }
        self.rounds = rounds
        if firstFix == nil { firstFix = firstByte }
        return gather(time, firstByte)
    }

    /// What was believed stays; else this is why nothing is.
    private mutating func doubt(_ doubt: Doubt) -> Verdict {
        if case .untrusted = verdict { verdict = .untrusted(doubt) }
        return verdict
    }

    /// The date as it is or moved by rounds of 1024 weeks; nil where it cannot be.
    ///
    /// An untrusted clock may be months behind, but a receiver with a week counter that began again
    /// is behind by whole rounds of that counter, to a few days.
    private func possible(_ time: Instant, _ wall: Wall) -> (Instant, Int)? {
        let late = wall.instant.seconds - time.seconds
        let rounds = Int64((Double(late) / Double(NMEAEpochs.round)).rounded())
        let corrected = time + .seconds(rounds * NMEAEpochs.round)
        if abs(late - rounds * NMEAEpochs.round) <= Self.tolerance, corrected >= floor {
            return (corrected, Int(rounds))
        }
        let isPossible = !wall.isTrusted && time >= floor && time < floor + .seconds(NMEAEpochs.round)
        return isPossible ? (time, 0) : nil
    }

    private mutating func gather(_ time: Instant, _ firstByte: MonotonicTime) -> Verdict {
        let offset = time.nanoseconds - firstByte.nanoseconds
        let minute = Minute(number: time.seconds / 60, first: firstByte, last: firstByte, offset: offset)
        guard let current else {
            self.current = minute
            return doubt(.gathering)
        }
        guard abs(offset - current.offset) <= Self.jitter.nanoseconds else { return contradict(minute) }
        (contrary, hasLostFix) = (0, false)
        if current.number == minute.number {
            self.current?.last = firstByte
            self.current?.offset = max(current.offset, offset)
            return verdict
        }
        self.current = minute
        return close(current, at: firstByte)
    }

    /// One moment that contradicts is an error; several are another time.
    private mutating func contradict(_ minute: Minute) -> Verdict {
        contrary += 1
        if case .trusted = verdict, contrary < Self.contraryLimit { return verdict }
        (current, whole, contrary) = (minute, nil, 0)
        // It was switched off meanwhile, and on again.
        if hasLostFix { (firstFix, hasSeenVoid, hasLostFix) = (minute.first, true, false) }
        verdict = .untrusted(.gathering)
        return verdict
    }

    /// A minute is over: with the one before it, it may tell the time.
    private mutating func close(_ newer: Minute, at now: MonotonicTime) -> Verdict {
        let older = whole
        whole = newer.covers ? newer : nil
        guard newer.covers, let older, newer.number == older.number + 1,
            abs(newer.offset - older.offset) <= Self.steadiness.nanoseconds
        else { return doubt(.gathering) }
        let anchor = Self.anchor(older, newer)
        if let end = settlingEnd(anchor), now < end { return doubt(.settling(until: end)) }
        verdict = .trusted(anchor)
        return verdict
    }

    /// nil where leap seconds must be known: no cold start was seen, or the time agrees with
    /// what was believed.
    private func settlingEnd(_ anchor: ClockAnchor) -> MonotonicTime? {
        guard hasSeenVoid, let firstFix else { return nil }
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
