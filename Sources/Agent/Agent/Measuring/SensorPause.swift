// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The participant's last pause of the sensors, of which the log has no end. Pure.
struct SensorPause: Sendable, Hashable {
    let bootID: String
    /// CLOCK_MONOTONIC of that boot.
    let began: MonotonicTime
    let length: Duration
    /// When it began, in UTC; nil where no reference vouched for that boot's clock.
    let instant: Instant?

    var span: Range<MonotonicTime> { began..<began + max(.zero, length) }

    /// The part of the pause that lies in this boot. After a reboot with an untrusted clock it lasts its whole
    /// length once more: too long is better than too short.
    func span(at now: Moment, boot: String, isTrusted: Bool) -> Range<MonotonicTime> {
        guard boot != bootID else { return span }
        let passed = isTrusted ? instant.map { max(.zero, now.instant - $0) } ?? .zero : .zero
        return .zero..<now.monotonic + max(.zero, length - passed)
    }
}
