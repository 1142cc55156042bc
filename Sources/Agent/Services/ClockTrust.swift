// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Times

/// Who vouches for the wall clock now.
public struct ClockTrust: Sendable {
    /// Gives the source and the largest error to be expected.
    public typealias Judge = @Sendable () -> (source: ClockAnchor.Source, uncertainty: Duration)
    private let judge: Judge

    /// A clock judged by that rule.
    public init(_ judge: @escaping Judge) { self.judge = judge }

    /// The kernel's word (adjtimex(2)), else that of a battery-backed clock from which the kernel set its time at boot; with
    /// `vouched` the configuration's.
    public static func system(vouched: Bool) -> ClockTrust {
        ClockTrust {
            let error = clinux_clock_error()
            if error >= 0 { return (.kernel, .microseconds(Int64(max(error, 1)))) }
            if access("/sys/class/rtc/rtc0/hctosys", R_OK) == 0, readsOne("/sys/class/rtc/rtc0/hctosys") {
                return (.rtc, .seconds(2))
            }
            return vouched ? (.rtc, .seconds(2)) : (.unknown, .seconds(0))
        }
    }

    /// Who vouches now, and how well.
    var opinion: (source: ClockAnchor.Source, uncertainty: Duration) { judge() }

    /// An anchor of `clock` now. The judge is asked first, since it may decide which clock that is.
    public func anchor(_ clock: any StudyClock) -> ClockAnchor {
        let (source, uncertainty) = judge()
        let before = clock.monotonic
        let instant = clock.now
        let reading = clock.monotonic - before
        return ClockAnchor(
            monotonic: before + reading / 2, instant: instant, source: source, uncertainty: uncertainty + reading)
    }

    private static func readsOne(_ path: String) -> Bool {
        (try? BoundedFile.text(path))?.hasPrefix("1") ?? false
    }
}
