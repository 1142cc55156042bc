// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Synchronization
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(20))) struct RepeatedWorkTests {
    private final class Rounds: Sendable {
        let times = Mutex<[Int64]>([])
        func record(_ time: MonotonicTime) { times.withLock { $0.append(time.nanoseconds / 1_000_000_000) } }
        var all: [Int64] { times.withLock { $0 } }
    }

    private static func time(_ second: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: second * 1_000_000_000) }

    /// One round an hour; `script` is what happens between rounds.
    private func rounds(_ script: (VirtualClock, RepeatedWork) async -> Void) async -> [Int64] {
        let clock = VirtualClock(now: Instant(seconds: 1_800_000_000))
        let work = RepeatedWork(clock: clock, leastPause: .seconds(20))
        let rounds = Rounds()
        let running = Task {
            await work.run {
                rounds.record(clock.monotonic)
                return .seconds(3_600)
            }
        }
        // After each round two sleep: the alarm, and the least pause.
        await clock.whenSleeping(2)
        await script(clock, work)
        running.cancel()
        await running.value
        return rounds.all
    }

    @Test func theFourthHourIsLikeTheFirst() async {
        let times = await rounds { clock, _ in
            for hour in 1...4 as ClosedRange<Int64> {
                clock.advance(to: Self.time(hour * 3_600 - 3_500))
                clock.advance(to: Self.time(hour * 3_600))
                await clock.whenSleeping(2)
            }
        }
        #expect(times == [0, 3_600, 7_200, 10_800, 14_400])
    }

    @Test func whoeverAsksIsHeardAlsoAfterHours() async {
        let times = await rounds { clock, work in
            clock.advance(to: Self.time(3_600))
            await clock.whenSleeping(2)
            clock.advance(to: Self.time(4_000))
            work.wake()
            await clock.whenSleeping(2)
            clock.advance(to: Self.time(4_100))
            clock.advance(to: Self.time(7_200))
            await clock.whenSleeping(2)
        }
        #expect(times == [0, 3_600, 4_000, 7_200])
    }

    @Test func nobodyIsHeardSoonerThanTheLeastPause() async {
        let times = await rounds { clock, work in
            work.wake()
            clock.advance(to: Self.time(19))
            work.wake()
            clock.advance(to: Self.time(20))
            await clock.whenSleeping(2)
        }
        #expect(times == [0, 20])
    }
}
