// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Synchronization
import Testing

@testable import Agent

private func ownThread() -> UInt { UInt(pthread_self()) }

/// Everything on one thread, and everybody woken when their time has come. `pthread_self` is the C
/// library's own word for which thread it is.
@Suite(.timeLimit(.minutes(10)))
struct TaskThreadTests {
    /// Runs it there and returns what it gave.
    private func carried<Value: Sendable>(
        _ operation: @escaping @Sendable (any StudyClock) async throws -> Value
    ) async throws -> Value {
        let thread = try TaskThread(name: "test-tasks")
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        await thread.carry {
            do {
                let value = try await operation(thread.clock)
                outcome.withLock { $0 = .success(value) }
            } catch { outcome.withLock { $0 = .failure(error) } }
        }
        return try #require(outcome.withLock { $0 }).get()
    }

    @Test func whatItBeginsRunsOnItToo() async throws {
        let threads = try await carried { clock -> Set<UInt> in
            let own = ownThread()
            async let other = ownThread()
            let loose = Task(executorPreference: TaskThread.current) { ownThread() }
            try await clock.sleep(until: clock.monotonic + .milliseconds(1))
            return [own, await other, await loose.value, ownThread()]
        }
        #expect(threads.count == 1)
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlinesAndNoneTooSoon() async throws {
        let order = try await carried { clock -> [Int] in
            let start = clock.monotonic
            return try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
                for delay in [30, 10, 20, 0] {
                    group.addTask {
                        let deadline = start + .milliseconds(delay)
                        try await clock.sleep(until: deadline)
                        return (delay, clock.monotonic >= deadline)
                    }
                }
                var order: [Int] = []
                for try await (delay, isInTime) in group {
                    #expect(isInTime)
                    order.append(delay)
                }
                return order
            }
        }
        #expect(order == [0, 10, 20, 30])
    }

    @Test(arguments: [false, true])
    func whoIsCancelledDoesNotSleep(_ isBefore: Bool) async throws {
        let wasCancelled = try await carried { clock -> Bool in
            let sleeper = Task(executorPreference: TaskThread.current) { () -> Bool in
                do { try await clock.sleep(until: clock.monotonic + .seconds(100_000)) } catch {
                    return error is CancellationError
                }
                return false
            }
            // What was begun on this thread runs as soon as this task waits.
            if !isBefore { await Task.yield() }
            sleeper.cancel()
            return await sleeper.value
        }
        #expect(wasCancelled)
    }

    @Test func whoIsCancelledWakesNoOtherSleeper() async throws {
        let wereCancelled = try await carried { clock -> [Bool] in
            let start = clock.monotonic
            let sleepers = [20, 30, 100_000_000].map { delay in
                Task(executorPreference: TaskThread.current) { () -> Bool in
                    do { try await clock.sleep(until: start + .milliseconds(delay)) } catch {
                        return error is CancellationError
                    }
                    return false
                }
            }
            await Task.yield()
            sleepers[2].cancel()
            var wereCancelled: [Bool] = []
            for sleeper in sleepers { wereCancelled.append(await sleeper.value) }
            return wereCancelled
        }
        #expect(wereCancelled == [false, false, true])
    }

    @Test func anotherThreadWakesIt() async throws {
        let value = try await carried { _ in try await onThread("test-other") { 7 } }
        #expect(value == 7)
    }
}
