// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Where presses lie on the wall clock of a motion recording, for `EDFExporter`: by UTC; where the recording
/// does not know it, by CLOCK_MONOTONIC within one boot.
struct PressClock {
    private let description: RecordingDescription?
    /// Seconds from UTC to the recording's wall clock; nil where it does not say.
    private let offset: Int?
    /// The recording has no time of day.
    private let isUnknown: Bool

    init(_ series: MotionSeries) {
        // Of several files the first one's description will do: all are of one clock.
        description = series.description
        offset = MotionSeries.offset(series.header, series.description)
        isUnknown = series.header?["clock"] == "uptime"
    }

    /// Nil where the two have no clock in common.
    func wall(of press: ButtonPress) -> Instant? {
        if isUnknown {
            guard let boot = press.bootID, boot == description?.bootID else { return nil }
            return RecordingTimes.uptimeEpoch + .nanoseconds(Int64(press.uptime * 1e9))
        }
        return press.time.flatMap { time in offset.map { time + .seconds($0) } }
    }
}
