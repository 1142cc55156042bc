// SPDX-License-Identifier: Apache-2.0
import Base

/// A suspension of the machine, during which CLOCK_MONOTONIC stood still.
enum Suspension: Sendable, Hashable {
    case counted(Duration)
    /// Without a clock that goes on meanwhile, and without a battery-backed one, the kernel adds nothing
    /// (timekeeping_resume): all of its clocks go on from where they were.
    case uncounted

    /// Nil where the kernel counted none in between.
    init?(from before: ClockMarks, to now: ClockMarks) {
        let slept = now.slept - before.slept
        let isMore = now.suspensions.flatMap { times in before.suspensions.map { times > $0 } } ?? false
        let isCounted = slept > ClockDiscipline.jitter
        guard isCounted || isMore else { return nil }
        self = isCounted ? .counted(slept) : .uncounted
    }
}

/// Finds suspensions between two readings, and whether what the kernel says of its clock is from before the last one.
/// Pure.
struct SuspensionWatch: Sendable {
    private var marks: ClockMarks?
    private var kernelSync = KernelSyncState()
    /// By the log of an earlier run, the kernel's clock was measured since the machine was last suspended.
    private let heardKernel: Bool
    private var isTimeLost = false

    init(heardKernel: Bool = false) { self.heardKernel = heardKernel }

    mutating func observe(_ reading: ClockDiscipline.Reading) -> Suspension? {
        let suspension = marks.flatMap { Suspension(from: $0, to: reading.marks) }
        // The last sleep before the first reading may have been before the kernel's clock was measured, or after.
        let isUnmeasured = marks == nil && !reading.marks.isAwake && !heardKernel
        if suspension != nil || isUnmeasured { kernelSync.expire() }
        if suspension == .uncounted { isTimeLost = true }
        marks = reading.marks
        if reading.opinion.source != .kernel || reading.opinion.kernel != nil {
            kernelSync.observe(reading.opinion.kernel, at: reading.monotonic)
        }
        return suspension
    }

    /// The opinion of the reading observed last rests on what the kernel said before a suspension.
    func isStale(_ opinion: ClockTrust.Opinion) -> Bool { opinion.kernel != nil && kernelSync.isStale }

    mutating func endLoss() { isTimeLost = false }

    /// Why no time is trusted, with what to do; nil where no suspension is the cause.
    var note: String? { isTimeLost ? Self.uncounted : kernelSync.isStale ? Self.unmeasured : nil }

    private static let uncounted =
        "the machine was suspended and no clock kept running: its time is lost until NTP or a receiver is available (or do not "
        + "let it be suspended: systemctl mask sleep.target suspend.target)"

    private static let unmeasured =
        "the machine was suspended, and its clock has not been measured since: it is believed again once the NTP client has heard a server "
        + "(to have it ask at once: systemctl restart systemd-timesyncd or chronyd)"
}

extension ClockMarks {
    /// The machine was not suspended since booting, as far as the kernel says.
    var isAwake: Bool { slept <= ClockDiscipline.jitter && suspensions ?? 0 == 0 }
}

extension ClockAnchor {
    /// The kernel knows how long it slept to the second of a battery-backed clock.
    private static let sleepError = Duration.seconds(2)

    /// The same after a suspension, during which CLOCK_MONOTONIC did not run; nil where its length is unknown. What
    /// counted the sleep has a crystal, too.
    func after(_ suspension: Suspension?) -> ClockAnchor? {
        guard let suspension else { return self }
        guard case .counted(let sleep) = suspension else { return nil }
        let drift = Duration.nanoseconds(Int64(Double(sleep.nanoseconds) * ClockDiscipline.anyDrift))
        return ClockAnchor(
            monotonic: monotonic, instant: instant + sleep, source: source,
            uncertainty: uncertainty + Self.sleepError + drift, carried: carried)
    }
}
