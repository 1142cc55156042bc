// SPDX-License-Identifier: Apache-2.0
import Times

extension RecordingDescription {
    /// One anchor of the file's boot.
    package struct AnchorNote: Sendable, Hashable, Codable {
        /// CLOCK_MONOTONIC in seconds.
        package var uptime: Double
        /// UTC, RFC 3339.
        package var time: String
        /// `kernel`, `rtc`, `gps`, `vouched`, `simulated`.
        package var source: String
        /// Seconds, one side.
        package var uncertainty: Double
        /// Seconds since the source was heard last; absent where it vouched at that moment.
        package var carried: Double?

        package init(uptime: Double, time: String, source: String, uncertainty: Double, carried: Double? = nil) {
            self.uptime = uptime
            self.time = time
            self.source = source
            self.uncertainty = uncertainty
            self.carried = carried
        }

        /// The anchor; nil where its text is none.
        var anchor: ClockAnchor? {
            guard let instant = Instant.parsed(time), let source = ClockAnchor.Source(rawValue: source) else {
                return nil
            }
            return ClockAnchor(
                monotonic: MonotonicTime(seconds: uptime), instant: instant, source: source,
                uncertainty: .nanoseconds(Int64(max(0, min(1e9, uncertainty)) * 1e9)),
                carried: .nanoseconds(Int64(max(0, min(1e9, carried ?? 0)) * 1e9)))
        }
    }

    /// The most anchors that are listed.
    private static let anchorLimit = 64

    /// Lists an anchor, once.
    mutating func record(_ anchor: ClockAnchor) {
        let note = AnchorNote(
            uptime: Double(anchor.monotonic.nanoseconds) / 1e9, time: anchor.instant.rfc3339(offset: 0),
            source: anchor.source.rawValue, uncertainty: anchor.uncertainty.seconds,
            carried: anchor.carried > .zero ? anchor.carried.seconds : nil)
        if anchors.count < Self.anchorLimit, !anchors.contains(note) { anchors.append(note) }
    }
}
