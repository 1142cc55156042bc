// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Agent

/// The kernel's NTP state in virtual time, after Linux kernel/time/ntp.c and include/linux/timex.h:
///
/// - `second_overflow`: each second `time_maxerror += MAXFREQ / NSEC_PER_USEC` (500 000 / 1000);
///   beyond `NTP_PHASE_LIMIT` (`(MAXPHASE / NSEC_PER_USEC) << 5`, MAXPHASE 500 000 000) it stays
///   there and `time_status |= STA_UNSYNC`.
/// - `ntp_clear`, which do_settimeofday64 calls: STA_UNSYNC, both errors at NTP_PHASE_LIMIT.
/// - `timekeeping_resume` (kernel/time/timekeeping.c at 0026766dfd69) adds a sleep that a
///   clocksource or a persistent clock counted and leaves all of this as it was;
///   `timekeeping_inject_sleeptime64`, by which an RTC's driver adds one, clears it
///   (TK_UPDATE_ALL → `ntp_clear`).
/// - `process_adjtimex_modes`: ADJ_STATUS, ADJ_MAXERROR and ADJ_ESTERROR set what the client says.
///
/// The client is systemd-timesyncd (src/timesync/timesyncd-manager.c, `manager_adjust_clock`): both
/// errors zero at each contact, a step (ADJ_SETOFFSET) where it is 0.4 s off or more, a slew below.
struct KernelNTP {
    private static let phaseLimit: Int64 = (500_000_000 / 1000) << 5
    private(set) var isUnsynchronised = true
    private var maximumError = phaseLimit
    private var estimatedError = phaseLimit

    mutating func seconds(_ count: Int64) {
        maximumError += count * (500_000 / 1000)
        guard maximumError > Self.phaseLimit else { return }
        maximumError = Self.phaseLimit
        isUnsynchronised = true
    }

    /// clock_settime(2).
    mutating func setByHand() {
        isUnsynchronised = true
        (maximumError, estimatedError) = (Self.phaseLimit, Self.phaseLimit)
    }

    mutating func contact() {
        isUnsynchronised = false
        (maximumError, estimatedError) = (0, 0)
    }

    var clock: KernelClock {
        KernelClock(
            isSynchronised: !isUnsynchronised, maximumError: .microseconds(maximumError),
            estimatedError: .microseconds(estimatedError), offset: .zero)
    }
}

/// A machine in virtual time: an oscillator that is off by `drift`, a clock that somebody may set,
/// NTP, perhaps a battery-backed clock.
struct ClockMachine {
    /// UTC at the start; what is true, whatever the machine believes.
    let start = Instant(seconds: 1_795_255_200)
    let drift: Double
    private(set) var truth: Duration = .zero
    private(set) var monotonic = MonotonicTime.zero
    private(set) var slept = Duration.zero
    private(set) var suspensions = 0
    var wall: Instant
    var kernel = KernelNTP()
    var vouched = false
    /// The battery-backed clock's own error, and its drift.
    var battery: (error: Duration, drift: Double)?
    var custody = ClockDiscipline()

    init(drift: Double = 0, wallError: Duration = .zero) {
        self.drift = drift
        wall = start + wallError
    }

    var utc: Instant { start + truth }
    var error: Duration { (custody.instant(at: monotonic, wall: wall) - utc).magnitude }
    var opinion: ClockTrust.Opinion { custody.opinion(at: monotonic, wall: wall) }

    /// True time passes, looked at every `pace` seconds.
    mutating func pass(_ seconds: Int64, pace: Int64 = 60) {
        var left = seconds
        while left > 0 {
            let step = min(pace, left)
            left -= step
            truth = truth + .seconds(step)
            let shown = Duration.nanoseconds(Int64(Double(step) * (1 + drift) * 1e9))
            monotonic = monotonic + shown
            wall = wall + shown
            kernel.seconds(step)
            observe()
        }
    }

    /// The kernel's own count of the sleep is `off`. A `driver` of an RTC that counted it ends
    /// the kernel's word.
    mutating func suspend(_ seconds: Int64, countedOff off: Duration = .zero, driver: Bool = false) {
        truth = truth + .seconds(seconds)
        wall = wall + .seconds(seconds) + off
        slept = slept + .seconds(seconds) + off
        suspensions += 1
        if driver { kernel.setByHand() }
    }

    /// A kernel without any clock that goes on meanwhile: `timekeeping_resume` adds nothing, and
    /// all of its clocks go on from where they stood (Linux kernel/time/timekeeping.c); only
    /// `suspend_stats.success` counts on.
    mutating func suspendUncounted(_ seconds: Int64) {
        truth = truth + .seconds(seconds)
        suspensions += 1
    }

    mutating func contact() {
        wall = utc
        kernel.contact()
        observe()
    }

    mutating func setByHand(_ by: Duration) {
        wall = wall + by
        kernel.setByHand()
        observe()
    }

    mutating func observe() {
        let withoutKernel = ClockTrust.judged(by: batteries, vouched: vouched, at: monotonic, wall: wall)
        custody.observe(
            .init(
                opinion: kernel.clock.opinion ?? withoutKernel, withoutKernel: withoutKernel, monotonic: monotonic,
                wall: wall, marks: ClockMarks(raw: monotonic, slept: slept, suspensions: suspensions)))
    }

    /// Whole seconds, as `since_epoch` gives them.
    private var batteries: [BatteryClock] {
        guard let battery else { return [] }
        let shown = utc + battery.error + .nanoseconds(Int64(Double(truth.nanoseconds) * battery.drift))
        return [
            BatteryClock(
                name: "rtc0", monotonic: monotonic, instant: Instant(seconds: shown.seconds) + .milliseconds(500),
                drift: 100e-6)
        ]
    }
}
