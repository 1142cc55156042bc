// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

@Suite struct FeatureRunTests {
    private static let all: Set<String> = ["enmo", "mad", "anglez", "agcounts", "wear"]

    private static func run(_ names: Set<String> = all, rate: Double = 50) -> FeatureRun<MotionSample> {
        let setting = MotionSetting(epoch: .minute, rate: rate)
        return FeatureRun(FeatureCatalog.motion(names, setting), epoch: .minute, rate: rate)
    }

    @Test func anEpochWithoutASampleHasNoRowAndPartOfOneIsNoWhole() {
        var run = Self.run(["enmo"])
        let samples = Signals.motion(rate: 50, seed: 1, seconds: 600)
        var rows: [FeatureRow] = []
        // Two minutes and 15 s, then nothing until 4:30.
        for (index, sample) in samples.enumerated() where index < 6750 || index >= 13_500 {
            if index == 13_500 { run.recordGap() }
            rows += run.add(sample)
        }
        rows += run.finish()
        #expect(rows.map(\.coverage) == [1, 1, 0.25, 0.5, 1, 1, 1, 1, 1])
        #expect(rows[3].epoch.lowerBound == Signals.start + .seconds(240))
        #expect(rows.allSatisfy { $0.values[0] != nil })
    }

    /// With gaps, times that come again, a step back and a change of rate within and between blocks.
    @Test(arguments: [2, 13, 80, 4096]) func samplesInBlocksAreTheSameAsOneByOne(size: Int) {
        var samples = Signals.motion(rate: 50, seed: 9, seconds: 900)
        samples.removeSubrange(9_000..<21_000)
        samples.swapAt(3_000, 3_001)
        samples.insert(samples[4_000], at: 4_001)
        samples.append(contentsOf: samples[5_000..<5_040])
        var (single, block) = (Self.run(), Self.run())
        var (theirs, ours): ([FeatureRow], [FeatureRow]) = ([], [])
        for start in stride(from: 0, to: samples.count, by: size) {
            let part = Array(samples[start...].prefix(size))
            theirs += part.flatMap { single.add($0) }
            ours += block.add(part)
            // A gap between two blocks, behind which the last sample comes again.
            guard start % (3 * size) == 0, let last = part.last else { continue }
            single.recordGap()
            block.recordGap()
            theirs += single.add(last)
            ours += block.add([last])
        }
        (theirs, ours) = (theirs + single.finish(), ours + block.finish())
        #expect(ours.map(\.epoch) == theirs.map(\.epoch) && ours.map(\.coverage) == theirs.map(\.coverage))
        #expect(block.disordered == single.disordered && single.disordered > 40)
        for (one, other) in zip(ours, theirs) {
            for (value, known) in zip(one.values, other.values) {
                #expect((value == nil) == (known == nil) && abs((value ?? 0) - (known ?? 0)) < 1e-12)
            }
        }
    }

    /// A chip that is 4 % slower than it says has lost nothing.
    @Test func aSlowChipLosesNothing() {
        var run = Self.run(["enmo"], rate: 100)
        var rows: [FeatureRow] = []
        for index in 0..<96 * 180 {
            let time = Signals.start + .nanoseconds(Int64(index) * 1_000_000_000 / 96)
            rows += run.add(MotionSample(time: time, x: 0, y: 0, z: 1))
        }
        rows += run.finish()
        #expect(rows.count == 3 && rows.allSatisfy { $0.coverage > 0.9995 })
    }

    @Test func whatWasTooShortForAFeatureHasNoValueThere() throws {
        var run = Self.run()
        for sample in Signals.motion(rate: 50, seed: 1, seconds: 2) { _ = run.add(sample) }
        let row = try #require(run.finish().first)
        #expect(row.values.map { $0 == nil } == [false, false, true, false, false, false, false, true])
        #expect(abs(row.coverage - 2 / 60.0) < 1e-9)
    }

    @Test func aTimeThatDoesNotRiseIsCountedAndLeftOut() {
        var run = Self.run(["enmo"])
        let sample = MotionSample(time: Signals.start, x: 0, y: 0, z: 1)
        _ = run.add(sample)
        _ = run.add(sample)
        #expect(run.disordered == 1)
        #expect(run.finish().count == 1)
    }

    @Test func rowsComeWhenTheSlowestFeatureKnows() {
        var (quick, slow) = (Self.run(["enmo"]), Self.run(["enmo", "wear"]))
        let next = MotionSample(time: Signals.start + .seconds(60), x: 0, y: 0, z: 1)
        let later = MotionSample(time: Signals.start + .seconds(3660), x: 0, y: 0, z: 1)
        let first = MotionSample(time: Signals.start, x: 0, y: 0, z: 1)
        _ = (quick.add(first), slow.add(first))
        #expect(quick.add(next).count == 1)
        #expect(slow.add(next).isEmpty)
        #expect(slow.add(later).count == 1)
    }

    @Test func everyNameOfTheCatalogIsOne() {
        #expect(Set(FeatureCatalog.names).count == FeatureCatalog.names.count)
        #expect(FeatureCatalog.names == ["enmo", "mad", "anglez", "agcounts", "wear", "sound", "visits"])
    }
}
