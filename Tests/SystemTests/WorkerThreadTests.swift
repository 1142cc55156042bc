// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import SystemKit
import Testing

/// What the kernel lists of this process's threads is the judge.
@Suite struct WorkerThreadTests {
    /// The thread's name as the kernel knows it; nil once it is gone.
    private func comm(_ thread: CInt) -> String? {
        let text = try? BoundedFile.text("/proc/self/task/\(thread)/comm")
        return text.map { String($0.prefix { !$0.isNewline }) }
    }

    /// A worker that does nothing but wait, and the kernel's number of its thread.
    private func waiting(_ name: String) throws -> (worker: WorkerThread, thread: CInt) {
        let waker = try Waker()
        let worker = try WorkerThread(name: name, waker: waker) {
            while !waker.isStopping { waker.wait() }
        }
        worker.wake()
        let probe = worker.probe
        while probe.threadID == 0 { usleep(200) }
        return (worker, probe.threadID)
    }

    /// pthread_join(3) returns while the kernel still ends the thread, which it has forgotten a moment later.
    @Test(.timeLimit(.minutes(10))) func theKernelKnowsItByNameUntilItHasStopped() throws {
        let (worker, thread) = try waiting("worker-a")
        #expect(comm(thread) == "worker-a")
        worker.stop()
        while comm(thread) == "worker-a" { usleep(200) }
        worker.stop()
        #expect(worker.stop(within: .zero))
    }

    @Test(.timeLimit(.minutes(10))) func droppingItEndsTheThread() throws {
        let thread = try waiting("worker-b").thread
        while comm(thread) == "worker-b" { usleep(200) }
    }

    @Test(.timeLimit(.minutes(10))) func aThreadThatIsHeldIsLeftBehindAndEndsByItself() throws {
        let waker = try Waker()
        let (isHeld, isOver) = (Lock(true), Lock(false))
        let worker = try WorkerThread(name: "worker-c", waker: waker) {
            while isHeld.value { usleep(200) }
            isOver.set(true)
        }
        #expect(!worker.stop(within: .milliseconds(5)) && !isOver.value)
        isHeld.set(false)
        while !isOver.value { usleep(200) }
        #expect(worker.stop(within: .zero))
    }
}

private final class Lock: Sendable {
    private let state: Mutex<Bool>
    init(_ value: Bool) { state = Mutex(value) }
    var value: Bool { state.withLock { $0 } }
    func set(_ value: Bool) { state.withLock { $0 = value } }
}
