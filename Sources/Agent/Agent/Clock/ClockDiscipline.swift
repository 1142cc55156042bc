// SPDX-License-Identifier: Apache-2.0
import Base

/// The agent's time: the last trusted anchor, carried on by CLOCK_MONOTONIC with a growing error.
/// Pure.
///
/// ```
///            vouched for, and within what is possible            source silent
///   unknown ────────────────────────────────────────▶ held ◀────────────────────▶ carried on
///                                                       │  ▲
///                 the system's clock jumps impossibly   ▼  │  it jumps back, or
///                                                   held back │  an hour is over
///                                                            └─ believed; back at once where the clock goes back
/// ```
/// CLOCK_MONOTONIC and CLOCK_REALTIME are slewed alike; what moves one against the other is a step
/// (clock_settime(2), ADJ_SETOFFSET, a leap second, suspension). A step that no source vouches for
/// is not followed; one that a source does is followed where it lies within the errors and a
/// minute, or from a source that knows better than the one before, else after an hour.
///
/// `DisciplinedClock` owns it under a lock: `observe` with each look at the system's clock, after that `opinion`,
/// or `hear(receiver:)` with a receiver's time.
struct ClockDiscipline: Sendable {
    /// One look at the system's clock and at what is said of it.
    struct Look: Sendable {
        var opinion: ClockTrust.Opinion
        /// The opinion without the kernel's word that it is synchronised, which may be from before a suspension;
        /// nil where `opinion` does not rest on that word, or the machine was never suspended.
        var unsteered: ClockTrust.Opinion?
        var monotonic: MonotonicTime
        /// CLOCK_REALTIME at the same moment.
        var wall: Instant
        var marks = ClockMarks()
    }

    /// A jump that is not followed yet.
    struct Doubt: Sendable, Hashable {
        let since: MonotonicTime
        /// How far the source is ahead of the agent's time; negative = behind it.
        let by: Duration
        let source: ClockAnchor.Source
    }

    /// A crystal without temperature control drifts by less; in force until it is measured.
    static let anyDrift = DriftMeter.any
    /// A jump by less is as good as any other correction.
    private static let tolerance = Duration.seconds(60)
    /// A jump of a trusted clock is believed after this long.
    private static let jumpDelay = Duration.seconds(3600)
    /// Readings of two clocks are never quite of one moment.
    static let jitter = Duration.milliseconds(20)
    /// A device lies unused for no longer, so that a clock further ahead of the last trusted time is wrong.
    private static let longestRest = Duration.seconds(2 * 366 * 86_400)
    /// Before this, five years after the program was written, no clock is too far ahead.
    private static let supported = DisciplinedClock.oldest + .seconds(5 * 366 * 86_400)
    /// The kernel knows how long it slept to the second of a battery-backed clock.
    static let sleepError = Duration.seconds(2)

    /// The anchor that the time is computed from; nil before there was a trusted one, with a simulated clock, and
    /// after a suspension of unknown length.
    private(set) var held: ClockAnchor?
    private(set) var meter = DriftMeter()
    private(set) var doubt: Doubt?
    /// What was held before a jump that was believed in the end.
    private var beforeJump: ClockAnchor?
    /// When the kernel or a receiver was heard last, in this boot or before: since then a
    /// battery-backed clock goes by itself.
    private var reference: Instant?
    /// The newest time that any source was trusted for, in this boot or before.
    private var latest: Instant?
    /// What a receiver says that is too far ahead to be true.
    private var refused: Instant?
    /// How long and how often the machine had been suspended at the last look.
    private var marks: ClockMarks?
    private var kernelWord = KernelWord()
    /// By the log of an earlier run, the kernel's clock was measured since the machine was last suspended.
    private var heardKernel = false
    /// The anchor is lost: the machine slept, and the length of the sleep is unknown.
    private var sleptUncounted = false
    private var lastOpinion: ClockTrust.Opinion?

    init() {}

    /// Takes over from an earlier run: its newest anchor, where it was in this boot, the last that the kernel or
    /// a receiver gave, and the `latest` of any source.
    init(
        resuming anchor: ClockAnchor?, reference: Instant?, latest: Instant? = nil, drift: Double?,
        heardKernel: Bool = false
    ) {
        (self.heardKernel, self.latest) = (heardKernel, latest)
        held = anchor.flatMap { $0.isTrusted && $0.source != .simulated ? $0 : nil }
        self.reference = reference
        meter = DriftMeter(measured: drift)
    }

