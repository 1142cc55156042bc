// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import Study

/// Computes what a study's rules look at from the acceleration, beside its recorder. `RecorderLoop` has one, on the
/// recorder thread.
///
/// Only epochs with a time of day are sent; when the clock is set by more than half a second, all epochs
/// begin again.
final class RuleTap {
    /// Smaller corrections move the next samples.
    private static let step = Duration.milliseconds(500)
    private static let source = "accelerometer"

    private let features: [RuleFeature]
    /// The recorder copies its frames into it.
    private let input: FrameRing<VectorFrame>
    /// The recorder of the same samples; its open file is named in the epochs.
    private let recorder: any SampleRecorder
    private var feed: MotionFeed
    /// One for each length of epoch.
    private var runs: [FeatureRun<MotionSample>] = []
    /// From uptime to UTC; nil while that is unknown.
    private var offset: Duration?
    /// When `offset` became known. Epochs that had begun before are not sent, so that the recording and the
    /// log's anchors show which epochs the rules saw.
    private var offsetSince: (uptime: MonotonicTime, instant: Instant) = (.zero, .epoch)
    private var withheld: Range<MonotonicTime>?
    private var isInGap = false

    /// Nil where no rule looks at acceleration, or none is measured. Throws where its source has not
    /// three axes.
    init?(_ features: [RuleFeature], _ sources: [RecorderThread.Source], _ recorders: [any SampleRecorder]) throws {
        self.features = features.filter { $0.source == Self.source }
        guard !self.features.isEmpty,
            let place = sources.firstIndex(where: { $0.source.channels.contains { $0.unit == .standardGravity } })
        else { return nil }
        let input = sources[place].input.emptyCopy()
        guard case .vectors(let ring) = input, recorders[place].mirror(into: input) else { return nil }
        (self.input, recorder) = (ring, recorders[place])
        feed = try MotionFeed(sources[place].source)
        runs = Self.runs(self.features, feed.rate)
    }

    static func runs(_ features: [RuleFeature], _ rate: Double) -> [FeatureRun<MotionSample>] {
        Set(features.map(\.epoch)).sorted().compactMap { length in
            guard let epoch = Epoch(length) else { return nil }
            let names = Set(features.filter { $0.epoch == length }.map(\.kind))
            return FeatureRun(
                FeatureCatalog.motion(names, MotionSetting(epoch: epoch, rate: rate)), epoch: epoch, rate: rate)
        }
    }

    /// Samples of that span count as missing.
    func withhold(_ span: Range<MonotonicTime>) { withheld = span }

    /// After the measures were drained: the epochs that are complete.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [RecorderNews] {
        updateOffset(from: anchors, at: now)
        var epochs: [FeatureEpoch] = []
        while let frame = input.pop() {
            for item in feed.add(frame) { epochs += take(item) }
        }
        return epochs.isEmpty ? [] : [.epochs(epochs)]
    }

    private func take(_ item: MotionFeed.Item) -> [FeatureEpoch] {
        guard let offset, case .sample(let time, let x, let y, let z) = item, time >= offsetSince.uptime,
            withheld?.contains(time) != true
        else {
            beginGap()
            return []
        }
        isInGap = false
        let sample = MotionSample(time: Instant(nanoseconds: time.nanoseconds) + offset, x: x, y: y, z: z)
        return runs.indices.flatMap { index in
            runs[index].add(sample).filter { $0.epoch.lowerBound >= offsetSince.instant }.map {
                epoch($0, of: runs[index])
            }
        }
    }

    private func epoch(_ row: FeatureRow, of run: FeatureRun<MotionSample>) -> FeatureEpoch {
        // Files are called by their numbers.
        let number = recorder.openFile.flatMap { Int($0.prefix { $0.isNumber }) }
        return FeatureEpoch(
            source: Self.source, start: row.epoch.lowerBound, length: run.epoch.length,
            columns: run.columns.map(\.name), values: row.values, coverage: row.coverage, recording: number)
    }

    private func beginGap() {
        guard !isInGap else { return }
        isInGap = true
        for index in runs.indices { runs[index].recordGap() }
    }

    /// Takes the offset from the newest trusted anchor; where it moved by more than `step`, begins the epochs again.
    private func updateOffset(from anchors: [ClockAnchor], at now: MonotonicTime) {
        guard let anchor = anchors.last(where: \.isTrusted) else { return }
        let offset = anchor.instant(at: now) - Instant(nanoseconds: now.nanoseconds)
        if self.offset.map({ ($0 - offset).magnitude > Self.step }) ?? true {
            (runs, offsetSince) = (Self.runs(features, feed.rate), (anchor.monotonic, anchor.instant))
        }
        self.offset = offset
    }
}
