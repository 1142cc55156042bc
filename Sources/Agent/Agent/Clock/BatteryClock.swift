// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// A reading of a battery-backed clock (RTC) of this machine, for `ClockTrust`.
struct BatteryClock: Sendable, Hashable {
    /// `rtc0`.
    let name: String
    /// CLOCK_MONOTONIC of the reading.
    let monotonic: MonotonicTime
    /// UTC; the clock counts whole seconds: the middle of the one that it showed.
    let instant: Instant
    /// The most that its oscillator drifts, a ratio.
    let drift: Double

    /// The kernel writes only this one (CONFIG_RTC_SYSTOHC_DEVICE, which is rtc0 unless the kernel
    /// was configured otherwise).
    var isWritten: Bool { name == "rtc0" }

    /// Half a second of counting, half of setting: the kernel sets a clock to its second.
    static let resolution = Duration.seconds(1)

    func instant(at time: MonotonicTime) -> Instant { instant + (time - monotonic) }

    /// Every battery-backed clock that gives a time, read from sysfs (Linux drivers/rtc/sysfs.c:
    /// `since_epoch` in decimal seconds). One that has lost its power cannot be read. An RTC on I2C
    /// takes a millisecond.
    static func all(in folder: String = "/sys/class/rtc", clock: any StudyClock) -> [BatteryClock] {
        FolderListing.readable(folder).filter { $0.hasPrefix("rtc") }.compactMap { name in
            let before = clock.monotonic
            guard let text = try? BoundedFile.text("\(folder)/\(name)/since_epoch"), let seconds = Int64(text.trimmed)
            else { return nil }
            let chip = (try? BoundedFile.text("\(folder)/\(name)/device/name"))?.trimmed ?? ""
            return BatteryClock(
                name: name, monotonic: before + (clock.monotonic - before) / 2,
                instant: Instant(seconds: seconds) + .milliseconds(500),
                drift: compensated[chip] ?? ClockDiscipline.anyDrift)
        }
    }

    /// Chips that correct their crystal by its temperature, with the most that their data sheets
    /// give over the whole range and a year of ageing on top. Others follow their crystal's
    /// parabola: 100 ppm at the ends of it.
    private static let compensated = ["ds3231": 5e-6, "ds3232": 5e-6, "rv8803": 5e-6, "rv3032": 5e-6, "rx8900": 7e-6]
}

extension String {
    /// Without spaces and line ends at both ends.
    var trimmed: String {
        let kept = drop { $0.isWhitespace }
        return String(kept.reversed().drop { $0.isWhitespace }.reversed())
    }
}
