// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

/// ENMO, MAD and angle-z by scikit-digital-health's functions, in `expected-metrics.csv`.
@Suite struct MotionMetricsTests {
    /// Of samples that come in blocks of `together`, as a file has them, or one by one.
    private static func rows(_ seconds: Int, together: Int = 1) throws -> [FeatureRow] {
        let epoch = try #require(Epoch(.seconds(seconds)))
        let setting = MotionSetting(epoch: epoch, rate: 50)
        var run = FeatureRun(FeatureCatalog.motion(["enmo", "mad", "anglez"], setting), epoch: epoch, rate: 50)
        let samples = Signals.motion(rate: 50, seed: 50, seconds: 600)
        guard together > 1 else { return samples.flatMap { run.add($0) } + run.finish() }
        let blocks = stride(from: 0, to: samples.count, by: together).map { samples[$0...].prefix(together) }
        return blocks.flatMap { run.add(Array($0)) } + run.finish()
    }

    @Test(arguments: [1, 7, 80, 30_000])
    func everyFiveSecondsHaveTheValuesOfScikitDigitalHealth(together: Int) throws {
        let (expected, rows) = (try Expected("metrics").rows, try Self.rows(5, together: together))
        #expect(expected.count == 120 && rows.count == 120)
        for (theirs, ours) in zip(expected, rows) {
            let values = ours.values.compactMap { $0 }
            #expect(abs(values[0] - theirs[1]) < 1e-8 && abs(values[1] - theirs[2]) < 1e-8, "\(theirs) \(values)")
            #expect(abs(values[2] - theirs[3]) < 1e-4, "\(theirs) \(values)")
            #expect(ours.coverage == 1)
        }
    }

    @Test func aMinuteHasTheMeanOfItsFiveSeconds() throws {
        let (expected, rows) = (try Expected("metrics").rows, try Self.rows(60))
        #expect(rows.count == 10)
        for (minute, row) in rows.enumerated() {
            for column in 0..<2 {
                let theirs = expected[minute * 12..<minute * 12 + 12].reduce(0) { $0 + $1[column + 1] } / 12
                #expect(abs((row.values[column] ?? -1) - theirs) < 1e-8)
            }
        }
    }

    @Test func theMedianIsThatOfASortedWindow() {
        var dice = Signals.SplitMix64(state: 3)
        var (median, all) = (RollingMedian(7), [Double]())
        for _ in 0..<2000 {
            let value = Double(dice.below(12))
            all.append(value)
            median.add(value)
            if all.count >= 7 { #expect(median.median == all.suffix(7).sorted()[3]) }
        }
    }
}
