// SPDX-License-Identifier: Apache-2.0
import Base

/// Judges what `ClockProbe` found out about the wall clock. Pure.
struct ClockVerdict: Sendable {
    let anchor: ClockAnchor
    let hasRTC: Bool
    /// Why no source vouches for the clock, where that is known (`ClockTrust.Opinion.note`).
    var note: String?
    /// There is a GPS receiver, which can set the clock later.
    let hasReceiver: Bool

    func finding(_ subject: CheckSubject) -> CheckFinding {
        let rtc = hasRTC ? "battery-backed clock present" : "no battery-backed clock"
        guard anchor.instant >= DisciplinedClock.oldest else {
            return CheckFinding(
                subject, .failed, "reads \(anchor.instant), far in the past; \(rtc)",
                remedy: "connect a network with NTP (`timedatectl`), or fit a battery-backed clock (dtoverlay=i2c-rtc)")
        }
        switch anchor.source {
        case _ where anchor.carried > .seconds(300) && anchor.isTrusted:
            return ok(
                subject,
                "free-running for \(anchor.carried.rounded.text) since the last trusted time (\(anchor.source.rawValue)), at most \(error) off, \(rtc)"
            )
        case .kernel: return ok(subject, "synchronised (NTP or PTP), at most \(error) off, \(rtc)")
        case .rtc:
            return ok(
                subject, "agrees with a battery-backed clock to within \(error), plus its drift since it was set")
        case .vouched:
            return ok(subject, "trusted by the configuration (trust_system), assumed at most \(error) off; \(rtc)")
        case .gps: return ok(subject, "set from GPS, at most \(error) off, \(rtc)")
        case .simulated: return ok(subject, "simulated")
        case .unknown:
            let wait = hasReceiver ? "wait for a GPS fix, or " : ""
            return CheckFinding(
                subject, .warning,
                "\(note ?? "clock not synchronised, \(rtc)"): prompts are paused and recordings wait for their times, unless the "
                    + "running agent still knows the time from before (`studyd status`)",
                remedy:
                    "\(wait)connect a network with NTP (`timedatectl`), fit a battery-backed clock, or set trust_system = true"
            )
        }
    }

    private var error: String { ClockStatus.error(anchor.uncertainty) }
    private func ok(_ subject: CheckSubject, _ detail: String) -> CheckFinding { CheckFinding(subject, .ok, detail) }
}