    /// UTC, as far as it is known: `wall` while nothing is held.
    func instant(at time: MonotonicTime, wall: Instant) -> Instant { held?.instant(at: time) ?? wall }

    private func uncertainty(at time: MonotonicTime) -> Duration {
        guard let held else { return .zero }
        return held.uncertainty + .nanoseconds(Int64(Double((time - held.monotonic).nanoseconds) * meter.bound))
    }

    /// Which source the agent's time is trusted for, how well, and when that source was last heard.
    func opinion(at time: MonotonicTime, wall: Instant) -> ClockTrust.Opinion {
        guard let held else {
            var opinion = lastOpinion ?? ClockTrust.Opinion(source: .unknown, uncertainty: .zero)
            if opinion.source == .unknown, let refused { opinion.note = tooFarAhead("the GPS receiver", refused) }
            if opinion.source == .unknown, kernelWord.isOld { opinion.note = Self.unmeasured }
            if opinion.source == .unknown, sleptUncounted { opinion.note = Self.uncounted }
            return opinion
        }
        var opinion = ClockTrust.Opinion(source: held.source, uncertainty: uncertainty(at: time))
        if lastOpinion?.source != held.source || doubt != nil {
            opinion.carried = held.carried + (time - held.monotonic)
        }
        opinion.drift = meter.bound
        opinion.note = remark(at: time, wall: wall) ?? lastOpinion?.note
        return opinion
    }

    // MARK: - What is heard

    mutating func observe(_ look: Look) {
        // What may be said of the system's clock at this look.
        followSuspension(look)
        var look = look
        if !observeKernel(look) { look.opinion = look.unsteered ?? .unknown }
        // Without the battery-backed clock the configuration's word counts, where it gives one.
        if look.opinion.source == .rtc, look.opinion.isVouched, contradiction(to: look) != nil {
            (look.opinion.source, look.opinion.uncertainty) = (.vouched, ClockTrust.byHand)
        }
        if let contradiction = contradiction(to: look) {
            look.opinion = .unknown
            look.opinion.note = contradiction
        }
        lastOpinion = look.opinion
        // What follows for the agent's time.
        let anchor = ClockAnchor(
            monotonic: look.monotonic, instant: look.wall, source: look.opinion.source,
            uncertainty: look.opinion.uncertainty)
        switch look.opinion.source {
        case .simulated: held = nil
        case .kernel, .gps, .vouched: hear(anchor, raw: look.marks.raw)
        case .rtc: if held == nil { adopt(battery(anchor), raw: nil) }
        // The doubtful jump was the system clock's, for which no source vouches any more. The receiver's stays.
        case .unknown: if held == nil || doubt?.source != .gps { doubt = nil }
        }
        for battery in look.opinion.batteries { adoptIfBetter(battery, at: look.monotonic) }
        if let held, let raw = look.marks.raw, held.monotonic < look.monotonic {
            meter.carried(.init(instant: held.instant(at: look.monotonic), raw: raw))
        }
    }

    /// Takes a position receiver's time, unless the kernel or a simulation has the say. True where the
    /// agent's time is now the receiver's.
    mutating func hear(receiver anchor: ClockAnchor, raw: MonotonicTime?) -> Bool {
        refused = isTooFarAhead(anchor.instant) ? anchor.instant : nil
        guard refused == nil, lastOpinion?.source != .kernel, lastOpinion?.source != .simulated else { return false }
        return hear(anchor, raw: raw)
    }

    /// Adopts the anchor, or holds a jump back as `doubt`. False where it is in doubt, or a better source is held.
    @discardableResult private mutating func hear(_ anchor: ClockAnchor, raw: MonotonicTime?) -> Bool {
        guard let held else { return adopt(anchor, raw: raw) }
        let off = anchor.instant - held.instant(at: anchor.monotonic)
        let expected = uncertainty(at: anchor.monotonic)
        // A jump beyond both errors and a minute is held back for an hour, unless the clock goes back.
        if off.magnitude > expected + anchor.uncertainty + Self.tolerance, !anchor.source.knowsBetter(than: held.source)
        {
            // The hour begins again with a jump by another amount.
            let since = doubt.flatMap { ($0.by - off).magnitude < Self.tolerance ? $0.since : nil } ?? anchor.monotonic
            doubt = Doubt(since: since, by: off, source: anchor.source)
            let isReturn = agreesWithTimeBeforeJump(anchor)
            guard isReturn || anchor.monotonic - since >= Self.jumpDelay else { return false }
            beforeJump = isReturn ? nil : held
            return adopt(anchor, raw: raw)
        }
        doubt = nil
        let isBetter = anchor.uncertainty <= expected
        // A trusted source that stepped the clock within its errors is followed; a worse one is
        // not.
        let stepped = off.magnitude > Self.jitter && anchor.source != .vouched && anchor.source != .gps
        guard isBetter || stepped || anchor.source.knowsBetter(than: held.source) else {
            return held.source == anchor.source
        }
        return adopt(anchor, raw: raw)
    }

