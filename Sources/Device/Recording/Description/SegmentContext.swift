// SPDX-License-Identifier: Apache-2.0
import Base

/// What an encoder must know when a file begins; `Recorder` makes it.
package struct SegmentContext: Sendable {
    package let number: Int
    package let source: SourceDescription
    package let measure: MeasureConfiguration
    package let origin: RecordingOrigin
    /// CLOCK_MONOTONIC of the first sample.
    package let start: MonotonicTime
    /// The one anchor of the whole file; nil while no source vouches for the time. Times are then
    /// written so that they can be put right afterwards.
    package let anchor: ClockAnchor?
    /// Seconds east of UTC in force when the file began, 0 without an anchor.
    package let offset: Int

    package init(
        number: Int, source: SourceDescription, measure: MeasureConfiguration, origin: RecordingOrigin,
        start: MonotonicTime, anchor: ClockAnchor?
    ) {
        self.number = number
        self.source = source
        self.measure = measure
        self.origin = origin
        self.start = start
        self.anchor = anchor
        offset = anchor.map { origin.zone.period(at: $0.instant(at: start)).offset } ?? 0
    }

    /// UTC as text, empty while it is unknown.
    func utc(_ time: MonotonicTime) -> String { anchor.map { $0.instant(at: time).rfc3339(offset: 0) } ?? "" }
}
