// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A pause of the sensors that the log does not know to be over. Pure.
struct SensorPause: Sendable, Hashable {
    let bootID: String
    /// In that boot.
    let began: MonotonicTime
    let length: Duration
    /// The same in UTC; nil where no reference vouched for that boot's clock.
    let instant: Instant?

    /// In its own boot.
    var span: Range<MonotonicTime> { began..<began + max(.zero, length) }

    /// What of it lies in this boot. After a restart of the device with an unknown clock it lasts its
    /// whole length once more: rather too long than too short.
    func span(at now: Moment, boot: String, isTrusted: Bool) -> Range<MonotonicTime> {
        guard boot != bootID else { return span }
        let passed = isTrusted ? instant.map { max(.zero, now.instant - $0) } ?? .zero : .zero
        return .zero..<now.monotonic + max(.zero, length - passed)
    }
}