    /// The clock is back where it was before the jump: two readings against one, so that it is
    /// believed without waiting an hour.
    private func agreesWithTimeBeforeJump(_ anchor: ClockAnchor) -> Bool {
        guard let beforeJump else { return false }
        let drift = Double((anchor.monotonic - beforeJump.monotonic).nanoseconds) * meter.bound
        let error = beforeJump.uncertainty + anchor.uncertainty + .nanoseconds(Int64(drift)) + Self.tolerance
        return (anchor.instant - beforeJump.instant(at: anchor.monotonic)).magnitude <= error
    }

    @discardableResult private mutating func adopt(_ anchor: ClockAnchor, raw: MonotonicTime?) -> Bool {
        if anchor.source == .kernel || anchor.source == .gps {
            reference = anchor.instant
            if let raw { meter.heard(anchor.instant, anchor.uncertainty, raw: raw) }
        }
        (held, latest) = (anchor, anchor.instant)
        doubt = nil
        sleptUncounted = false
        return true
    }

    // MARK: - Battery-backed clocks

    /// The anchor with the error that a battery-backed clock has gathered since it was set. The kernel sets it
    /// every eleven minutes while it is synchronised (kernel/time/ntp.c); without a `reference`, and for a clock
    /// that the kernel does not write, a person did.
    private func battery(_ anchor: ClockAnchor, drift: Double = anyDrift, isWritten: Bool = true) -> ClockAnchor {
        let age =
            !isWritten
            ? nil
            : reference.map { Duration.nanoseconds(Int64(Double(max(0, (anchor.instant - $0).nanoseconds)) * drift)) }
        return ClockAnchor(
            monotonic: anchor.monotonic, instant: anchor.instant, source: .rtc,
            uncertainty: anchor.uncertainty + (age ?? ClockTrust.byHand))
    }

    /// A battery-backed clock takes over from a time that was carried on and is now the worse of
    /// the two, where both agree.
    private mutating func adoptIfBetter(_ clock: BatteryClock, at now: MonotonicTime) {
        guard let held else { return }
        let said = ClockAnchor(
            monotonic: clock.monotonic, instant: clock.instant, source: .rtc, uncertainty: BatteryClock.resolution)
        let anchor = battery(said, drift: clock.drift, isWritten: clock.isWritten)
        let expected = uncertainty(at: now)
        let off = anchor.instant - held.instant(at: anchor.monotonic)
        // Not by every reading, which is a second wide: only where the carried time has become
        // worse by more than that.
        let isBetter = anchor.uncertainty + BatteryClock.resolution + BatteryClock.resolution < expected
        if off.magnitude <= expected + anchor.uncertainty, isBetter { adopt(anchor, raw: nil) }
    }

    /// Why an unsynchronised clock cannot be right; nil where it can. None is before the last time that the kernel
    /// or a receiver gave; a battery-backed one is neither before any trusted time nor years after it.
    private func contradiction(to look: Look) -> String? {
        let isBattery = look.opinion.source == .rtc
        guard held == nil, isBattery || look.opinion.source == .vouched || look.opinion.source == .gps else {
            return nil
        }
        if let reference, look.wall < reference - Self.tolerance { return "\(Self.past))" }
        guard isBattery else { return nil }
        if let latest, look.wall < latest - Self.tolerance { return "\(Self.past), \(Self.wayOut))" }
        return isTooFarAhead(look.wall) ? tooFarAhead("the battery-backed clock", look.wall) : nil
    }

