// SPDX-License-Identifier: Apache-2.0
import Terminal
import Testing

@testable import Agent
@testable import Device
@testable import studyd_tools

/// What became of each second, by the counts of each second.
@Suite struct SignalStripsTests {
    private static func seconds(stored: [Int], lost: [Int] = []) -> [BoardPicture.Second] {
        var strips = SignalStrips(SignalTrace())
        for (second, stored) in stored.enumerated() {
            var counts = SampleCounts()
            counts.stored = stored
            if lost.indices.contains(second) { counts.lost[.deviceError] = lost[second] }
            strips.record(.position, counts)
        }
        return strips.seconds(of: .position)
    }

    /// Blocks come late, and no later than after twenty seconds.
    @Test func whatIsWrittenIsOfTheSecondsBeforeAndNotOfALongSilence() {
        #expect(Self.seconds(stored: [0, 0, 100]) == [.stored, .stored, .stored])
        #expect(Self.seconds(stored: [100, 100, 100]) == [.stored, .waiting, .waiting])
        let silence = [100] + Array(repeating: 100, count: 60)
        #expect(Self.seconds(stored: silence) == [.stored] + Array(repeating: .none, count: 60))
        #expect(
            Self.seconds(stored: silence + [200])
                == [.stored] + Array(repeating: .none, count: 41) + Array(repeating: .stored, count: 20))
        for quiet in [18, 19, 20, 21] {
            let seconds = Self.seconds(stored: Array(repeating: 100, count: 1 + quiet) + [200])
            #expect(seconds.count { $0 == .none } == max(0, quiet - 19), "\(quiet) s")
        }
    }

    @Test func aLossIsSeenAlsoWhereSomethingWasStored() {
        #expect(Self.seconds(stored: [10, 10, 11], lost: [0, 1, 2]) == [.stored, .lost, .partly])
    }

    /// Two minutes are kept; what was never stored is not waited for.
    @Test func theLatestSecondsAreKept() {
        for seconds in [119, 120, 121, 200] {
            let strip = Self.seconds(stored: (1...seconds).map { 10 * $0 })
            #expect(strip == Array(repeating: .stored, count: min(seconds, 120)))
        }
        #expect(Self.seconds(stored: [0, 0, 0]) == [.none, .none, .none])
        #expect(Self.seconds(stored: [0, 0], lost: [0, 5]) == [.lost, .lost])
    }
}
