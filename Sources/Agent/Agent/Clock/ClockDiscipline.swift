// SPDX-License-Identifier: Apache-2.0
import Base

/// The agent's time: the last trusted anchor, extrapolated by CLOCK_MONOTONIC with a growing error. Pure.
///
/// `DisciplinedClock` owns it under a lock, and gives it readings of the system's clocks (`observe`) and a receiver's
/// times (`hear`). What passes `SuspensionWatch`, `TrustedTimes` and `StepFilter` becomes the anchor `held`, from which
/// `instant` and `opinion` are computed.
///
/// ```
///            trusted, and within what is possible                source silent
///   unknown ────────────────────────────────────────▶ held ◀────────────────────▶ extrapolated
///                                                      │  ▲
///             the source steps by more than is likely  ▼  │  it steps back, or
///                                                    spike │  an hour is over
///                                                         └─ followed; back at once where the clock goes back
/// ```
/// CLOCK_MONOTONIC and CLOCK_REALTIME are slewed alike; what moves one against the other is a step
/// (clock_settime(2), ADJ_SETOFFSET, a leap second, suspension). One that no source is trusted for is not followed.
struct ClockDiscipline: Sendable {
    /// The system's clocks at one moment, and what is said of them.
    struct Reading: Sendable {
        var opinion: ClockTrust.Opinion
        /// The opinion without what the kernel says, which may be from before a suspension; nil where `opinion`
        /// does not rest on the kernel, or the machine was never suspended.
        var withoutKernel: ClockTrust.Opinion?
        var monotonic: MonotonicTime
        /// CLOCK_REALTIME.
        var wall: Instant
        var marks = ClockMarks()
    }

    /// A crystal without temperature control drifts by less; in force until it is measured.
    static let anyDrift = DriftMeter.any
    /// Readings of two clocks are never quite of one moment.
    static let jitter = Duration.milliseconds(20)

    /// The anchor that the time is computed from; nil before there was a trusted one, with a simulated clock, and
    /// after a suspension of unknown length.
    private(set) var held: ClockAnchor?
    private(set) var meter = DriftMeter()
    private var suspensions = SuspensionWatch()
    private var trusted = TrustedTimes()
    private var steps = StepFilter()
    /// What a receiver says that is too far ahead to be true.
    private var refused: Instant?
    /// What was believed of the last reading.
    private var lastOpinion: ClockTrust.Opinion?

    init() {}

    /// Takes over from an earlier run: its newest anchor, where it was in this boot, the last that the kernel or
    /// a receiver gave, and the `latest` of any source.
    init(
        resuming anchor: ClockAnchor?, reference: Instant?, latest: Instant? = nil, drift: Double?,
        heardKernel: Bool = false
    ) {
        held = anchor.flatMap { $0.isTrusted && $0.source != .simulated ? $0 : nil }
        meter = DriftMeter(measured: drift)
        suspensions = SuspensionWatch(heardKernel: heardKernel)
        trusted = TrustedTimes(reference: reference, latest: latest)
    }

    // MARK: - What the time is

    /// UTC, as far as it is known: `wall` while nothing is held.
    func instant(at time: MonotonicTime, wall: Instant) -> Instant { held?.instant(at: time) ?? wall }

    /// Which source the agent's time is trusted for, how well, and when that source was last heard.
    func opinion(at time: MonotonicTime, wall: Instant) -> ClockTrust.Opinion {
        guard let held else {
            var opinion = lastOpinion ?? .unknown
            guard opinion.source == .unknown else { return opinion }
            opinion.note = suspensions.note ?? refusal ?? opinion.note
            return opinion
        }
        var opinion = ClockTrust.Opinion(source: held.source, uncertainty: uncertainty(at: time))
        if lastOpinion?.source != held.source || steps.spike != nil {
            opinion.carried = held.carried + (time - held.monotonic)
        }
        opinion.drift = meter.bound
        opinion.note = note(held, at: time, wall: wall) ?? lastOpinion?.note
        return opinion
    }

    private func uncertainty(at time: MonotonicTime) -> Duration {
        held?.error(at: time, drift: meter.bound) ?? .zero
    }

    // MARK: - What is heard

    mutating func observe(_ reading: Reading) {
        if let suspension = suspensions.observe(reading) {
            held = held?.after(suspension)
            steps.resume(after: suspension)
            meter.restart()
        }
        let opinion = believed(reading)
        lastOpinion = opinion
        let gathered = trusted.batteryError(at: reading.wall, drift: Self.anyDrift, isWritten: true)
        let anchor = ClockAnchor(
            monotonic: reading.monotonic, instant: reading.wall, source: opinion.source,
            uncertainty: opinion.uncertainty + (opinion.source == .rtc ? gathered : .zero))
        switch opinion.source {
        case .simulated: held = nil
        case .kernel, .gps, .vouched: hear(anchor, raw: reading.marks.raw)
        case .rtc: if held == nil { adopt(anchor, raw: nil) }
        // The spike was the system clock's, for which no source is trusted any more. The receiver's stays.
        case .unknown: if held == nil || steps.spike?.source != .gps { steps.endSpike() }
        }
        for battery in opinion.batteries { adoptIfBetter(battery, at: reading.monotonic) }
        if let held, let raw = reading.marks.raw, held.monotonic < reading.monotonic {
            meter.addExtrapolation(.init(instant: held.instant(at: reading.monotonic), raw: raw))
        }
    }

