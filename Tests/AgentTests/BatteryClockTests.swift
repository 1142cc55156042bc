// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Simulation
import Testing

@testable import Agent

/// sysfs as Linux drivers/rtc/sysfs.c prints it: `since_epoch` "%lld\n"; `rtc_read_time` of a clock
/// that lost its power is an error, and so is reading the file.
@Suite struct BatteryClockTests {
    @Test func itIsReadFromSysfs() throws {
        let tree = try SysfsTree()
        tree["rtc0/since_epoch"] = "1795255200\n"
        tree["rtc0/device/name"] = "ds3231\n"
        tree["rtc0/hctosys"] = "1\n"
        tree["rtc1/since_epoch"] = ""
        let clock = VirtualClock(now: Instant(seconds: 60), monotonic: MonotonicTime(nanoseconds: 7_000_000_000))
        let found = BatteryClock.all(in: tree.path, clock: clock)
        #expect(found.map(\.name) == ["rtc0"] && found.first?.drift == 5e-6 && found.first?.isWritten == true)
        #expect(
            found.first?.instant(at: clock.monotonic + .seconds(10)) == Instant(seconds: 1_795_255_210)
                + .milliseconds(500))
        #expect(BatteryClock.all(in: tree.path + "/none", clock: clock).isEmpty)
    }

    /// CLOCK_MONOTONIC stands still while the machine is suspended, and the battery-backed clock goes on.
    @Test(arguments: [Duration.seconds(4), .seconds(8 * 3600)]) func aSleepMakesNoReadingOld(_ sleep: Duration) throws {
        let tree = try SysfsTree()
        let clock = VirtualClock(
            now: Instant(seconds: 1_795_255_200), monotonic: MonotonicTime(nanoseconds: 7_000_000_000))
        func tick() { tree["rtc0/since_epoch"] = "\(clock.now.seconds)\n" }
        tick()
        let batteries = ClockTrust.batteries(clock, in: tree.path)
        func differs() -> Duration? {
            batteries().first.map { (clock.now - $0.instant(at: clock.monotonic)).magnitude }
        }
        #expect(try #require(differs()) <= .seconds(1))
        clock.advance(to: clock.monotonic + .seconds(10))
        clock.suspend(for: sleep)
        tick()
        #expect(try #require(differs()) <= .seconds(1))
        let opinion = ClockTrust.judged(by: batteries(), vouched: false, at: clock.monotonic, wall: clock.now)
        #expect(opinion.source == .rtc && opinion.note == nil)
        // Awake, a reading is good for a minute.
        tree["rtc0/since_epoch"] = "0\n"
        clock.advance(to: clock.monotonic + .seconds(59))
        #expect(try #require(differs()) <= .seconds(1))
        clock.advance(to: clock.monotonic + .seconds(1))
        #expect(try #require(differs()) > .seconds(1))
    }

    /// A kernel without a clock that goes on meanwhile counts no sleep, but that there was one
    /// (`suspend_stats.success`).
    @Test func aSleepOfUnknownLengthMakesAReadingOld() throws {
        let tree = try SysfsTree()
        let clock = VirtualClock(now: Instant(seconds: 1_795_255_200))
        tree["rtc0/since_epoch"] = "1795255200\n"
        let batteries = ClockTrust.batteries(clock, in: tree.path)
        func shown() -> Instant? { batteries().first?.instant(at: clock.monotonic) }
        #expect(shown() == Instant(seconds: 1_795_255_200) + .milliseconds(500))
        tree["rtc0/since_epoch"] = "1795255230\n"
        #expect(shown() == Instant(seconds: 1_795_255_200) + .milliseconds(500), "it is good for a minute")
        clock.suspend(for: .seconds(30), isCounted: false)
        #expect(shown() == Instant(seconds: 1_795_255_230) + .milliseconds(500))
    }

    /// 2026 began at 1767225600. Where both are as far back there is no right one to set the other from.
    @Test(
        arguments: [
            (946_684_800, 0, "both say 2000-01-01"), (946_684_800, 3, "differ by 3s"), (1_767_225_600, 0, nil),
        ] as [(Int64, Int64, String?)])
    func anEmptyBatteryIsNamedAsTheCause(seconds: Int64, off: Int64, says: String?) {
        let battery = BatteryClock(name: "rtc0", monotonic: .zero, instant: Instant(seconds: seconds), drift: 5e-6)
        let opinion = ClockTrust.judged(
            by: [battery], vouched: false, at: .zero, wall: Instant(seconds: seconds + off))
        #expect((opinion.note == nil) == (says == nil) && opinion.note?.contains(says ?? "") != false)
    }

    /// `hctosys` is 1 in every row: the kernel did set its time from it once.
    @Test(arguments: [
        (Duration.milliseconds(900), true), (.milliseconds(-1900), true), (.seconds(3), false),
        (.seconds(-7200), false),
        (.seconds(3650 * 86_400), false),
    ])
    func onlyAgreementIsProof(off: Duration, isTrusted: Bool) {
        let instant = Instant(seconds: 1_795_255_200)
        let battery = BatteryClock(name: "rtc0", monotonic: .zero, instant: instant, drift: 5e-6)
        let opinion = ClockTrust.judged(by: [battery], vouched: false, at: .zero, wall: instant + off)
        #expect((opinion.source == .rtc) == isTrusted && (opinion.note == nil) == isTrusted)
        let vouched = ClockTrust.judged(by: [battery], vouched: true, at: .zero, wall: instant + off)
        #expect(vouched.source == (isTrusted ? .rtc : .vouched))
        #expect(opinion.batteries == [battery] && vouched.batteries == [battery], "a carried time is compared with it")
    }
}
