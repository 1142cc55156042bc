// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

/// By PyPI's agcounts, which ActiGraph published: `expected-counts.csv` says by which version.
@Suite struct ActivityCountsTests {
    private static func counts(_ samples: [MotionSample], rate: Double) -> [[Double]] {
        guard let counts = ActivityCounts(MotionSetting(epoch: .minute, rate: rate)) else { return [] }
        var run = FeatureRun([counts], epoch: .minute, rate: rate)
        return (samples.flatMap { run.add($0) } + run.finish()).map { $0.values.compactMap { $0 } }
    }

    @Test(arguments: [30, 40, 50, 60, 70, 80, 90, 100])
    func everyCountIsThatOfAgcounts(rate: Int) throws {
        let expected = try Expected("counts").rows.filter { $0[0] == Double(rate) }.map { Array($0[2...]) }
        let found = Self.counts(Signals.motion(rate: rate, seed: UInt64(rate), seconds: 600), rate: Double(rate))
        #expect(expected.count == 10)
        #expect(found.map { Array($0.prefix(3)) } == expected)
        for row in found {
            #expect(abs(row[3] * row[3] - row[0] * row[0] - row[1] * row[1] - row[2] * row[2]) < 1e-3)
        }
    }

    @Test(
        .enabled(if: Expected.isLive, "needs agcounts; STUDYD_FEATURES_PYTHON may name a Python that has it"),
        arguments: [(30, 1001), (40, 2002), (50, 3003), (100, 4004)])
    func otherSeedsHaveTheCountsOfAgcountsToo(rate: Int, seed: Int) throws {
        let theirs = try #require(Expected.live(["seeded", "\(rate)", "\(seed)", "3"])).map { Array($0[2...]) }
        let ours = Self.counts(Signals.motion(rate: rate, seed: UInt64(seed), seconds: 180), rate: Double(rate))
        #expect(ours.map { Array($0.prefix(3)) } == theirs)
    }

    /// agcounts knows no gap: behind one its counts are those of a new file.
    @Test func behindAGapTheFiltersStartAgain() throws {
        let samples = Signals.motion(rate: 50, seed: 50, seconds: 600)
        let later = samples.map {
            MotionSample(time: $0.time + .seconds(3600), x: $0.x, y: $0.y, z: $0.z)
        }
        let counts = try #require(ActivityCounts(MotionSetting(epoch: .minute, rate: 50)))
        var run = FeatureRun([counts], epoch: .minute, rate: 50)
        var rows = samples.flatMap { run.add($0) }
        run.recordGap()
        rows += later.flatMap { run.add($0) } + run.finish()
        #expect(rows.count == 20)
        #expect(rows[..<10].map(\.values) == rows[10...].map(\.values))
    }

    /// Half a recording of 100 Hz, every other sample left out, counts about as all of it: a chip of
    /// 52 or 104 Hz has counts, where agcounts refuses it.
    @Test(arguments: [25.0, 52, 104, 119])
    func ratesThatActiGraphDoesNotKnowAreBroughtToOneThatItDoes(rate: Double) throws {
        func samples(_ rate: Double) -> [MotionSample] {
            (0..<Int(120 * rate)).map { index in
                let seconds = Double(index) / rate
                // 1.25 Hz, 1 g from crest to crest.
                let phase = abs((seconds * 1.25).truncatingRemainder(dividingBy: 1) - 0.5) * 2 - 0.5
                return MotionSample(
                    time: Signals.start + .nanoseconds(Int64(seconds * 1e9)), x: phase, y: 0, z: 1)
            }
        }
        let known = Self.counts(samples(100), rate: 100)
        let other = Self.counts(samples(rate), rate: rate)
        #expect(other.count == 2 && known[1][0] > 1000)
        #expect(abs(other[1][0] / known[1][0] - 1) < 0.05, "\(other) \(known)")
    }

    /// A chip's own rate, and the one it is counted at: the counts are those of samples interpolated by hand.
    @Test(arguments: [(25, 30), (52, 50), (104, 100), (119, 100)])
    func theyAreBroughtThereByLinearInterpolation(rate: Int, known: Int) {
        let samples = Signals.motion(rate: rate, seed: 9, seconds: 120)
        var between: [MotionSample] = []
        while case let place = Double(between.count * rate) / Double(known), place < Double(samples.count - 1) {
            let (from, to, share) = (samples[Int(place)], samples[Int(place) + 1], place - place.rounded(.down))
            between.append(
                MotionSample(
                    time: Signals.start + .nanoseconds(Int64(between.count * 1_000_000_000 / known)),
                    x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share,
                    z: from.z + (to.z - from.z) * share))
        }
        func sums(_ rows: [[Double]]) -> [Double] { (0..<3).map { axis in rows.reduce(0) { $0 + $1[axis] } } }
        let found = sums(Self.counts(samples, rate: Double(rate)))
        let expected = sums(Self.counts(between, rate: Double(known)))
        #expect(expected.allSatisfy { $0 > 100 })
        // A place that is rounded otherwise may carry a count over its step.
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 3 + $1 * 1e-4 }, "\(found) \(expected)")
    }

    @Test func belowTenSamplesASecondThereAreNoCounts() {
        #expect(ActivityCounts(MotionSetting(epoch: .minute, rate: 9.9)) == nil)
        #expect(ActivityCounts(MotionSetting(epoch: .minute, rate: 10)) != nil)
    }
}
