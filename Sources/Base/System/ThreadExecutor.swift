// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// A serial executor with its own named thread, for actors that block on the disk or the network:
/// `StudyDatabase` and `DeliveryLane`.
///
/// On the shared pool such an actor would delay all timers. The thread ends when the executor is
/// released.
package final class ThreadExecutor: SerialExecutor {
    private let queue: Queue

    /// Starts the thread. The kernel shows the first 15 bytes of `name`.
    package init(name: String) throws(ThreadError) {
        do throws(SystemError) {
            queue = Queue(waker: try Waker())
        } catch {
            throw ThreadError(step: "eventfd", code: error.code)
        }
        do throws(SystemError) {
            // Not joined: `run` returns after `finish`, which `deinit` may call from this very thread.
            _ = try NamedThread(name: name, stack: nil) { [queue] in queue.run() }
        } catch {
            throw ThreadError(step: "pthread_create", code: error.code)
        }
    }

    deinit { queue.finish() }

    /// `SerialExecutor`: any thread, returns at once. Jobs run in the order in which they came; the
    /// queue has no bound.
    package func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), of: self) }
}

/// What thread and executor share.
private final class Queue: Sendable {
    /// A job, and the executor that it runs on, which is kept alive until the job has run.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
    }
    struct State: Sendable {
        var entries: [Entry] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let waker: Waker

    init(waker: Waker) { self.waker = waker }

    func add(_ job: UnownedJob, of executor: ThreadExecutor) {
        let wasEmpty = state.withLock { state in
            state.entries.append(Entry(job: job, executor: executor))
            return state.entries.count == 1
        }
        if wasEmpty { waker.wake() }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        waker.wake()
    }

    /// All jobs so far; nil once finished.
    private func dequeue() -> [Entry]? {
        state.withLock { state in
            guard state.entries.isEmpty else {
                defer { state.entries.removeAll(keepingCapacity: true) }
                return state.entries
            }
            return state.isFinished ? nil : []
        }
    }

    /// The thread's body; returns once finished.
    func run() {
        while let entries = dequeue() {
            for entry in entries { entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor()) }
            if entries.isEmpty { waker.wait() }
        }
    }
}

/// `ThreadExecutor` could not start its thread.
package struct ThreadError: ExplainedError, Sendable, Hashable {
    /// The system call that failed.
    let step: String
    /// The errno value.
    let code: CInt
    package var explanation: Explanation {
        Explanation(
            place: "thread",
            cause:
                "\(step) failed with errno \(code): raise the limits of threads and open files of this process")
    }
}
