// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import Study

/// Computes features of the acceleration beside its recorder, and records them. Lives on the
/// recorder thread.
///
/// Epochs are multiples of their length in UTC; while that is unknown, of the uptime. A clock that
/// is set by more than half a second ends what is open and begins again.
final class FeatureTap {
    /// Smaller corrections move the next samples.
    private static let step = Duration.milliseconds(500)
    /// Without a sample for so long it is not known whether the device is worn.
    private static let silence = Duration.seconds(120)

    private let settings: FeatureSettings
    private let input: FrameRing<VectorFrame>
    private let ring = FrameRing(capacity: 64, repeating: FeatureFrame([], time: .zero, start: nil))
    private let recorder: Recorder<FeatureCSVWriter>
    private var feed: MotionFeed
    private var run: FeatureRun<MotionSample>
    /// From uptime to UTC; nil while that is unknown.
    private var offset: Duration?
    private var withheld: Range<MonotonicTime>?
    private var isInGap = false
    private var reason = LossReason.notRunning
    private var lastSample: MonotonicTime?
    private var lastEpoch: Instant?
    private var notWornSince: Instant?
    private var reported: MonotonicTime?
    private var sealed: [SealedRecording] = []

    /// Nil where no acceleration is measured. Throws where its source has not three axes.
    init?(
        _ settings: FeatureSettings, _ sources: [RecorderThread.Source], _ recorders: [any SampleRecorder],
        origin: RecordingOrigin, folder: RecordingFolder
    ) throws {
        guard let place = sources.firstIndex(where: { $0.source.channels.contains { $0.unit == .standardGravity } })
        else { return nil }
        let (source, input) = (sources[place].source, sources[place].input.another())
        guard case .vectors(let ring) = input, recorders[place].mirror(into: input) else { return nil }
        self.settings = settings
        self.input = ring
        feed = try MotionFeed(source)
        run = Self.run(settings, feed.rate)
        recorder = Self.recorder(
            settings, run.columns, sources[place], self.ring, origin: origin, folder: folder)
    }

    private static func run(_ settings: FeatureSettings, _ rate: Double) -> FeatureRun<MotionSample> {
        FeatureRun(
            FeatureCatalog.motion(settings.names, MotionSetting(epoch: settings.epoch, rate: rate)),
            epoch: settings.epoch, rate: rate)
    }

    private static func recorder(
        _ settings: FeatureSettings, _ columns: [FeatureColumn], _ measured: RecorderThread.Source,
        _ ring: FrameRing<FeatureFrame>, origin: RecordingOrigin, folder: RecordingFolder
    ) -> Recorder<FeatureCSVWriter> {
        let source = SourceDescription(
            kind: .features, device: measured.source.device, location: measured.source.location, channels: [],
            nominalRate: 1 / settings.epoch.length.seconds, fullScale: 0)
        let measure = MeasureConfiguration(
            identifier: MeasureKind.features.rawValue, format: .features, rotation: settings.rotation,
            syncInterval: .seconds(60), bodyLocation: measured.measure.bodyLocation, longestGap: .seconds(86_400))
        let all = columns + [FeatureColumn("coverage", "1", decimals: 3)]
        return Recorder(
            ring: ring, encoder: FeatureCSVWriter(columns: all.map { ($0.name, $0.unit, $0.decimals) }), source: source,
            measure: measure, origin: origin,
            folder: folder)
    }

    /// What is measured in that span is as good as not measured.
    func withhold(_ span: Range<MonotonicTime>) { withheld = span }

    /// After the measures were drained: the files that were sealed, and what changed about wear.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [RecorderNews] {
        take(at: now, anchors)
        sealed += recorder.drain(at: now, anchors: anchors)
        return takeSealed() + wear(at: now)
    }

    /// Seals everything; epochs that are not over are recorded as far as they came.
    func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [RecorderNews] {
        take(at: now, anchors)
        record(run.finish(), at: now, anchors)
        sealed += recorder.stop(at: now, anchors: anchors)
        return takeSealed()
    }

    private func takeSealed() -> [RecorderNews] {
        defer { sealed = [] }
        return sealed.isEmpty ? [] : [.sealed(sealed)]
    }

    private func take(at now: MonotonicTime, _ anchors: [ClockAnchor]) {
        follow(anchors, at: now)
        while let frame = input.pop() {
            for item in feed.add(frame) { handle(item, at: now, anchors) }
        }
    }

    private func handle(_ item: MotionFeed.Item, at now: MonotonicTime, _ anchors: [ClockAnchor]) {
        switch item {
        case .gap(let reason): beginGap(reason)
        case .sample(let time, _, _, _) where withheld?.contains(time) == true: beginGap(.privacy)
        case .sample(let time, let x, let y, let z):
            isInGap = false
            lastSample = time
            record(run.add(MotionSample(time: instant(time), x: x, y: y, z: z)), at: now, anchors)
        }
    }

    private func beginGap(_ reason: LossReason) {
        guard !isInGap else { return }
        (isInGap, self.reason) = (true, reason)
        run.gap()
    }

    // MARK: The wall clock

    private func instant(_ time: MonotonicTime) -> Instant {
        Instant(nanoseconds: time.nanoseconds) + (offset ?? .zero)
    }

    private func uptime(_ time: Instant) -> MonotonicTime {
        MonotonicTime(nanoseconds: (time - (offset ?? .zero)).nanoseconds)
    }

    private func follow(_ anchors: [ClockAnchor], at now: MonotonicTime) {
        guard let anchor = anchors.last(where: \.isTrusted) else { return }
        let offset = anchor.instant(at: now) - Instant(nanoseconds: now.nanoseconds)
        if self.offset.map({ ($0 - offset).magnitude > Self.step }) ?? true {
            // The epochs so far are of the clock before.
            record(run.finish(), at: now, anchors)
            run = Self.run(settings, feed.rate)
            (lastEpoch, notWornSince) = (nil, nil)
        }
        self.offset = offset
    }

    // MARK: What is recorded and reported

    private func record(_ rows: [FeatureRow], at now: MonotonicTime, _ anchors: [ClockAnchor]) {
        for row in rows {
            let start = row.epoch.lowerBound
            let before = lastEpoch
            lastEpoch = start
            // Before the boot there is no uptime to name.
            let time = uptime(start)
            guard time >= .zero else { continue }
            let missing = before.map { Int((start - $0).seconds / settings.epoch.length.seconds) - 1 } ?? 0
            ring.push(
                FeatureFrame(
                    row.values + [row.coverage], time: time, start: offset == nil ? nil : start,
                    missing: max(0, missing), reason: reason))
            if ring.count == ring.capacity { sealed += recorder.drain(at: now, anchors: anchors) }
        }
    }

    /// Once when it changes. The moment at which it was put down stays the one that was found first.
    private func wear(at now: MonotonicTime) -> [RecorderNews] {
        let isHeard = lastSample.map { now - $0 < Self.silence } ?? false
        let found = isHeard && !isInGap ? run.notWornSince : nil
        notWornSince = found == nil ? nil : notWornSince ?? found
        let since = notWornSince.map(uptime)
        guard (since == nil) != (reported == nil) else { return [] }
        reported = since
        return [.notWorn(since: since)]
    }
}
