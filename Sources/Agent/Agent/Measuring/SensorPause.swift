// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The participant's last pause of the sensors, where the log does not say that it ended; `StartSequence` continues
/// it, `Recovery` accounts for it. Pure.
struct SensorPause: Sendable, Hashable {
    let bootID: String
    /// CLOCK_MONOTONIC of that boot.
    let began: MonotonicTime
    let length: Duration
    /// When it began, in UTC; nil where no reference vouched for that boot's clock.
    let instant: Instant?

    var span: Range<MonotonicTime> { began..<began + max(.zero, length) }

    /// The part of the pause that lies in the boot `boot`. After a reboot what has passed counts only where both
    /// boots know UTC: `StartSequence` calls the present clock trusted when it is at most a minute off. Otherwise the
    /// whole length begins again at `now`: too short a pause would measure what was not to be measured.
    func span(at now: Moment, boot: String, isTrusted: Bool) -> Range<MonotonicTime> {
        guard boot != bootID else { return span }
        let passed = isTrusted ? instant.map { max(.zero, now.instant - $0) } ?? .zero : .zero
        return .zero..<now.monotonic + max(.zero, length - passed)
    }
}
