// SPDX-License-Identifier: Apache-2.0
import Simulation
import Synchronization
import Testing

@testable import Agent
@testable import Base
@testable import Device
@testable import Features
@testable import Study

/// What rules look at is what is recorded of features beside it, whose numbers are those of other programs
/// (`FeatureTapTests`).
@Suite struct RuleTapTests {
    /// A chip of 50 Hz, its recorder, the features beside it and what rules look at; 10:00:30 UTC at uptime 100.
    private final class Desk {
        let bench = RecordingBench()
        private let ring = FrameRing(capacity: 1 << 13, repeating: VectorFrame(values: .zero, count: 3))
        private let recorder: any SampleRecorder
        let features: FeatureTap
        let rules: RuleTap
        private(set) var now = MonotonicTime.zero + .seconds(100)
        var anchors: [ClockAnchor] = []
        private(set) var recorded: [FeatureEpoch] = []
        private(set) var told: [FeatureEpoch] = []
        private var count = 0

        init() throws {
            let source = SourceDescription(
                kind: .accelerometer, device: "LSM6DSO", location: "i2c-1 0x6a",
                channels: Channel.acceleration(scale: 0.000_122), nominalRate: 50, fullScale: 4)
            let measure = MeasureConfiguration(identifier: "accelerometer", format: .cwa)
            let origin = RecordingOrigin(study: "s", participant: "p", deviceID: 1, bootID: "b", zone: .utc)
            let folder = try bench.folder()
            recorder = try measure.recorder(of: .vectors(ring), source: source, origin: origin, folder: folder)
            var settings = FeatureSettings(names: ["agcounts"])
            settings.isPublished = true
            let sources = [RecorderThread.Source(measure: measure, input: .vectors(ring), source: source)]
            features = try #require(
                try FeatureTap(settings, sources, [recorder], origin: origin, folder: folder))
            rules = try #require(try RuleTap([RuleTapTests.feature], sources, [recorder]))
        }

        func measure(_ seconds: Int) {
            for _ in 0..<seconds {
                for index in 0..<50 {
                    let swing = Int32(abs(count * 2 % 94 - 47) - 25) * 120
                    let frame = VectorFrame(
                        values: SIMD8(swing, swing / 2, 8000 - swing / 3, 0, 0, 0, 0, 0), count: 3,
                        time: now + .milliseconds(5 + 20 * index), isStamped: true)
                    ring.push(frame)
                    count += 1
                }
                now = now + .seconds(1)
                _ = recorder.drain(at: now, anchors: anchors)
                for case .computed(let epochs) in features.drain(at: now, anchors: anchors) { recorded += epochs }
                for case .epochs(let epochs) in rules.drain(at: now, anchors: anchors) { told += epochs }
            }
        }

        func withhold(_ span: Range<MonotonicTime>) {
            features.withhold(span)
            rules.withhold(span)
        }