    /// Takes a position receiver's time, unless the kernel or a simulation is trusted. True where the
    /// agent's time is now the receiver's.
    mutating func hear(receiver anchor: ClockAnchor, raw: MonotonicTime?) -> Bool {
        refused = trusted.isTooFarAhead(anchor.instant) ? anchor.instant : nil
        guard refused == nil, lastOpinion?.source != .kernel, lastOpinion?.source != .simulated else { return false }
        return hear(anchor, raw: raw)
    }

    /// What may be believed of what is said at this reading.
    private func believed(_ reading: Reading) -> ClockTrust.Opinion {
        var opinion = suspensions.isStale(reading.opinion) ? reading.withoutKernel ?? .unknown : reading.opinion
        // Without the battery-backed clock the configuration's word counts, where it gives one.
        if opinion.source == .rtc, opinion.isVouched, contradiction(to: opinion, reading.wall) != nil {
            (opinion.source, opinion.uncertainty) = (.vouched, ClockTrust.byHand)
        }
        guard let reason = contradiction(to: opinion, reading.wall) else { return opinion }
        opinion = .unknown
        opinion.note = reason
        return opinion
    }

    private func contradiction(to opinion: ClockTrust.Opinion, _ wall: Instant) -> String? {
        held == nil ? trusted.contradiction(to: wall, by: opinion.source) : nil
    }

    /// Adopts the anchor, unless it is a spike. False for a spike, and where a better source is held.
    @discardableResult private mutating func hear(_ anchor: ClockAnchor, raw: MonotonicTime?) -> Bool {
        guard let held else { return adopt(anchor, raw: raw) }
        let offset = anchor.instant - held.instant(at: anchor.monotonic)
        let expected = uncertainty(at: anchor.monotonic)
        let knowsBetter = anchor.source.knowsBetter(than: held.source)
        if offset.magnitude > expected + anchor.uncertainty + StepFilter.stepThreshold, !knowsBetter {
            guard steps.takeSpike(anchor, by: offset, from: held, drift: meter.bound) else { return false }
            return adopt(anchor, raw: raw)
        }
        steps.endSpike()
        // A trusted source that stepped the clock within its errors is followed; a worse one is not.
        let isStep = offset.magnitude > Self.jitter && anchor.source != .vouched && anchor.source != .gps
        guard anchor.uncertainty <= expected || isStep || knowsBetter else { return held.source == anchor.source }
        return adopt(anchor, raw: raw)
    }

    /// A battery-backed clock takes over from a time that was extrapolated and is now the worse of
    /// the two, where both agree.
    private mutating func adoptIfBetter(_ clock: BatteryClock, at now: MonotonicTime) {
        guard let held else { return }
        let gathered = trusted.batteryError(at: clock.instant, drift: clock.drift, isWritten: clock.isWritten)
        let anchor = ClockAnchor(
            monotonic: clock.monotonic, instant: clock.instant, source: .rtc,
            uncertainty: BatteryClock.resolution + gathered)
        let expected = uncertainty(at: now)
        let offset = anchor.instant - held.instant(at: anchor.monotonic)
        // Not by every reading, which is a second wide: only where the extrapolated time has become
        // worse by more than that.
        let isBetter = anchor.uncertainty + BatteryClock.resolution + BatteryClock.resolution < expected
        if offset.magnitude <= expected + anchor.uncertainty, isBetter { adopt(anchor, raw: nil) }
    }

    @discardableResult private mutating func adopt(_ anchor: ClockAnchor, raw: MonotonicTime?) -> Bool {
        if anchor.source == .kernel || anchor.source == .gps, let raw {
            meter.addReference(anchor.instant, anchor.uncertainty, raw: raw)
        }
        held = anchor
        trusted.adopt(anchor)
        steps.endSpike()
        suspensions.endLoss()
        return true
    }

    // MARK: - What is odd about it, with what to do

    private var refusal: String? { refused.map { trusted.tooFarAhead("the GPS receiver", $0) } }

    private func note(_ held: ClockAnchor, at time: MonotonicTime, wall: Instant) -> String? {
        if let refusal, lastOpinion?.source != .kernel { return refusal }
        if let spike = steps.spike {
            let words = spike.source == .gps ? "the GPS receiver's time" : "the system's clock"
            return
                "\(words) jumped by \(spike.by.rounded.text), which is not trusted until it has held for an hour; "
                + "studyd keeps its own time"
        }
        let offset = wall - held.instant(at: time)
        guard offset.magnitude > max(uncertainty(at: time), Self.jitter), held.source != .gps else { return nil }
        return
            "the system's clock was set \(offset.magnitude.rounded.text) \(offset < .zero ? "back" : "ahead") without a trusted source; "
            + "studyd keeps its own time (use NTP, or trust_system = true, if the new time is right)"
    }
}

extension ClockAnchor.Source {
    /// A synchronised clock comes before one that was set by hand.
    fileprivate func knowsBetter(than other: Self) -> Bool {
        (self == .kernel || self == .gps) && (other == .rtc || other == .vouched)
    }
}
