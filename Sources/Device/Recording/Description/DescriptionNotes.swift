// SPDX-License-Identifier: Apache-2.0
import Base

/// The lists of a description: how anchors, gaps and channels become its notes.
extension RecordingDescription {
    private static let anchorLimit = 64

    /// Lists an anchor; one that is listed already, or beyond the limit, is left out.
    mutating func record(_ anchor: ClockAnchor) {
        let note = AnchorNote(
            uptime: Double(anchor.monotonic.nanoseconds) / 1e9, time: anchor.instant.rfc3339(offset: 0),
            source: anchor.source.rawValue, uncertainty: anchor.uncertainty.seconds,
            carried: anchor.carried > .zero ? anchor.carried.seconds : nil)
        if anchors.count < Self.anchorLimit, !anchors.contains(note) { anchors.append(note) }
    }

    /// The most gaps that are listed; further ones are counted in `gapsOmitted`.
    package static let gapLimit = 1000

    mutating func record(_ gap: RecordingGap) {
        guard gaps.count < Self.gapLimit else {
            gapsOmitted += 1
            return
        }
        gaps.append(
            GapNote(
                startUptime: Double(gap.start.nanoseconds) / 1e9, endUptime: Double(gap.time.nanoseconds) / 1e9,
                samples: gap.samples, reason: "\(gap.reason)", position: gap.position))
    }
}

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

extension RecordingDescription.ChannelNote {
    /// A channel with numbers in the file as the source counts them.
    init(_ channel: Channel) {
        self.init(
            name: channel.name, unit: channel.unit.rawValue, scale: channel.scale, offset: channel.offset,
            resolution: channel.resolution)
    }

    /// A channel with numbers in the file that count steps of `scale`; with `decimals` they are the unit
    /// itself (`scale` is 1), of which the last decimal is the resolution.
    init(_ channel: Channel, inSteps scale: Double, decimals: Int? = nil) {
        let step = decimals.map { (0..<$0).reduce(1.0) { value, _ in value / 10 } } ?? scale
        self.init(
            name: channel.name, unit: channel.unit.rawValue, scale: scale, offset: 0,
            resolution: max(channel.resolution, step), sensorScale: abs(channel.scale))
    }
}
