// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// Time that passes only on command, for tests and made studies (`MadeSurroundings`). Any thread may use it.
///
/// A test is deterministic when it advances from deadline to deadline and, in between, waits until
/// the woken tasks sleep again:
///
///     while let next = clock.nextDeadline {
///         clock.advance(to: next)
///         await clock.whenSleeping(1)
///     }
package final class VirtualClock: StudyClock {
    private struct Sleeper: Sendable {
        let deadline: MonotonicTime
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// A caller of `whenSleeping`, resumed once `count` tasks sleep.
    private struct Watcher: Sendable {
        let count: Int
        let id: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var monotonic: MonotonicTime
        var wall: Instant
        /// How long, and how often, the machine was suspended.
        var slept = Duration.zero
        var suspensions = 0
        /// In the order of their deadlines.
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        /// Waits that were cancelled while they were in neither list.
        var cancelled: Set<UInt64> = []
        var lastID: UInt64 = 0

        mutating func newID() -> UInt64 {
            lastID += 1
            return lastID
        }

        mutating func move(to time: MonotonicTime) {
            guard time > monotonic else { return }
            wall = wall + (time - monotonic)
            monotonic = time
        }
    }

    /// Continuations are taken out under the lock, and resumed once, outside of it.
    private let state: Mutex<State>

    package init(now: Instant, monotonic: MonotonicTime = .zero) {
        state = Mutex(State(monotonic: monotonic, wall: now))
    }

    /// Wall time, which may have been stepped.
    package var now: Instant { state.withLock { $0.wall } }
    /// Never steps.
    package var monotonic: MonotonicTime { state.withLock { $0.monotonic } }
    /// `raw` equals `monotonic`, since nothing slews this clock; the sleeps are those of `suspend`.
    package var marks: ClockMarks {
        state.withLock { ClockMarks(raw: $0.monotonic, slept: $0.slept, suspensions: $0.suspensions) }
    }
    /// The earliest time that a task waits for, nil when none waits.
    package var nextDeadline: MonotonicTime? { state.withLock { $0.sleepers.first?.deadline } }
    package var sleeping: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass up to `time` and wakes those with a deadline by then, earliest first, each at
    /// its deadline; of equal deadlines the one that began to wait first. Time never goes back.
    package func advance(to time: MonotonicTime) {
        while let sleeper = nextSleeper(by: time) { sleeper.continuation.resume() }
        state.withLock { $0.move(to: time) }
    }

    /// The wall clock jumps, as when it is set; monotonic time does not notice.
    package func stepWall(by jump: Duration) { state.withLock { $0.wall = $0.wall + jump } }

    /// The machine is suspended for this long: monotonic time does not pass. A kernel that does not
    /// count the sleep has a wall clock that stopped, too (Linux kernel/time/timekeeping.c,
    /// `timekeeping_resume`).
    package func suspend(for duration: Duration, isCounted: Bool = true) {
        state.withLock { state in
            state.suspensions += 1
            guard isCounted else { return }
            state.wall = state.wall + duration
            state.slept = state.slept + duration
        }
    }

    /// Returns once at least `count` tasks wait on this clock, or the task that asks is cancelled.
    package func whenSleeping(_ count: Int) async {
        let id = state.withLock { $0.newID() }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { watch(Watcher(count: count, id: id, continuation: $0)) }
        } onCancel: {
            cancel(id)
        }
    }

    /// Returns once the clock has been moved to that time.
    package func sleep(until deadline: MonotonicTime) async throws {
        let id = state.withLock { $0.newID() }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(Sleeper(deadline: deadline, id: id, continuation: $0)) }
        } onCancel: {
            cancel(id)
        }
    }

    private func nextSleeper(by time: MonotonicTime) -> Sleeper? {
        state.withLock { state in
            guard let first = state.sleepers.first, first.deadline <= time else { return nil }
            state.move(to: first.deadline)
            return state.sleepers.removeFirst()
        }
    }

    private func watch(_ watcher: Watcher) {
        let isOver = state.withLock { state in
            if state.sleepers.count >= watcher.count || state.cancelled.contains(watcher.id) { return true }
            state.watchers.append(watcher)
            return false
        }
        if isOver { watcher.continuation.resume() }
    }

    private enum Entry {
        case waits([Watcher])
        case isDue
        case isCancelled
    }

    private func enter(_ sleeper: Sleeper) {
        let entry: Entry = state.withLock { state in
            if state.cancelled.contains(sleeper.id) { return .isCancelled }
            if sleeper.deadline <= state.monotonic { return .isDue }
            let place = state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: place)
            let count = state.sleepers.count
            let reached = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return .waits(reached)
        }
        switch entry {
        case .waits(let watchers): for watcher in watchers { watcher.continuation.resume() }
        case .isDue: sleeper.continuation.resume()
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: UInt64) {
        let (sleeper, watcher): (Sleeper?, Watcher?) = state.withLock { state in
            if let place = state.sleepers.firstIndex(where: { $0.id == id }) {
                return (state.sleepers.remove(at: place), nil)
            }
            if let place = state.watchers.firstIndex(where: { $0.id == id }) {
                return (nil, state.watchers.remove(at: place))
            }
            state.cancelled.insert(id)
            return (nil, nil)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        watcher?.continuation.resume()
    }
}
