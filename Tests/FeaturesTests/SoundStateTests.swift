// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Features

/// Pearsons, Bennett and Fidell 1977, in Olsen 1998: speech has 55 to 66 dB(A) at the distance of a
/// conversation, 73 to 77 in trains and aircraft.
@Suite struct SoundStateTests {
    private static func row(_ levels: [Double]) -> FeatureRow? {
        var run = FeatureRun(FeatureCatalog.levels(["sound"], .minute), epoch: .minute, rate: 1)
        for (second, level) in levels.enumerated() {
            _ = run.add(LevelSample(time: Signals.start + .seconds(second), level: level))
        }
        return run.finish().first
    }

    @Test(arguments: [(54.99, 0.0), (55.01, 1), (66, 1), (72.99, 1), (73.01, 2), (77, 2)])
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