    /// Such a time cannot be right where only a receiver or a battery-backed clock says so. Without any trusted time
    /// before it there is nothing to hold it against.
    private func isTooFarAhead(_ instant: Instant) -> Bool {
        latest.map { instant > max(Self.supported, $0 + Self.longestRest) } ?? false
    }

    // MARK: - Suspension

    /// Carries what is held over a suspension since the last look, during which CLOCK_MONOTONIC did not run.
    private mutating func followSuspension(_ look: Look) {
        defer { marks = look.marks }
        guard let marks else {
            // Unknown: the last sleep may have been before the kernel's clock was measured, or
            // after.
            if !look.marks.isAwake, !heardKernel { kernelWord.expire() }
            return
        }
        let slept = look.marks.slept - marks.slept
        if slept > Self.jitter {
            held = held?.after(sleep: slept)
            beforeJump = beforeJump?.after(sleep: slept)
        } else {
            guard let before = marks.suspensions, let now = look.marks.suspensions, now > before else { return }
            // Without a clock that goes on meanwhile, and without a battery-backed one, the kernel
            // adds nothing (timekeeping_resume): all of its clocks go on from where they were.
            (held, beforeJump, sleptUncounted) = (nil, nil, true)
        }
        kernelWord.expire()
        meter.slept()
    }

    /// False where the opinion rests on what the kernel said before a suspension (`KernelWord`).
    private mutating func observeKernel(_ look: Look) -> Bool {
        guard look.opinion.source == .kernel else {
            kernelWord.observe(nil, at: look.monotonic)
            return true
        }
        guard let kernel = look.opinion.kernel else { return true }
        kernelWord.observe(kernel, at: look.monotonic)
        return !kernelWord.isOld
    }

    // MARK: - Words

    private static let past =
        "the clock reads a time before the last trusted one: it lost power, or started from a saved time (it is not "
        + "trusted before NTP or a receiver is heard"

    private static let wayOut = "or set trust_system = true for one start if the system's clock is right"

    private func tooFarAhead(_ clock: String, _ said: Instant) -> String {
        func day(_ instant: Instant) -> String { "\(LocalDateTime(instant, offset: 0).date)" }
        let last = latest.map { ", \(day($0))" } ?? ""
        return "\(clock) says \(day(said)), years after the last trusted time\(last): it is not trusted (connect a "
            + "network with NTP, \(Self.wayOut))"
    }

    private static let uncounted =
        "the machine was suspended and no clock kept running: its time is lost until NTP or a receiver is available (or do not "
        + "let it be suspended: systemctl mask sleep.target suspend.target)"

    private static let unmeasured =
        "the machine was suspended, and its clock has not been measured since: it is believed again once the NTP client has heard a server "
        + "(to have it ask at once: systemctl restart systemd-timesyncd or chronyd)"

    private func remark(at time: MonotonicTime, wall: Instant) -> String? {
        guard let held else { return nil }
        if let refused, lastOpinion?.source != .kernel { return tooFarAhead("the GPS receiver", refused) }
        if let doubt {
            let words = doubt.source == .gps ? "the GPS receiver's time" : "the system's clock"
            return
                "\(words) jumped by \(doubt.by.rounded.text), which is not trusted until it has held for an hour; "
                + "studyd keeps its own time"
        }
        let off = wall - held.instant(at: time)
        guard off.magnitude > max(uncertainty(at: time), Self.jitter), held.source != .gps else { return nil }
        return
            "the system's clock was set \(off.magnitude.rounded.text) \(off < .zero ? "back" : "ahead") without a trusted source; "
            + "studyd keeps its own time (use NTP, or trust_system = true, if the new time is right)"
    }
}

extension ClockAnchor {
    /// The same after a sleep of the machine, during which CLOCK_MONOTONIC did not run. What
    /// counted the sleep has a crystal, too.
    func after(sleep: Duration) -> ClockAnchor {
        let drift = Duration.nanoseconds(Int64(Double(sleep.nanoseconds) * ClockDiscipline.anyDrift))
        return ClockAnchor(
            monotonic: monotonic, instant: instant + sleep, source: source,
            uncertainty: uncertainty + ClockDiscipline.sleepError + drift, carried: carried)
    }
}

extension ClockAnchor.Source {
    /// A synchronised clock comes before one that was set by hand.
    fileprivate func knowsBetter(than other: Self) -> Bool {
        (self == .kernel || self == .gps) && (other == .rtc || other == .vouched)
    }
}