        /// The recording of the chip.
        @discardableResult
        func stop() -> [SealedRecording] {
            _ = features.stop(at: now, anchors: anchors)
            return recorder.stop(at: now, anchors: anchors)
        }
    }

    private static let feature = RuleFeature(
        name: "move", source: "accelerometer", kind: "agcounts", epoch: .seconds(60), window: .seconds(300),
        reduction: .sum, column: "counts_vm", unit: "1", needs: 0.5)

    /// Minutes of UTC behind ten o'clock.
    private static func minutes(_ epochs: [FeatureEpoch]) -> [Int64] {
        epochs.map { ($0.start.seconds - 1_795_255_200) / 60 }
    }

    /// The first minute had begun when the time became known. In a pause nothing is looked at, neither what
    /// was before it together with what is after it.
    @Test(
        arguments: [
            (nil, [1, 2, 3], 1), (160..<190, [1, 2, 3], 0.5), (190..<250, [1, 3], 1), (130..<190, [2, 3], 1),
        ] as [(Range<Int64>?, [Int64], Double)])
    func rulesLookAtWhatIsRecordedBesideThem(pause: Range<Int64>?, minutes: [Int64], share: Double) throws {
        let desk = try Desk()
        desk.anchors = [FeatureTapTests.anchor]
        if let pause {
            desk.withhold(
                MonotonicTime.zero + .seconds(pause.lowerBound)..<MonotonicTime.zero + .seconds(pause.upperBound))
        }
        desk.measure(250)
        desk.stop()
        #expect(Self.minutes(desk.told) == minutes)
        let beside = desk.recorded.filter { Self.minutes([$0])[0] > 0 }
        #expect(beside.map(\.values) == desk.told.map(\.values) && beside.map(\.start) == desk.told.map(\.start))
        #expect(abs((desk.told.first?.coverage ?? 0) - share) < 0.01)
        #expect(desk.told.dropFirst().allSatisfy { $0.coverage > 0.99 })
        #expect(desk.told.allSatisfy { $0.recording == 1 && $0.source == "accelerometer" && $0.length == .seconds(60) })
    }

    /// The time of day is known from 10:01 on, or a moment later.
    @Test(arguments: [(0, [1, 2]), (1, [2])] as [(Int64, [Int64])])
    func aMinuteCountsWhereAllOfItHasATime(nanoseconds: Int64, minutes: [Int64]) throws {
        let desk = try Desk()
        desk.measure(30)
        let late = Duration.nanoseconds(30_000_000_000 + nanoseconds)
        desk.anchors = [
            ClockAnchor(
                monotonic: FeatureTapTests.anchor.monotonic + late, instant: FeatureTapTests.anchor.instant + late,
                source: .kernel, uncertainty: .milliseconds(5))
        ]
        desk.measure(125)
        desk.stop()
        #expect(Self.minutes(desk.told) == minutes)
    }

    @Test func theRecorderThreadTellsThemOnceTheyAreOver() throws {
        let bench = RecordingBench()
        let ring = FrameRing(capacity: 1 << 13, repeating: VectorFrame(values: .zero, count: 3))
        let chip = SourceDescription(
            kind: .accelerometer, device: "LSM6DSO", location: "i2c-1 0x6a",
            channels: Channel.acceleration(scale: 0.000_122), nominalRate: 50, fullScale: 4)
        let source = RecorderThread.Source(
            measure: MeasureConfiguration(identifier: "accelerometer", format: .cwa), input: .vectors(ring),
            source: chip)
        let clock = VirtualClock(now: FeatureTapTests.anchor.instant, monotonic: .zero + .seconds(100))
        let told = Mutex<[FeatureEpoch]>([])
        let loop = try RecorderLoop(
            sources: [source], microphone: nil, soundSource: nil, position: nil,
            origin: RecordingOrigin(study: "s", participant: "p", deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder(), clock: clock, heartbeat: nil, trace: nil, ruleFeatures: [Self.feature],
            onNews: { news in if case .epochs(let epochs) = news { told.withLock { $0 += epochs } } })
        for second in 1...160 {
            for index in 0..<50 {
                let time = clock.monotonic + .milliseconds(5 + 20 * index)
                let values = SIMD8<Int32>(0, Int32(index * 40), 8000, 0, 0, 0, 0, 0)
                ring.push(VectorFrame(values: values, count: 3, time: time, isStamped: true))
            }
            clock.advance(to: .zero + .seconds(100 + second))
            _ = loop.drain([FeatureTapTests.anchor])
            if second == 89 { #expect(told.withLock { $0 }.isEmpty, "the first whole minute goes on") }
        }
        _ = loop.stop([FeatureTapTests.anchor])
        #expect(Self.minutes(told.withLock { $0 }) == [1, 2])
    }

    /// A minute counts that begins in the moment from which the time is known.
    @Test(arguments: [(190, [2, 3]), (191, [3])] as [(Int64, [Int64])])
    func withoutTheTimeOfDayNothingIsTold(known: Int64, minutes: [Int64]) throws {
        let desk = try Desk()
        desk.measure(90)
        #expect(desk.told.isEmpty)
        desk.anchors = [
            ClockAnchor(
                monotonic: .zero + .seconds(known), instant: Instant(seconds: 1_795_255_130 + known), source: .kernel,
                uncertainty: .milliseconds(5))
        ]
        desk.measure(160)
        desk.stop()
        #expect(Self.minutes(desk.told) == minutes)
    }

    /// A simulation that replays the recording looks at the same, each minute when a device would have known it.
    @Test func aReplayOfTheRecordingLooksAtTheSame() throws {
        let desk = try Desk()
        desk.anchors = [FeatureTapTests.anchor]
        desk.measure(250)
        let files = desk.stop()
        let start = FeatureTapTests.anchor.instant
        let timeline = try SensorTimeline(replaying: files.map(\.path), [Self.feature], wear: false, from: start)
        var replayed: [FeatureEpoch] = []
        for entry in timeline.entries {
            guard case .epoch(let epoch) = entry.news else { continue }
            replayed.append(epoch)
            #expect(entry.at >= epoch.end && entry.at < epoch.end + .seconds(10))
        }
        #expect(Self.minutes(replayed) == [1, 2, 3] && Self.minutes(replayed) == Self.minutes(desk.told))
        for (one, other) in zip(replayed, desk.told) {
            #expect(one.columns == other.columns && one.recording == other.recording && one.coverage > 0.99)
            for (value, live) in zip(one.values, other.values) {
                let (value, live) = (try #require(value), try #require(live))
                #expect(abs(value - live) <= max(2, live * 0.06), "\(value) and \(live)")
            }
        }
    }
}
