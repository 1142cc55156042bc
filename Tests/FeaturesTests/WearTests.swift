// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

/// By skdh and actipy, in `expected-wear.csv`.
@Suite struct WearTests {
    private static func worn(seconds: Int, together: Int = 1) throws -> [Double?] {
        let epoch = try #require(Epoch(.seconds(seconds)))
        let setting = MotionSetting(epoch: epoch, rate: 30)
        var run = FeatureRun<MotionSample>([Wear(setting)], epoch: epoch, rate: 30)
        var rows: [FeatureRow] = []
        var block: [MotionSample] = []
        Signals.day(rate: 30, seed: 7, hours: 25) { sample in
            guard together > 1 else {
                rows += run.add(sample)
                return
            }
            block.append(sample)
            if block.count == together { (rows, block) = (rows + run.add(block), []) }
        }
        rows += run.add(block)
        return (rows + run.finish()).map { $0.values[0] }
    }

    @Test(arguments: [1, 80]) func eachQuarterOfAnHourIsAsScikitDigitalHealthsWindowsHaveIt(together: Int) throws {
        let expected = try Expected("wear").rows
        let found = try Self.worn(seconds: 60, together: together)
        #expect(found.count == 1500 && expected.count == 100)
        for (minute, worn) in found.enumerated() { #expect(worn == expected[minute / 15][1], "minute \(minute)") }
        // skdh's CountWear and actipy look at something else, and find the same time worn within 2 %.
        let minutes = found.compactMap { $0 }.reduce(0, +)
        for column in 2...3 {
            let theirs = expected.reduce(0) { $0 + $1[column] }
            #expect(abs(minutes / theirs - 1) < 0.02, "\(minutes) and \(theirs)")
        }
    }

    /// An hour of steps between ±`swing` around gravity, on `axes` axes of three.
    private static func hour(swing: Double, axes: Int, minutes: Int = 60) -> Double?? {
        let setting = MotionSetting(epoch: .minute, rate: 10)
        var run = FeatureRun<MotionSample>([Wear(setting)], epoch: .minute, rate: 10)
        var rows: [FeatureRow] = []
        for index in 0..<minutes * 600 {
            let step = index % 2 == 0 ? swing : -swing
            rows += run.add(
                MotionSample(
                    time: Signals.start + .milliseconds(100 * index), x: axes > 0 ? step : 0, y: axes > 1 ? step : 0,
                    z: 1 + (axes > 2 ? step : 0)))
        }
        return (rows + run.finish()).first?.values[0]
    }

    /// Steps of ±s have a standard deviation of s.
    @Test func thirteenThousandthsOfAGOnTwoAxesAreWorn() {
        #expect(Self.hour(swing: 0.01299, axes: 2) == .some(.some(0)))
        #expect(Self.hour(swing: 0.0130001, axes: 2) == .some(.some(1)))
        #expect(Self.hour(swing: 0.5, axes: 1) == .some(.some(0)))
        #expect(Self.hour(swing: 0.5, axes: 2) == .some(.some(1)))
    }

    @Test func aWindowOfWhichMoreThanAQuarterIsMissingSaysNothing() {
        #expect(Self.hour(swing: 0, axes: 0, minutes: 44) == .some(nil))
        #expect(Self.hour(swing: 0, axes: 0, minutes: 45) == .some(.some(0)))
    }

    @Test func oneKnockOfFiftyThousandthsIsEnoughWithinAnHour() {
        for (knock, worn) in [(0.0499, 0.0), (0.0501, 1)] {
            let setting = MotionSetting(epoch: .minute, rate: 10)
            var run = FeatureRun<MotionSample>([Wear(setting)], epoch: .minute, rate: 10)
            var rows: [FeatureRow] = []
            for index in 0..<36_000 {
                let off = index == 20_000 ? knock : 0
                rows += run.add(
                    MotionSample(time: Signals.start + .milliseconds(100 * index), x: off, y: off, z: 1))
            }
            rows += run.finish()
            #expect(rows.allSatisfy { $0.values[0] == worn })
        }
    }

    /// Put down in another way after half an hour: each quarter by itself is still. The standard deviation of the
    /// hour is half of the step, and that of the three quarters that are enough √2/3 of it: 13 thousandths of 0.02758.
    @Test(arguments: [(0.02, 0.0), (0.0275, 0), (0.0277, 1), (0.04, 1)])
    func anHourIsMoreThanItsQuarters(step: Double, worn: Double) {
        for together in [1, 80] {
            let setting = MotionSetting(epoch: .minute, rate: 10)
            var run = FeatureRun<MotionSample>([Wear(setting)], epoch: .minute, rate: 10)
            let samples = (0..<36_000).map { index in
                let level = index < 18_000 ? 0 : step
                return MotionSample(time: Signals.start + .milliseconds(100 * index), x: level, y: level, z: 1)
            }
            var rows: [FeatureRow] = []
            for start in stride(from: 0, to: samples.count, by: together) {
                rows += run.add(Array(samples[start..<start + together]))
            }
            rows += run.finish()
            #expect(rows.count == 60 && rows.allSatisfy { $0.values[0] == worn })
        }
    }

    /// What came since the hour is none of it.
    @Test(arguments: [(44, false), (45, true)])
    func anHourOfWhichMoreThanAQuarterIsMissingDoesNotSaySinceWhenItIsNotWorn(minutes: Int, isKnown: Bool) {
        var wear = Wear(MotionSetting(epoch: .minute, rate: 10))
        for index in (36_000 - minutes * 600)..<40_000 {
            wear.add(MotionSample(time: Signals.start + .milliseconds(100 * index), x: 0, y: 0, z: 1))
        }
        #expect(wear.notWornSince == (isKnown ? Signals.start : nil))
    }

    @Test func whileItIsNotWornItIsKnownSinceWhenAndTheFirstMovementEndsThat() {
        var wear = Wear(MotionSetting(epoch: .minute, rate: 10))
        func add(_ range: Range<Int>, moving: Bool) {
            for index in range {
                let step = moving && index % 2 == 0 ? 0.4 : 0
                wear.add(MotionSample(time: Signals.start + .milliseconds(100 * index), x: step, y: step, z: 1))
            }
        }
        add(0..<9_000, moving: true)
        #expect(wear.notWornSince == nil)
        add(9_000..<45_000, moving: false)
        #expect(wear.notWornSince == nil)
        // The first sample of the quarter after a still hour.
        add(45_000..<45_001, moving: false)
        #expect(wear.notWornSince == Signals.start + .seconds(900))
        add(45_001..<46_000, moving: false)
        #expect(wear.notWornSince == Signals.start + .seconds(900))
        add(46_000..<46_002, moving: true)
        #expect(wear.notWornSince == nil)
    }
}
