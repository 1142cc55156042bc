// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import Study

/// What is recorded all the time, and what features of it are wanted: `FeatureTap` makes one for each source.
struct RecordedMeasure {
    let measured: RecorderThread.Source
    let settings: FeatureSettings
    let origin: RecordingOrigin
    let folder: RecordingFolder

    var source: SourceDescription { measured.source }
    var input: RecorderInput { measured.input }
}

/// A `FeatureRecording` of any kind of samples, as `FeatureTap` holds it.
protocol SealingFeatures {
    /// Samples of that span count as missing.
    func withhold(_ span: Range<MonotonicTime>)
    func updateOffset(from anchors: [ClockAnchor], at now: MonotonicTime)
    func drain() -> [SealedRecording]
    func stop() -> [SealedRecording]
    /// Epochs that were completed since the last call; none unless they are published.
    func takeEpochs() -> [FeatureEpoch]
}

/// The features of one stream of samples, and their recording. `FeatureTap` calls it on the recorder thread: in each
/// round `updateOffset`, then `add` and `beginGap` as samples come, then `drain` and `takeEpochs`; `stop` at the end.
///
/// Epochs are multiples of their length in UTC; while that is unknown, of the uptime. A clock that
/// is set by more than half a second ends what is open and begins again.
final class FeatureRecording<Sample: FeatureSample>: SealingFeatures {
    /// Smaller corrections move the next samples.
    private static var step: Duration { .milliseconds(500) }

    private(set) var run: FeatureRun<Sample>
    /// Samples are missing now: true from `beginGap` until the next sample.
    private(set) var isInGap = false
    /// When the last sample was taken; nil before the first.
    private(set) var lastSample: MonotonicTime?
    /// A run without samples, with which `run` begins again.
    private let fresh: FeatureRun<Sample>
    private let ring = FrameRing(capacity: 64, repeating: FeatureFrame([], time: .zero, start: nil))
    private let recorder: Recorder<FeatureCSVWriter>
    /// From uptime to UTC; nil while that is unknown.
    private var offset: Duration?
    /// The participant's last pause of the sensors: its samples count as missing.
    private var withheld: Range<MonotonicTime>?
    /// Why samples were missing last.
    private var reason = LossReason.notRunning
    private var lastEpoch: Instant?
    private var sealed: [SealedRecording] = []
    private let isPublished: Bool
    private let source: String
    private var published: [FeatureEpoch] = []
    /// As `updateOffset` had them last.
    private var (now, anchors) = (MonotonicTime.zero, [ClockAnchor]())

    /// Nil without a feature. `rate` is that of the samples, `prefix` names the stream in the column of
    /// its coverage and in its recording.
    init?(_ features: [any Feature<Sample>], rate: Double, prefix: String = "", _ beside: RecordedMeasure) {
        guard !features.isEmpty else { return nil }
        (isPublished, source) = (beside.settings.isPublished, beside.source.kind.rawValue)
        fresh = FeatureRun(features, epoch: beside.settings.epoch, rate: rate)
        run = fresh
        recorder = Self.recorder(fresh.columns, prefix, beside, ring)
    }

    private static func recorder(
        _ columns: [FeatureColumn], _ prefix: String, _ beside: RecordedMeasure, _ ring: FrameRing<FeatureFrame>
    ) -> Recorder<FeatureCSVWriter> {
        let measured = beside.measured
        let source = SourceDescription(
            kind: .features, device: measured.source.device, location: measured.source.location, channels: [],
            nominalRate: 1 / beside.settings.epoch.length.seconds, fullScale: 0)
        let measure = MeasureConfiguration(
            identifier: prefix + MeasureKind.features.rawValue, format: .features, rotation: beside.settings.rotation,
            syncInterval: .seconds(60), bodyLocation: measured.measure.bodyLocation, longestGap: .seconds(86_400))
        let all = columns + [FeatureColumn(prefix + "coverage", "1", decimals: 3)]
        return Recorder(
            ring: ring, encoder: FeatureCSVWriter(columns: all.map { ($0.name, $0.unit, $0.decimals) }), source: source,
            measure: measure, origin: beside.origin, folder: beside.folder)
    }

    func withhold(_ span: Range<MonotonicTime>) { withheld = span }

    /// To be called before samples are added. The epochs of a clock that was set meanwhile are over.
    func updateOffset(from anchors: [ClockAnchor], at now: MonotonicTime) {
        (self.now, self.anchors) = (now, anchors)
        guard let anchor = anchors.last(where: \.isTrusted) else { return }
        let offset = anchor.instant(at: now) - Instant(nanoseconds: now.nanoseconds)
        if self.offset.map({ ($0 - offset).magnitude > Self.step }) ?? true {
            record(run.finish())
            run = fresh
            lastEpoch = nil
        }
        self.offset = offset
    }

    /// Takes the next sample, which `sample` makes for its time in UTC.
    func add(at time: MonotonicTime, _ sample: (Instant) -> Sample) {
        if withheld?.contains(time) == true { return beginGap(.privacy) }
        // The recorder hands on no sample that it withheld: a pause shows in the times alone.
        if let withheld, let lastSample, lastSample < time, withheld.overlaps(lastSample..<time) { beginGap(.privacy) }
        (isInGap, lastSample) = (false, time)
        record(run.add(sample(Instant(nanoseconds: time.nanoseconds) + (offset ?? .zero))))
    }

    func beginGap(_ reason: LossReason) {
        guard !isInGap else { return }
        (isInGap, self.reason) = (true, reason)
        run.recordGap()
    }

    func drain() -> [SealedRecording] {
        sealed += recorder.drain(at: now, anchors: anchors)
        return takeSealed()
    }

    /// Seals everything; epochs that are not over are recorded as far as they came.
    func stop() -> [SealedRecording] {
        record(run.finish())
        sealed += recorder.stop(at: now, anchors: anchors)
        return takeSealed()
    }

    func takeEpochs() -> [FeatureEpoch] {
        defer { published = [] }
        return published
    }

    func uptime(_ time: Instant) -> MonotonicTime {
        MonotonicTime(nanoseconds: (time - (offset ?? .zero)).nanoseconds)
    }

    private func takeSealed() -> [SealedRecording] {
        defer { sealed = [] }
        return sealed
    }

    private func record(_ rows: [FeatureRow]) {
        for row in rows {
            let start = row.epoch.lowerBound
            let before = lastEpoch
            lastEpoch = start
            // Before the boot there is no uptime to name.
            let time = uptime(start)
            guard time >= .zero else { continue }
            let missing = before.map { Int((start - $0).seconds / run.epoch.length.seconds) - 1 } ?? 0
            ring.push(
                FeatureFrame(
                    row.values + [row.coverage], time: time, start: offset == nil ? nil : start,
                    missing: max(0, missing), reason: reason))
            publish(row)
            if ring.count == ring.capacity { sealed += recorder.drain(at: now, anchors: anchors) }
        }
    }

    /// While the time of day is not known there is nothing to show.
    private func publish(_ row: FeatureRow) {
        guard isPublished, offset != nil else { return }
        published.append(
            FeatureEpoch(
                source: source, start: row.epoch.lowerBound, length: run.epoch.length, columns: run.columns.map(\.name),
                values: row.values, coverage: row.coverage))
    }
}
