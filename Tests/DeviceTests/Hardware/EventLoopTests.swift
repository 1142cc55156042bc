// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import SystemKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
    private let clock = KernelClock()

    @Test func anAlarmNeverComesBeforeItsTime() throws {
        let loop = try EventLoop(clock: clock, waker: try Waker())
        let times = [3, 5, 9].map { clock.monotonic + .milliseconds($0) }
        var rung: [MonotonicTime] = []
        loop.onAlarm = { [unowned loop] now in
            rung.append(now)
            if rung.count < times.count { loop.setAlarm(times[rung.count]) } else { loop.waker.stop() }
        }
        loop.setAlarm(times[0])
        loop.run()
        #expect(rung.count == 3 && zip(rung, times).allSatisfy { $0 >= $1 })
        #expect(loop.wakeUps == 3 && loop.failure == nil)
    }

    @Test func anAlarmInThePastRingsAtOnce() throws {
        let loop = try EventLoop(clock: clock, waker: try Waker())
        loop.onAlarm = { [unowned loop] _ in loop.waker.stop() }
        loop.setAlarm(MonotonicTime(nanoseconds: -5))
        loop.run()
    }

    @Test func descriptorsAreServedUntilForgotten() throws {
        let loop = try EventLoop(clock: clock, waker: try Waker())
        let pipe = try Pipe(name: "bytes")
        var calls = 0
        let descriptor = pipe.reading.rawValue
        try loop.watch(descriptor) { [unowned loop] _ in
            calls += 1
            if calls == 3 {
                loop.unwatch(descriptor)
                loop.setAlarm(.zero)
            }
        }
        loop.onAlarm = { [unowned loop] _ in loop.waker.stop() }
        try pipe.writing.write([1])
        loop.run()
        #expect(calls == 3)
    }

    @Test func whatCannotBeWatchedIsRefused() throws {
        let loop = try EventLoop(clock: clock, waker: try Waker())
        let folder = try ScratchFolder()
        let file = try Descriptor(opening: try folder.file("plain"), flags: O_RDONLY)
        #expect(throws: SystemError.self) { try loop.watch(file.rawValue) { _ in } }
        #expect(throws: SystemError.self) { try loop.watch(-1) { _ in } }
    }

    @Test func stoppingFromAnotherThreadEndsALoopThatWaits() throws {
        let waker = try Waker()
        let loop = try EventLoop(clock: clock, waker: waker)
        let thread = try NamedThread(name: "stopper") { waker.stop() }
        loop.run()
        thread.join()
        #expect(waker.isStopping)
    }
}
