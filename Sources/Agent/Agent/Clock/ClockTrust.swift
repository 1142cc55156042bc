// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import Synchronization
import SystemKit

/// Which source, if any, vouches for the wall clock now; asked at each `opinion`, by `DisciplinedClock` of the
/// system's clock, by all other parts of the agent of `DisciplinedClock`.
package struct ClockTrust: Sendable {
    package struct Opinion: Sendable, Hashable {
        package var source: ClockAnchor.Source
        /// The largest error to be expected, one side.
        package var uncertainty: Duration
        /// How long the source has not been heard.
        package var carried = Duration.zero
        /// What is odd about it, in words with what to do; nil while nothing is.
        package var note: String?
        /// The bound of the oscillator's drift in force, a ratio.
        var drift = ClockDiscipline.anyDrift
        /// What the battery-backed clocks say; not read while the kernel is synchronised.
        var batteries: [BatteryClock] = []
        /// The configuration has `trust_system`, whichever source is trusted.
        var isVouched = false
        /// What the kernel says where it is synchronised; nil where another source is trusted.
        var kernel: KernelClock?

        /// True where prompts may come: the clock is trusted and its error is within `bound`.
        /// `.vouched` (`trust_system`) has no bound: it is the responsibility of the person who set it.
        package func isGood(within bound: Duration) -> Bool {
            source != .unknown && (source == .vouched || uncertainty <= bound)
        }
    }

    package typealias Judge = @Sendable () -> (source: ClockAnchor.Source, uncertainty: Duration)
    private let judge: @Sendable () -> Opinion
    private let judgeWithoutKernel: @Sendable () -> Opinion

    package init(_ judge: @escaping Judge) {
        self.judge = {
            let (source, uncertainty) = judge()
            return Opinion(source: source, uncertainty: uncertainty)
        }
        judgeWithoutKernel = { .unknown }
    }

    /// A clock of which more can be said; `withoutKernel` is what is said where the kernel is not believed.
    init(opinion: @escaping @Sendable () -> Opinion, withoutKernel: @escaping @Sendable () -> Opinion = { .unknown }) {
        judge = opinion
        judgeWithoutKernel = withoutKernel
    }

    /// The kernel's opinion (adjtimex(2)), else that of a battery-backed clock with which the
    /// system's clock agrees, else, with `vouched`, the configuration's.
    package static func system(vouched: Bool) -> ClockTrust {
        let clock = SystemClock()
        let batteries = batteries(clock)
        let withoutKernel: @Sendable (Bool) -> Opinion = { isDenied in
            judged(by: batteries(), vouched: vouched, at: clock.monotonic, wall: clock.now, isDenied: isDenied)
        }
        return ClockTrust(
            opinion: {
                guard let kernel = KernelClock.read() else { return withoutKernel(true) }
                return kernel.opinion ?? kernel.addingNote(to: withoutKernel(false))
            }, withoutKernel: { withoutKernel(false) })
    }

    /// Returns a function that gives the battery-backed clocks. It reads them again after a minute, and after a
    /// suspension: CLOCK_MONOTONIC, which extrapolates a reading, stands still meanwhile.
    static func batteries(
        _ clock: any StudyClock, in folder: String = "/sys/class/rtc"
    ) -> @Sendable () -> [BatteryClock] {
        let readings = Mutex<(batteries: [BatteryClock], at: MonotonicTime, marks: ClockMarks)?>(nil)
        return {
            readings.withLock { held in
                let (now, marks) = (clock.monotonic, clock.marks)
                if let held, now - held.at < .seconds(60), held.marks.suspensions == marks.suspensions,
                    (marks.slept - held.marks.slept).magnitude <= ClockDiscipline.jitter
                {
                    return held.batteries
                }
                let read = BatteryClock.all(in: folder, clock: clock)
                held = (read, now, marks)
                return read
            }
        }
    }

    /// The opinion where the kernel is not synchronised. A battery-backed clock counts only while
    /// the system's clock agrees with it: that the kernel once set its time from it (`hctosys`)
    /// says nothing of a clock that was set since. `isDenied`: the kernel could not be asked. Pure.
    static func judged(
        by batteries: [BatteryClock], vouched: Bool, at now: MonotonicTime, wall: Instant, isDenied: Bool = false
    ) -> Opinion {
        // Both run freely since booting, and each drifts by up to 100 ppm.
        let apart = min(Duration.seconds(2) + .nanoseconds(Int64(Double(now.nanoseconds) * 200e-6)), .seconds(60))
        let differences = batteries.map { (name: $0.name, by: wall - $0.instant(at: now)) }
        var opinion = Opinion(source: vouched ? .vouched : .unknown, uncertainty: vouched ? Self.byHand : .zero)
        if let near = differences.min(by: { $0.by.magnitude < $1.by.magnitude }), near.by.magnitude <= apart {
            if wall >= DisciplinedClock.oldest {
                opinion = Opinion(source: .rtc, uncertainty: near.by.magnitude + BatteryClock.resolution)
            } else {
                opinion.note =
                    "the battery-backed clock \(near.name) and the system's clock both say "
                    + "\(LocalDateTime(wall, offset: 0).date), far in the past: the battery is empty, or the clock was "
                    + "never set (replace the battery, and connect a network with NTP)"
            }
        } else if let far = differences.first {
            opinion.note =
                "the battery-backed clock \(far.name) and the system's clock differ by \(far.by.magnitude.rounded.text): set the "
                + "wrong one from the right one (hwclock --hctosys or --systohc)"
        }
        if isDenied {
            opinion.note =
                "not allowed to ask the kernel whether its clock is synchronised: allow adjtimex and clock_adjtime"
        }
        (opinion.batteries, opinion.isVouched) = (batteries, vouched)
        return opinion
    }

    /// A person who sets or checks a clock does it to the minute.
    static let byHand = Duration.seconds(60)

    package var opinion: Opinion { judge() }
    /// The same without what the kernel says, which may be from before a suspension.
    var withoutKernel: Opinion { judgeWithoutKernel() }

    /// An anchor of `clock` now. The opinion is asked for before the clock is read: asking may correct a
    /// `DisciplinedClock`.
    package func anchor(_ clock: any StudyClock) -> ClockAnchor { anchor(clock, opinion) }

    func anchor(_ clock: any StudyClock, _ opinion: Opinion) -> ClockAnchor {
        let (moment, spread) = clock.look()
        return ClockAnchor(
            monotonic: moment.monotonic, instant: moment.instant, source: opinion.source,
            uncertainty: opinion.uncertainty + spread, carried: opinion.carried)
    }
}

extension ClockTrust.Opinion {
    static let unknown = Self(source: .unknown, uncertainty: .zero)
}

extension KernelClock {
    var opinion: ClockTrust.Opinion? {
        guard let uncertainty else { return nil }
        var opinion = ClockTrust.Opinion(source: .kernel, uncertainty: uncertainty)
        opinion.kernel = self
        return opinion
    }

    /// Adds to `opinion`, which the kernel does not back, a note where an NTP client does not report to the
    /// kernel that its clock is synchronised (`isHeldBack`).
    func addingNote(to opinion: ClockTrust.Opinion) -> ClockTrust.Opinion {
        guard isHeldBack, opinion.source == .unknown else { return opinion }
        var opinion = opinion
        opinion.note =
            "an NTP client tells the kernel the clock's error, but not that it is synchronised (chrony: write 'rtcsync' "
            + "into chrony.conf; systemd-timesyncd: timedatectl set-local-rtc 0)"
        return opinion
    }
}

extension Duration {
    /// Cut to whole seconds, for people.
    var rounded: Duration { .seconds(nanoseconds / 1_000_000_000) }
}
