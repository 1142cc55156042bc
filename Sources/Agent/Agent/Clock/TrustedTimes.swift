// SPDX-License-Identifier: Apache-2.0
import Base

/// The times that `ClockDiscipline` trusted last, in this boot or before, and what follows from them: which times
/// cannot be true, and how far a battery-backed clock has drifted. Pure.
struct TrustedTimes: Sendable {
    /// A device lies unused for no longer, so that a clock further ahead of the last trusted time is wrong.
    private static let longestRest = Duration.seconds(2 * 366 * 86_400)
    /// Before this, five years after the program was written, no clock is too far ahead.
    private static let supported = DisciplinedClock.oldest + .seconds(5 * 366 * 86_400)

    /// When the kernel or a receiver was heard last: since then a battery-backed clock goes by itself.
    private var reference: Instant?
    /// The newest time that any source was trusted for.
    private var latest: Instant?

    init(reference: Instant? = nil, latest: Instant? = nil) { (self.reference, self.latest) = (reference, latest) }

    mutating func adopt(_ anchor: ClockAnchor) {
        if anchor.source == .kernel || anchor.source == .gps { reference = anchor.instant }
        latest = anchor.instant
    }

    /// What a battery-backed clock has gathered since it was set. The kernel sets it every eleven minutes while it is
    /// synchronised (kernel/time/ntp.c); without a `reference`, and for a clock that the kernel does not write, a
    /// person did.
    func batteryError(at instant: Instant, drift: Double, isWritten: Bool) -> Duration {
        guard isWritten, let reference else { return ClockTrust.byHand }
        return .nanoseconds(Int64(Double(max(0, (instant - reference).nanoseconds)) * drift))
    }

    /// Why an unsynchronised clock cannot be right; nil where it can. None is before the last time that the kernel
    /// or a receiver gave; a battery-backed one is neither before any trusted time nor years after it.
    func contradiction(to wall: Instant, by source: ClockAnchor.Source) -> String? {
        guard source == .rtc || source == .vouched || source == .gps else { return nil }
        if let reference, wall < reference - StepFilter.stepThreshold { return "\(Self.past))" }
        guard source == .rtc else { return nil }
        if let latest, wall < latest - StepFilter.stepThreshold { return "\(Self.past), \(Self.wayOut))" }
        return isTooFarAhead(wall) ? tooFarAhead("the battery-backed clock", wall) : nil
    }

    /// Such a time cannot be right where only a receiver or a battery-backed clock says so. Without any trusted time
    /// before it there is nothing to hold it against.
    func isTooFarAhead(_ instant: Instant) -> Bool {
        latest.map { instant > max(Self.supported, $0 + Self.longestRest) } ?? false
    }

    func tooFarAhead(_ clock: String, _ said: Instant) -> String {
        func day(_ instant: Instant) -> String { "\(LocalDateTime(instant, offset: 0).date)" }
        let last = latest.map { ", \(day($0))" } ?? ""
        return "\(clock) says \(day(said)), years after the last trusted time\(last): it is not trusted (connect a "
            + "network with NTP, \(Self.wayOut))"
    }

    private static let past =
        "the clock reads a time before the last trusted one: it lost power, or started from a saved time (it is not "
        + "trusted before NTP or a receiver is heard"

    private static let wayOut = "or set trust_system = true for one start if the system's clock is right"
}
