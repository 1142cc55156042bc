// SPDX-License-Identifier: Apache-2.0
import Glibc
import Hardware
import Synchronization
import Times

/// A POSIX thread that serves one simulated device in real time: keys, a receiver.
public final class SteppedThread: Sendable {
    private let nudge: Nudge
    private let thread: pthread_t

    /// Starts a thread that serves `device` whenever it is due on `clock` (CLOCK_MONOTONIC).
    public init(
        _ device: sending any PolledDevice, clock: @escaping @Sendable () -> MonotonicTime
    ) throws(SimulationError) {
        let nudge = try Nudge()
        let body = Body { while nudge.wait(until: device.due, clock: clock) { device.serve(at: clock()) } }
        let context = Unmanaged.passRetained(body)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw SimulationError(operation: "start", place: "thread", code: code)
        }
        self.nudge = nudge
        self.thread = thread
    }

    /// Lets the thread look again at when its device is due; any thread may call.
    public func wake() { nudge.raise() }

    /// Ends the thread and waits for its end. Call once.
    public func stop() {
        nudge.end()
        pthread_join(thread, nil)
    }
}

/// What the thread runs; made in one thread and run in another, never in both.
private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

/// A pipe by which a waiting thread is woken or ended.
private final class Nudge: Sendable {
    private let reading: CInt
    private let writing: CInt
    private let isEnded = Atomic(false)

    init() throws(SimulationError) {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw SimulationError(operation: "make", place: "pipe", code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    func raise() { _ = write(writing, [1], 1) }

    func end() {
        isEnded.store(true, ordering: .releasing)
        raise()
    }

    /// Waits until `time` or until woken; false once ended.
    func wait(until time: MonotonicTime, clock: () -> MonotonicTime) -> Bool {
        let now = clock()
        if time > now {
            // Rounded up, and at most a minute: the time may be the end of time.
            let left = time.nanoseconds &- now.nanoseconds
            var polled = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            let milliseconds = min(left / 1_000_000, 59_999) + 1
            if poll(&polled, 1, CInt(milliseconds)) > 0 { drain() }
        }
        return !isEnded.load(ordering: .acquiring)
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 64)
        while read(reading, &buffer, buffer.count) > 0 {}
    }
}
