// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import Study

/// Computes features of what is measured beside its recorders, and records them: of acceleration, of
/// sound levels and of positions, each by itself. The recorders copy what they take into the rings here
/// (`mirror`). `RecorderLoop` has one, on the recorder thread.
final class FeatureTap {
    /// Without a sample for so long it is not known whether the device is worn.
    static let silence = Duration.seconds(120)

    private var motion: Motion?
    private let sound: (levels: FrameRing<LevelFrame>, features: FeatureRecording<LevelSample>)?
    private let visits: (places: FrameRing<PlaceFrame>, features: FeatureRecording<PositionSample>)?
    private var notWornSince: Instant?
    /// What the last `.notWorn` said; nil = worn.
    private var reported: MonotonicTime?

    private struct Motion {
        let input: FrameRing<VectorFrame>
        var feed: MotionFeed
        let features: FeatureRecording<MotionSample>
    }

    /// Nil where nothing is measured that the features need. Throws where the source of acceleration
    /// has not three axes.
    init?(
        _ settings: FeatureSettings, _ sources: [RecorderThread.Source], _ recorders: [any SampleRecorder],
        _ position: PositionWatch? = nil, origin: RecordingOrigin, folder: RecordingFolder
    ) throws {
        func first(where fits: (SourceDescription) -> Bool) -> (any SampleRecorder, RecordedMeasure)? {
            sources.firstIndex { fits($0.source) }.map { place in
                let measure = RecordedMeasure(
                    measured: sources[place], settings: settings, origin: origin, folder: folder)
                return (recorders[place], measure)
            }
        }
        motion = try first { $0.channels.contains { $0.unit == .standardGravity } }.flatMap(Self.motion)
        sound = first { $0.kind == .sound }.flatMap(Self.sound)
        visits = first { $0.kind == .position }.flatMap { _, measure in position.flatMap { Self.visits($0, measure) } }
        if motion == nil, sound == nil, visits == nil { return nil }
    }

    private static func motion(_ recorder: any SampleRecorder, _ measure: RecordedMeasure) throws -> Motion? {
        let feed = try MotionFeed(measure.source)
        let setting = MotionSetting(epoch: measure.settings.epoch, rate: feed.rate)
        let found = FeatureCatalog.motion(measure.settings.names, setting)
        let input = measure.input.emptyCopy()
        guard let features = FeatureRecording(found, rate: feed.rate, measure), case .vectors(let ring) = input,
            recorder.mirror(into: input)
        else { return nil }
        return Motion(input: ring, feed: feed, features: features)
    }

    /// From the levels, one a second, that the recorder of sound writes into its own file.
    private static func sound(
        _ recorder: any SampleRecorder, _ measure: RecordedMeasure
    ) -> (FrameRing<LevelFrame>, FeatureRecording<LevelSample>)? {
        let found = FeatureCatalog.levels(measure.settings.names, measure.settings.epoch)
        // Two minutes: one level a second.
        let ring = FrameRing(capacity: 128, repeating: LevelFrame(time: .zero, level: 0))
        guard let features = FeatureRecording(found, rate: 1, prefix: "sound_", measure),
            recorder.mirrorLevels(into: ring)
        else { return nil }
        return (ring, features)
    }

    private static func visits(
        _ watch: PositionWatch, _ measure: RecordedMeasure
    ) -> (FrameRing<PlaceFrame>, FeatureRecording<PositionSample>)? {
        let found = FeatureCatalog.positions(measure.settings.names, measure.settings.epoch)
        // Fifty seconds of the quickest receiver, of 10 fixes a second. Each stands for a second, however often
        // they come: that is the rate.
        let ring = FrameRing(capacity: 512, repeating: PlaceFrame(time: .zero, latitude: 0, longitude: 0))
        guard let features = FeatureRecording(found, rate: 1, prefix: "position_", measure), watch.mirror(into: ring)
        else { return nil }
        return (ring, features)
    }

    func withhold(_ span: Range<MonotonicTime>) {
        for stream in streams { stream.withhold(span) }
    }

    /// After the measures were drained: the files that were sealed, and what changed about wear.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [RecorderNews] {
        take(at: now, anchors)
        return news { $0.drain() } + wear(at: now)
    }

    /// Seals everything; epochs that are not over are recorded as far as they came.
    func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [RecorderNews] {
        take(at: now, anchors)
        return news { $0.stop() }
    }

    private func news(_ sealed: (any SealingFeatures) -> [SealedRecording]) -> [RecorderNews] {
        let files = streams.flatMap(sealed)
        let epochs = streams.flatMap { $0.takeEpochs() }
        return (files.isEmpty ? [] : [.sealed(files)]) + (epochs.isEmpty ? [] : [.computed(epochs)])
    }

    private var streams: [any SealingFeatures] {
        let all: [(any SealingFeatures)?] = [motion?.features, sound?.features, visits?.features]
        return all.compactMap(\.self)
    }

    // MARK: What is measured

    private func take(at now: MonotonicTime, _ anchors: [ClockAnchor]) {
        for stream in streams { stream.updateOffset(from: anchors, at: now) }
        while let frame = motion?.input.pop() {
            for item in motion?.feed.add(frame) ?? [] { handle(item) }
        }
        while let second = sound?.levels.pop() {
            if let gap = second.gap { sound?.features.beginGap(gap) }
            sound?.features.add(at: second.time) { LevelSample(time: $0, level: second.level) }
        }
        while let place = visits?.places.pop() {
            visits?.features.add(at: place.time) {
                PositionSample(time: $0, latitude: place.latitude, longitude: place.longitude)
            }
        }
    }

    private func handle(_ item: MotionFeed.Item) {
        switch item {
        case .gap(let reason): motion?.features.beginGap(reason)
        case .sample(let time, let x, let y, let z):
            motion?.features.add(at: time) { MotionSample(time: $0, x: x, y: y, z: z) }
        }
    }

    // MARK: Wear

    /// News once when the device is taken off or put on. The moment at which it was taken off stays the one that was
    /// found first.
    private func wear(at now: MonotonicTime) -> [RecorderNews] {
        guard let features = motion?.features else { return [] }
        let isHeard = features.lastSample.map { now - $0 < Self.silence } ?? false
        let found = isHeard && !features.isInGap ? features.run.notWornSince : nil
        notWornSince = found == nil ? nil : notWornSince ?? found
        let since = notWornSince.map(features.uptime)
        guard (since == nil) != (reported == nil) else { return [] }
        reported = since
        return [.notWorn(since: since)]
    }
}
