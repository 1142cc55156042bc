// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features

/// What features of acceleration cost beside its recording, on the recorder's thread.
enum FeatureBench {
    private static let names: Set<String> = ["enmo", "mad", "anglez", "agcounts", "wear"]
    private static let rate = 100.0
    private static let count = 360_000

    /// Every feature of a chip at 100 Hz, of whose samples none repeats the one before.
    static func all() -> [Figure] {
        let setting = MotionSetting(epoch: .minute, rate: rate)
        let speed = Stopwatch.rate {
            var run = FeatureRun(FeatureCatalog.motion(names, setting), epoch: .minute, rate: rate)
            var rows = 0
            for index in 0..<count { rows += run.add(sample(index)).count }
            return rows == 0 ? 0 : count
        }
        return [
            Figure(name: "features at 100 Hz", value: 100 * rate / speed, unit: "% of a core", limit: 0.2),
            Figure(
                name: "features of motion", value: speed, unit: "samples/s", ratio: (speed / rate, "a chip at 100 Hz")),
            Figure(name: "activity counts of 24 hours at 100 Hz", value: countsOfADay(), unit: "s"),
        ]
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
