// SPDX-License-Identifier: Apache-2.0
import NIOCore
import Testing

@testable import Lab

@Suite struct ClientPaceTests {
    /// A client that brings `rate` bytes a second in pieces of ten seconds: after how many seconds
    /// it is given up, nil = never within half an hour.
    private func end(of rate: Int) -> Int? {
        var pace = ClientPace(ServerLimits())
        for second in stride(from: 10, through: 1800, by: 10) {
            pace.wait(since: .uptimeNanoseconds(UInt64(second - 10) * 1_000_000_000))
            if !pace.receive(rate * 10, at: .uptimeNanoseconds(UInt64(second) * 1_000_000_000)) { return second }
        }
        return nil
    }

    /// 50, 100, 200, 400 bytes a second in the first minutes, and 400 from then on: below the 500
    /// that a device sends at least in a transfer that it goes on with.
    @Test(arguments: [
        (0, 60), (49, 60), (50, 120), (60, 120), (99, 120), (100, 180), (199, 180), (200, 240), (399, 240), (400, nil),
        (500, nil),
    ])
    func theLeastRateRises(rate: Int, end expected: Int?) { #expect(end(of: rate) == expected) }

    @Test func timeCountsOnlyWhileTheClientIsWaitedFor() {
        var pace = ClientPace(ServerLimits())
        for minute in 0..<100 {
            let begin = NIODeadline.uptimeNanoseconds(UInt64(minute) * 60_000_000_000)
            pace.wait(since: begin)
            let isFast = pace.receive(40, at: begin + .milliseconds(100))
            #expect(isFast)
        }
        #expect(pace.rate(at: .uptimeNanoseconds(6_000_000_000_000)).map { Int($0.rounded()) } == 400)
    }

    @Test func aPauseThatGoesOnCounts() {
        var pace = ClientPace(ServerLimits())
        pace.wait(since: .uptimeNanoseconds(0))
        _ = pace.receive(1000, at: .uptimeNanoseconds(1_000_000_000))
        pace.wait(since: .uptimeNanoseconds(1_000_000_000))
        #expect(pace.rate(at: .uptimeNanoseconds(1_500_000_000)) == nil)
        #expect(pace.rate(at: .uptimeNanoseconds(10_000_000_000)) == 100)
    }
}
