// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Testing

/// Wants to be served every `period`, and says when it was.
private final class Ticking: PolledDevice {
    private(set) var due: MonotonicTime
    private let period: Duration
    private let seen: (MonotonicTime) -> Void

    init(due: MonotonicTime, period: Duration, seen: @escaping (MonotonicTime) -> Void) {
        self.due = due
        self.period = period
        self.seen = seen
    }

    func serve(at now: MonotonicTime) {
        seen(now)
        due = due + period
    }
}

@Suite(.timeLimit(.minutes(10))) struct BusThreadTests {
    @Test func devicesDueWithinAMillisecondAreServedTogether() {
        var served: [Int] = []
        let offsets: [Int64] = [0, 900_000, 1_100_000]
        let devices = offsets.enumerated().map { index, offset in
            Ticking(due: MonotonicTime(nanoseconds: offset), period: .milliseconds(20)) { _ in served.append(index) }
        }
        let schedule = BusSchedule(devices)
        #expect(schedule.serve(at: .zero) == 2 && served == [0, 1])
        #expect(schedule.due == MonotonicTime(nanoseconds: 1_100_000))
        #expect(BusSchedule([]).due == nil)
    }

    @Test func noDeviceIsServedBeforeItIsDueNorAfterStop() throws {
        let clock = KernelClock()
        let start = clock.monotonic + .milliseconds(5)
        let seen = try Collected<MonotonicTime>()
        let devices: [any PolledDevice] = [
            Ticking(due: start, period: .milliseconds(10)) { seen.add($0) },
            Ticking(due: start, period: .milliseconds(10)) { seen.add($0) },
        ]
        let thread = try BusThread(name: "i2c-test", devices: devices, clock: clock)
        let times = seen.wait(for: 20)
        thread.stop()
        let count = seen.all.count
        #expect(thread.served == count && thread.wakeUps <= count / 2)
        for (index, time) in times.enumerated() {
            #expect(time + BusSchedule.window >= start + .milliseconds(10) * (index / 2))
        }
        thread.stop()
        #expect(seen.all.count == count)
    }
}
