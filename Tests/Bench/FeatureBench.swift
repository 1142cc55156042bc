// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features

/// What features cost beside recordings, on the recorder's thread.
enum FeatureBench {
    private static let names: Set<String> = ["enmo", "mad", "anglez", "agcounts", "wear"]
    private static let rate = 100.0
    private static let count = 720_000

    /// Every feature of a chip at 100 Hz, of whose samples none repeats the one before.
    static func all() throws -> [Figure] {
        let setting = MotionSetting(epoch: .minute, rate: rate)
        let speed = Stopwatch.rate {
            var run = FeatureRun(FeatureCatalog.motion(names, setting), epoch: .minute, rate: rate)
            var rows = 0
            for index in 0..<count { rows += run.add(sample(index)).count }
            return rows == 0 ? 0 : count
        }
        return [
            Figure(name: "features at the reference load", value: try reference(), unit: "% of a core", limit: 0.2),
            Figure(name: "features at 100 Hz", value: 100 * rate / speed, unit: "% of a core"),
            Figure(
                name: "features of motion", value: speed, unit: "samples/s", ratio: (speed / rate, "a chip at 100 Hz")),
            Figure(name: "activity counts of 24 hours at 100 Hz", value: countsOfADay(), unit: "s"),
        ]
    }

    /// All that a device computes of an accelerometer at 100 Hz, a level and a position a second, from
    /// the frames of the chip on; in per cent of a core.
    private static func reference() throws -> Double {
        let source = SourceDescription(
            kind: .accelerometer, device: "LIS3DH", location: "bench", channels: Channel.acceleration(scale: 0.000_061),
            nominalRate: rate, fullScale: 2)
        let (feed, all) = (try MotionFeed(source), Set(FeatureCatalog.names))
        let speed = Stopwatch.rate {
            var device = Device(feed: feed, all)
            for second in 0..<3600 { device.live(second) }
            return device.rows == 0 ? 0 : 3600
        }
        return 100 / speed
    }

    private struct Device {
        var feed: MotionFeed
        private var motion: FeatureRun<MotionSample>
        private var levels: FeatureRun<LevelSample>
        private var places: FeatureRun<PositionSample>
        private(set) var rows = 0

        init(feed: MotionFeed, _ names: Set<String>) {
            self.feed = feed
            motion = FeatureRun(
                FeatureCatalog.motion(names, MotionSetting(epoch: .minute, rate: feed.rate)), epoch: .minute,
                rate: feed.rate)
            levels = FeatureRun(
                FeatureCatalog.levels(names, .minute), epoch: .minute, rate: 1)
            places = FeatureRun(
                FeatureCatalog.positions(names, .minute), epoch: .minute, rate: 1)
        }

        mutating func live(_ second: Int) {
            for index in 0..<Int(rate) { take(second * Int(rate) + index) }
            let time = Instant(seconds: 1_800_000_000 + Int64(second))
            rows += levels.add(LevelSample(time: time, level: 40 + Double(second % 30))).count
            let metres = Double(second % 1800)
            rows += places.add(PositionSample(time: time, latitude: 52.5 + metres / 111_195, longitude: 13.4)).count
        }

        /// A chip whose FIFO is read four times a second.
        private mutating func take(_ index: Int) {
            let swing = Int32(truncatingIfNeeded: index &* 7919 % 16_384 - 8192)
            let frame = VectorFrame(
                values: SIMD8(swing, swing / 2, 16_384 - swing / 4, 0, 0, 0, 0, 0), count: 3,
                time: MonotonicTime(nanoseconds: 10_000_000 * Int64(index)), isStamped: index % 25 == 24)
            for case .sample(let time, let x, let y, let z) in feed.add(frame) {
                let instant = Instant(seconds: 1_800_000_000) + (time - .zero)
                rows += motion.add(MotionSample(time: instant, x: x, y: y, z: z)).count
            }
        }
    }

    private static func countsOfADay() -> Double {
        let setting = MotionSetting(epoch: .minute, rate: rate)
        let speed = Stopwatch.rate {
            var run = FeatureRun(FeatureCatalog.motion(["agcounts"], setting), epoch: .minute, rate: rate)
            var rows = 0
            for index in 0..<count { rows += run.add(sample(index)).count }
            return rows == 0 ? 0 : count
        }
        return 86_400 * rate / speed
    }

    private static func sample(_ index: Int) -> MotionSample {
        let swing = Double(index &* 7919 % 2048 - 1024) / 1024
        return MotionSample(
            time: Instant(seconds: 1_800_000_000) + .milliseconds(10 * index), x: swing, y: swing / 2, z: 1 - swing / 4)
    }
}
