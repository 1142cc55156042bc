// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Agent

/// A device's clocks over a day, second by second: a crystal, the kernel's steering after Linux
/// kernel/time/ntp.c, and an NTP client like systemd-timesyncd (src/timesync/timesyncd-manager.c,
/// `manager_adjust_clock`).
///
/// - `second_overflow`: `ntp_offset_chunk` = time_offset >> (SHIFT_PLL 2 + time_constant) of the
///   offset is slewed each second, the frequency is added; maxerror grows by 500 µs and STA_UNSYNC
///   is set beyond 16 s.
/// - `ntp_update_offset`: the offset is clamped to MAXPHASE (0.5 s), the frequency moves by offset
///   × seconds >> 2 × (SHIFT_PLL + 2 + time_constant) and stays within MAXFREQ (500 ppm).
/// - the client: a step (ADJ_SETOFFSET) from NTP_MAX_ADJUST 0.4 s on, else ADJ_OFFSET with time
///   constant log2(poll) - 4; polls every 32 to 2048 s.
struct SteeredMachine: Sendable {
    /// True UTC at the beginning.
    let start = Instant(seconds: 1_795_255_200)
    /// CLOCK_MONOTONIC at each true second.
    private(set) var monotonic = [100.0]
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC now, as UTC.
    private(set) var wallAtZero: Instant
    private(set) var second = 0
    private var frequency = 0.0
    private var offset = 0.0
    private var constant = 1
    private var lastContact = 0
    private var maximumError = 16.0
    private(set) var isSynchronised = false
    private var marks = ClockMarks(suspensions: 0)
    private let crystal: @Sendable (Int) -> Double
    var custody = ClockDiscipline()
    private(set) var anchors: [ClockAnchor] = []

    /// A machine that believes it is `wrong` ahead when it starts, with a crystal of that error (a
    /// ratio) at each second.
    init(wrong: Duration, crystal: @escaping @Sendable (Int) -> Double) {
        wallAtZero = start + wrong - .seconds(100)
        self.crystal = crystal
    }

    var now: MonotonicTime { at(monotonic[second]) }
    var wall: Instant { wallAtZero + (now - .zero) }
    private var truth: Instant { start + .seconds(second) }
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// CLOCK_MONOTONIC at a true time, in seconds since the beginning.
    func monotonic(at time: Double) -> MonotonicTime {
        let whole = min(max(0, Int(time)), second - 1)
        return at(monotonic[whole] + (time - Double(whole)) * (monotonic[whole + 1] - monotonic[whole]))
    }

    /// True UTC at a reading of CLOCK_MONOTONIC.
    func utc(at time: MonotonicTime) -> Instant {
        let value = Double(time.nanoseconds) / 1e9
        var (low, high) = (0, second - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if monotonic[middle] <= value { low = middle } else { high = middle - 1 }
        }
        let part = (value - monotonic[low]) / (monotonic[low + 1] - monotonic[low])
        return start + .nanoseconds(Int64((Double(low) + part) * 1e9))
    }

    /// A second goes by.
    mutating func tick() {
        let chunk = offset / Double(1 << (2 + constant))
        offset -= chunk
        monotonic.append(monotonic[second] + (1 + crystal(second)) * (1 + frequency) + chunk)
        second += 1
        maximumError += 500e-6
        if maximumError > 16 { isSynchronised = false }
    }

    /// The client hears a server that is `error` off.
    mutating func contact(error: Double, poll: Int) {
        let off = (truth - wall).seconds + error
        constant = max(0, poll.trailingZeroBitCount - 4)
        if abs(off) >= 0.4 {
            wallAtZero = wallAtZero + .nanoseconds(Int64(off * 1e9))
            offset = 0
        } else {
            let since = min(second - lastContact, 1 << (3 + constant))
            frequency += off * Double(since) / Double(1 << (2 * (4 + constant)))
            frequency = max(-500e-6, min(500e-6, frequency))
            offset = off
        }
        lastContact = second
        (isSynchronised, maximumError) = (true, 0)
    }

    /// Somebody who knows better steps the clock (clock_settime clears what the client
    /// said: `ntp_clear`).
    mutating func set(error: Double) {
        wallAtZero = wallAtZero + (truth - wall) + .nanoseconds(Int64(error * 1e9))
        (isSynchronised, maximumError, offset) = (false, 16, 0)
    }

    /// The machine sleeps: CLOCK_MONOTONIC stands still, and nothing of the NTP state is touched
    /// (`timekeeping_resume`). The kernel's count is `off`.
    mutating func suspend(_ seconds: Int, countedOff off: Double) {
        for _ in 0..<seconds { monotonic.append(monotonic[second]) }
        second += seconds
        let counted = Duration.nanoseconds(Int64((Double(seconds) + off) * 1e9))
        wallAtZero = wallAtZero + counted
        marks.slept = marks.slept + counted
        marks.suspensions = (marks.suspensions ?? 0) + 1
    }

    /// What the agent does with it: looks, and notes an anchor every five minutes, at a step and
    /// where the source is another.
    mutating func observe() {
        let kernel = KernelClock(
            isSynchronised: isSynchronised, maximumError: .nanoseconds(Int64(maximumError * 1e9)),
            estimatedError: .zero,
            offset: .nanoseconds(Int64(offset * 1e9)))
        marks.raw = now
        custody.observe(.init(opinion: kernel.opinion ?? .unknown, monotonic: now, wall: wall, marks: marks))
        let held = custody.opinion(at: now, wall: wall)
        let instant = custody.instant(at: now, wall: wall)
        if let last = anchors.last {
            let isStep = (instant - last.instant(at: now)).magnitude > .milliseconds(500)
            guard isStep || held.source != last.source || now - last.monotonic > .seconds(300) else { return }
        }
        anchors.append(
            ClockAnchor(
                monotonic: now, instant: instant, source: held.source, uncertainty: held.uncertainty,
                carried: held.carried))
    }
}
