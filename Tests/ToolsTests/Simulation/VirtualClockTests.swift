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

/// CLOCK_MONOTONIC stands still in a sleep, and so does the wall clock of a kernel that does not count it.
@Test(arguments: [true, false]) func aSleepIsMarkedAndTimeStandsStill(isCounted: Bool) {
    let clock = VirtualClock(now: begin, monotonic: at(7))
    #expect(clock.marks == ClockMarks(raw: at(7), slept: .zero, suspensions: 0))
    for count in 1...2 {
        clock.suspend(for: .seconds(30), isCounted: isCounted)
        let slept: Duration = .seconds(isCounted ? 30 * count : 0)
        #expect(clock.monotonic == at(7) && clock.now == begin + slept)
        #expect(clock.marks == ClockMarks(raw: at(7), slept: slept, suspensions: count))
    }
}

@Test(.timeLimit(.minutes(10))) func whoWaitsForMoreSleepersIsNotWokenByFewer() async throws {
    let clock = VirtualClock(now: begin)
    #expect(clock.nextDeadline == nil)
    let first = Task { try await clock.sleep(until: at(2)) }
    await clock.whenSleeping(1)
    let second = Task { try await clock.sleep(until: at(1)) }
    await clock.whenSleeping(2)
    #expect(clock.sleeping == 2 && clock.nextDeadline == at(1))
    clock.advance(to: at(1))
    try await second.value
    #expect(clock.sleeping == 1 && clock.nextDeadline == at(2) && clock.now == begin + .seconds(1))
    clock.advance(to: at(3))
    try await first.value
    #expect(clock.sleeping == 0 && clock.monotonic == at(3))
}

/// Runs the jobs of its tasks when the test says so, in the order in which they can go on.
private final class Stepped: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

@Test func ofEqualDeadlinesTheOneThatWaitedFirstComesFirst() {
    let (clock, diary, executor) = (VirtualClock(now: begin), Diary(), Stepped())
    for (number, deadline) in [(1, 10.0), (2, 10), (3, 5), (4, 10)] {
        Task(executorPreference: executor) {
            try await clock.sleep(until: at(deadline))
            diary.record(.seconds(number))
        }
        executor.run()
    }
    #expect(clock.sleeping == 4 && clock.nextDeadline == at(5))
    clock.advance(to: at(10))
    executor.run()
    #expect(diary.all == [.seconds(3), .seconds(1), .seconds(2), .seconds(4)])
}
