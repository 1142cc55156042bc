// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

struct DestinationTurnTests {
    private let policy = RetryPolicy(first: .seconds(5), longest: .seconds(900))

    @Test func aRowOfFailuresIsQuietLongerAndLongerUpToFiveMinutes() {
        var generator = SplitMix64(seed: 1)
        var turn = DestinationTurn()
        for (failure, longest) in [5.0, 10, 20, 40, 80, 160, 300, 300, 300].enumerated() {
            let now = MonotonicTime(nanoseconds: Int64(failure) * 1_000_000_000_000)
            turn.recordFailure(at: now, interval: .zero, policy: policy, using: &generator)
            #expect(!turn.isOpen(at: now + .seconds(longest / 2 - 0.01)))
            #expect(turn.isOpen(at: now + .seconds(longest)))
        }
    }

    @Test(arguments: [(0, false), (1, false), (2, false), (3, true), (9, true)])
    func onlyAnOutageIsForgiven(failures: Int, isForgiven: Bool) {
        var generator = SplitMix64(seed: 1)
        var turn = DestinationTurn()
        for _ in 0..<failures { turn.recordFailure(at: .zero, interval: .zero, policy: policy, using: &generator) }
        turn.recordSuccess(at: .zero, wall: .epoch, interval: .zero)
        #expect((turn.resettingBackoffBefore == .epoch) == isForgiven)
        #expect(turn.isOpen(at: .zero))
        #expect(turn.failures == 0)
    }

    @Test func theLeastTimeBetweenRequestsHoldsAfterSuccessToo() {
        var turn = DestinationTurn()
        turn.recordSuccess(at: .zero, wall: .epoch, interval: .milliseconds(1500))
        #expect(!turn.isOpen(at: MonotonicTime(nanoseconds: 1_499_999_999)))
        #expect(turn.isOpen(at: MonotonicTime(nanoseconds: 1_500_000_000)))
    }

    @Test func aNewNetworkOpensItAtOnce() {
        var generator = SplitMix64(seed: 1)
        var turn = DestinationTurn()
        turn.recordFailure(at: .zero, interval: .zero, policy: policy, using: &generator)
        turn.resetBackoff(wall: .epoch)
        #expect(turn.isOpen(at: .zero))
        #expect(turn.resettingBackoffBefore == .epoch)
    }

    @Test func aServersRetryAfterHoldsWhateverTheNetworkDoes() {
        var generator = SplitMix64(seed: 1)
        var turn = DestinationTurn()
        turn.recordFailure(at: .zero, interval: .zero, policy: policy, retryAfter: .seconds(600), using: &generator)
        turn.resetBackoff(wall: .epoch)
        #expect(!turn.isOpen(at: .zero + .seconds(599)))
        #expect(turn.isOpen(at: .zero + .seconds(600)))
        turn.recordFailure(at: .zero + .seconds(600), interval: .zero, policy: policy, using: &generator)
        #expect(turn.isOpen(at: .zero + .seconds(611)), "the next answer does not ask for it again")
    }
}
