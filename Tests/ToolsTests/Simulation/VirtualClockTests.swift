// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Synchronization
import Testing

private let begin = Instant(seconds: 1_700_000_000)

/// Where several tasks write down when they woke.
private final class Diary: Sendable {
    private let entries = Mutex<[Duration]>([])
    var all: [Duration] { entries.withLock { $0 } }
    func record(_ entry: Duration) { entries.withLock { $0.append(entry) } }
}

@Test(.timeLimit(.minutes(10))) func sleepersWakeInOrderEachAtItsOwnTime() async throws {
    let clock = VirtualClock(now: begin)
    let diary = Diary()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for seconds in [30.0, 10, 20] {
            group.addTask {
                try await clock.sleep(until: at(seconds))
                diary.record(clock.now - begin)
            }
        }
        await clock.whenSleeping(3)
        while let next = clock.nextDeadline {
            clock.advance(to: next)
            try await group.next()
        }
    }
    #expect(diary.all == [.seconds(10), .seconds(20), .seconds(30)])
}

@Test(.timeLimit(.minutes(10))) func aLoopOfALongTimeIsExact() async throws {
    let clock = VirtualClock(now: begin)
    let ticks = 2_000
    async let loop: MonotonicTime = {
        for tick in 1...ticks { try await clock.sleep(until: at(60 * Double(tick))) }
        return clock.monotonic
    }()
    for tick in 1...ticks {
        await clock.whenSleeping(1)
        #expect(clock.nextDeadline == at(60 * Double(tick)))
        clock.advance(to: at(60 * Double(tick)))
    }
    #expect(try await loop == at(120_000))
}

@Test(.timeLimit(.minutes(10))) func aDeadlineThatIsPastDoesNotWait() async throws {
    let clock = VirtualClock(now: begin, monotonic: at(5))
    try await clock.sleep(until: at(5))
    #expect(clock.sleeping == 0)
}

@Test(.timeLimit(.minutes(10))) func cancellationEndsTheWait() async throws {
    let clock = VirtualClock(now: begin)
    let task = Task { try await clock.sleep(until: at(10)) }
    await clock.whenSleeping(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeping == 0)
}

@Test(.timeLimit(.minutes(10))) func aTaskThatIsAlreadyCancelledDoesNotWait() async throws {
    let clock = VirtualClock(now: begin)
    let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await clock.sleep(until: at(10))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
}

@Test(.timeLimit(.minutes(10))) func whoWaitsForSleepersIsLetGoWhenCancelled() async throws {
    let clock = VirtualClock(now: begin)
    let early = Task { await clock.whenSleeping(1) }
    early.cancel()
    await early.value
    let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await clock.whenSleeping(1)
    }
    await late.value
    #expect(clock.sleeping == 0)
}

@Test func theWallClockStepsAloneAndTimeNeverGoesBack() {
    let clock = VirtualClock(now: begin)
    clock.advance(to: at(10))
    clock.stepWall(by: .seconds(-3600))
    #expect(clock.monotonic == at(10) && clock.now == begin - .seconds(3590))
    clock.advance(to: at(5))
    #expect(clock.monotonic == at(10))
}
