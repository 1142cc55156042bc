// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// One thread for all parts of the agent that only decide and wait; it sleeps until the next alarm
/// of any of them.
///
/// The runtime's own pool wakes up once a second for as long as the process lives, from its first
/// job on (libdispatch counts its runnable threads), and once more for each sleep that is over. A
/// battery pays for each of them. Work that blocks must use a separate thread (`onThread`).
package final class TaskThread: TaskExecutor {
    /// The thread on which this task and its child tasks run; nil = the runtime's pool.
    @TaskLocal package static var current: TaskThread?

    private let waker: Waker
    private let state = Mutex(State())
    private let base: any StudyClock

    /// Starts the thread, which lives as long as the process. `base` is read and never slept by.
    package init(name: String, clock base: any StudyClock = SystemClock()) throws {
        waker = try Waker()
        self.base = base
        _ = try NamedThread(name: name, stack: nil) { [self] in run() }
    }

    /// A clock with sleepers that this thread wakes.
    package var clock: any StudyClock { TaskClock(base: base, thread: self) }

    /// Called by the Swift runtime, on any thread; returns at once. Jobs run in the order in which they were
    /// enqueued.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        change { $0.jobs.append(job) }
    }

    /// Runs `operation` and all that it begins on this thread.
    package func carry(_ operation: @Sendable () async -> Void) async {
        await Self.$current.withValue(self) {
            await withTaskExecutorPreference(self) { await operation() }
        }
    }

    fileprivate func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        let id = state.withLock { $0.newID() }
        defer { state.withLock { $0.sleepers.forget(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                change { $0.sleepers.add(Sleeper(id: id, deadline: deadline, continuation: continuation)) }
            }
        } onCancel: {
            change { $0.sleepers.cancel(id) }
        }
    }

    /// Changes the state, and wakes the thread if it sleeps.
    private func change(_ body: (inout State) -> Void) {
        let isAsleep = state.withLock { state in
            body(&state)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if isAsleep { waker.wake() }
    }

    private func run() {
        while true {
            let now = base.monotonic
            let (jobs, due, pause) = state.withLock { $0.takeWork(at: now) }
            for sleeper in due { sleeper.wake() }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if jobs.isEmpty, due.isEmpty { waker.wait(atMost: pause) }
        }
    }

    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var sleepers = Sleepers()
        /// The thread waits, and is to be woken.
        var isAsleep = false
        private var ids: UInt64 = 0

        mutating func newID() -> UInt64 {
            ids += 1
            return ids
        }

        /// Takes what is to be done now. Where that is nothing, `pause` is how long the thread may wait; nil
        /// = until it is woken.
        mutating func takeWork(at now: MonotonicTime) -> (jobs: [UnownedJob], due: [Sleeper], pause: Duration?) {
            let due = sleepers.takeDue(at: now)
            defer { jobs.removeAll(keepingCapacity: true) }
            isAsleep = jobs.isEmpty && due.isEmpty
            // A millisecond more, since the wait is cut to whole ones.
            return (jobs, due, sleepers.next.map { max(.zero, $0 - now) + .milliseconds(1) })
        }
    }
}

private struct Sleeper: Sendable {
    let id: UInt64
    let deadline: MonotonicTime
    let continuation: CheckedContinuation<Void, any Error>
    var isCancelled = false

    func wake() {
        if isCancelled {
            continuation.resume(throwing: CancellationError())
        } else {
            continuation.resume()
        }
    }
}

/// The tasks that sleep, with their deadlines; about a dozen, so plain arrays suffice.
private struct Sleepers: Sendable {
    private var all: [Sleeper] = []
    /// Ids of sleepers that were cancelled before they were added.
    private var early: Set<UInt64> = []

    /// When the first one is to be woken.
    var next: MonotonicTime? { all.lazy.map { $0.isCancelled ? .zero : $0.deadline }.min() }

    mutating func add(_ sleeper: Sleeper) {
        var sleeper = sleeper
        sleeper.isCancelled = early.remove(sleeper.id) != nil
        all.append(sleeper)
    }

    mutating func cancel(_ id: UInt64) {
        if let place = all.firstIndex(where: { $0.id == id }) {
            all[place].isCancelled = true
        } else {
            early.insert(id)
        }
    }

    /// The sleep with this id is over: a cancellation that was noted for it is forgotten.
    mutating func forget(_ id: UInt64) { early.remove(id) }

    /// Removes and returns the sleepers to be woken, in the order of their deadlines.
    mutating func takeDue(at now: MonotonicTime) -> [Sleeper] {
        guard let next, next <= now else { return [] }
        let due = all.filter { $0.isCancelled || $0.deadline <= now }
        all.removeAll { $0.isCancelled || $0.deadline <= now }
        return due.sorted { $0.deadline < $1.deadline }
    }
}

/// A clock with sleepers that a thread wakes.
private struct TaskClock: StudyClock {
    let base: any StudyClock
    let thread: TaskThread

    var now: Instant { base.now }
    var monotonic: MonotonicTime { base.monotonic }
    var marks: ClockMarks { base.marks }
    func sleep(until deadline: MonotonicTime) async throws { try await thread.sleep(until: deadline) }
}
