// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Synchronization

/// A serial executor on a named thread of its own, for actors that block on the disk or the network.
///
/// On the shared pool such an actor would delay everybody's timers. The thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor {
    private let queue: Queue

    /// Starts the thread. The kernel shows the first 15 bytes of `name`.
    public init(name: String) throws(ThreadError) {
        queue = try Queue(name: name)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(queue).toOpaque()
        let code = pthread_create(&thread, nil, { Queue.run($0) }, context)
        guard code == 0 else {
            Unmanaged<Queue>.fromOpaque(context).release()
            throw ThreadError(step: "pthread_create", code: code)
        }
        pthread_detach(thread)
    }

    deinit { queue.finish() }

    /// `SerialExecutor`: any thread, returns at once. Jobs run in the order of their coming; the queue has no bound.
    public func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), of: self) }
}

/// What thread and executor share.
private final class Queue: Sendable {
    /// A job with the executor it runs on, which so lives at least as long as the job.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
    }
    struct State: Sendable {
        var entries: [Entry] = []
        var isFinished = false
    }

    let name: String
    private let state = Mutex(State())
    private let pipe: WakePipe

    init(name: String) throws(ThreadError) {
        self.name = name
        pipe = try WakePipe()
    }

    func add(_ job: UnownedJob, of executor: ThreadExecutor) {
        let wasEmpty = state.withLock { state in
            state.entries.append(Entry(job: job, executor: executor))
            return state.entries.count == 1
        }
        if wasEmpty { pipe.signal() }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        pipe.signal()
    }

    /// All jobs so far; nil once finished.
    private func take() -> [Entry]? {
        state.withLock { state in
            guard state.entries.isEmpty else {
                defer { state.entries.removeAll(keepingCapacity: true) }
                return state.entries
            }
            return state.isFinished ? nil : []
        }
    }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let queue = Unmanaged<Queue>.fromOpaque(context).takeRetainedValue()
        _ = clinux_name_thread(String(queue.name.prefix(15)))
        while let entries = queue.take() {
            for entry in entries { entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor()) }
            if entries.isEmpty { queue.pipe.wait() }
        }
        return nil
    }
}
