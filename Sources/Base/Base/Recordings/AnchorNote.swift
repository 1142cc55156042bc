// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// One anchor (`ClockAnchor`) of the boot in which the file was recorded, in the file's description;
    /// `ClockNote` in the lab reads it.
    package struct AnchorNote: Sendable, Hashable, Codable {
        /// CLOCK_MONOTONIC in seconds.
        package var uptime: Double
        /// UTC, RFC 3339.
        package var time: String
        /// `kernel`, `rtc`, `gps`, `vouched`, `simulated`.
        package var source: String
        /// Seconds; the true time lies within this much on either side.
        package var uncertainty: Double
        /// Seconds since the source was last heard; absent where it was heard at that moment.
        package var carried: Double?

        package init(uptime: Double, time: String, source: String, uncertainty: Double, carried: Double? = nil) {
            self.uptime = uptime
            self.time = time
            self.source = source
            self.uncertainty = uncertainty
            self.carried = carried
        }
    }
}
