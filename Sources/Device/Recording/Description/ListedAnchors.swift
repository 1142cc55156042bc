// SPDX-License-Identifier: Apache-2.0
import Base

extension RecordingDescription.AnchorNote {
    /// The clock anchor that the note describes; nil where its time or source cannot be read.
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

extension RecordingDescription {
    /// The most anchors that are listed.
    private static let anchorLimit = 64

    /// Lists an anchor; one that is listed already, or beyond the limit, is left out.
    mutating func record(_ anchor: ClockAnchor) {
        let note = AnchorNote(
            uptime: Double(anchor.monotonic.nanoseconds) / 1e9, time: anchor.instant.rfc3339(offset: 0),
            source: anchor.source.rawValue, uncertainty: anchor.uncertainty.seconds,
            carried: anchor.carried > .zero ? anchor.carried.seconds : nil)
        if anchors.count < Self.anchorLimit, !anchors.contains(note) { anchors.append(note) }
    }
}
