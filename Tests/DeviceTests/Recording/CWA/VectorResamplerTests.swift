// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct VectorResamplerTests {
    /// Every axis of a chip at rest keeps its value, and every sample its time: 119 a second to 100.
    @Test(arguments: [3, 6]) func whatStaysTheSameStaysTheSameOnEveryAxis(axes: Int) throws {
        let values = (1...axes).map { Double($0) * 0.25 - 1 }
        var resampler = VectorResampler(from: 119, to: 100, axes: axes)
        for start in [100.0, 5000] {
            var out: [(values: [Double], time: MonotonicTime)] = []
            for index in 0..<500 {
                out += resampler.add(values, at: MonotonicTime(seconds: start + Double(index) / 119))
            }
            // Half the taps lie before the first, and behind the last: 7 + 1.19 × 407 < 500 − 8.
            #expect(out.count == 408)
            #expect(out.allSatisfy { zip($0.values, values).allSatisfy { abs($0 - $1) < 1e-9 } })
            #expect(out.allSatisfy { $0.values.count == axes })
            let first = try #require(out.first).time
            #expect(abs((first - MonotonicTime(seconds: start) - resampler.startDelay).nanoseconds) < 10)
            #expect(abs(resampler.startDelay.nanoseconds - 7_000_000_000 / 119) < 10)
            #expect(zip(out, out.dropFirst()).allSatisfy { abs(($1.time - $0.time).nanoseconds - 10_000_000) < 10 })
            resampler.reset()
            #expect(resampler.next == nil)
        }
    }

    /// Half of the taps lie on either side of each output: one less on one side, and the line is bent by a
    /// hundredth of a step.
    @Test(arguments: [(119.0, 100.0), (52, 50), (104, 100)]) func aSteadyChangeStaysOne(source: Double, target: Double)
    {
        var resampler = VectorResampler(from: source, to: target, axes: 1)
        let start = MonotonicTime(seconds: 100)
        var out: [(values: [Double], time: MonotonicTime)] = []
        for index in 0..<500 {
            out += resampler.add([Double(index)], at: start + .nanoseconds(Int64(Double(index) / source * 1e9)))
        }
        #expect(out.count > 400)
        for (values, time) in out { #expect(abs(values[0] - (time - start).seconds * source) < 0.002) }
    }
}
