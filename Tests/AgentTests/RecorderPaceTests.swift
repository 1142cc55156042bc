// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@Suite struct RecorderPaceTests {
    private static let start = MonotonicTime(nanoseconds: 7_300_000_000)

    @Test(arguments: [
        (0.0, false, 0.25), (4.999, true, 0.25), (5, false, 1), (59.5, false, 1), (60, false, 5), (62.25, false, 2.75),
        (64.999, false, 0.001),
        (3601, false, 4), (3601, true, 1),
    ])
    func theRingsWaitAQuarterThenASecondAtAStartAndASecondWhileSomebodyWaitsElseUntilTheNextFiveSeconds(
        age: Double, isAwaited: Bool, wanted: Double
    ) {
        let pace = RecorderPace(start: Self.start)
        #expect(abs(pace.interval(at: Self.start + .seconds(age), isAwaited: isAwaited).seconds - wanted) < 1e-6)
    }

    @Test func ordersBetweenDoNotMoveTheGrid() {
        let pace = RecorderPace(start: Self.start)
        var random = SystemRandomNumberGenerator()
        var (now, seen) = (Self.start + .seconds(60), [Int64]())
        while seen.count < 100 {
            let patience = pace.interval(at: now, isAwaited: false)
            if Bool.random(using: &random) {
                now = now + .nanoseconds(patience.nanoseconds / 3)
            } else {
                now = now + patience
                seen.append((now - Self.start).nanoseconds)
            }
        }
        #expect(seen == (13...112).map { $0 * 5_000_000_000 })
    }
}
