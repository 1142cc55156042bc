// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

/// ISO 9921:2003, annex A: a relaxed voice has 54 dB(A) at 1 m, a loud one 72.
@Suite struct SoundStateTests {
    private static func row(_ levels: [Double]) -> FeatureRow? {
        let setting = LevelSetting(epoch: .minute)
        var run = FeatureRun(FeatureCatalog.levels(["sound"], setting), epoch: .minute, rate: 1)
        for (second, level) in levels.enumerated() {
            _ = run.add(LevelSample(time: Signals.start + .seconds(second), level: level))
        }
        return run.finish().first
    }

    @Test(arguments: [(53.99, 0.0), (54.01, 1), (71.99, 1), (72.01, 2)])
    func eachSideOfALimitIsAnotherState(level: Double, state: Double) {
        #expect(Self.row([level, level, level])?.values[1] == state)
    }

    /// The equivalent level is that of the mean energy: IEC 61672-1, 3.9.
    @Test func oneSecondOf80InAMinuteOf40IsAMinuteOf62() throws {
        let row = try #require(Self.row([80] + Array(repeating: 40, count: 59)))
        #expect(abs((row.values[0] ?? 0) - 62.245) < 0.001)
        #expect(row.coverage == 1)
    }
}
