// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// The thread of one I2C bus: serves its devices when they are due or their interrupt line rises, and with them
/// those that are ready. `MeasuringSystem` has one for each bus; `studyd check` runs one for its trial of a
/// chip.
///
/// A stuck bus stops no other. After `stop` has returned no device is touched again.
package final class BusThread: ThreadOwner {
    package let worker: WorkerThread
    private let counts: BusCounts

    /// Starts serving `devices` at once; they belong to the thread from now on. `priority` is
    /// that of SCHED_FIFO.
    package convenience init(
        name: String, devices: sending [any PolledDevice], clock: any StudyClock, priority: Int? = nil
    ) throws(SystemError) {
        try self.init(name: name, schedule: BusSchedule(devices), clock: clock, priority: priority)
    }

    private init(
        name: String, schedule: sending BusSchedule, clock: any StudyClock, priority: Int?
    ) throws(SystemError) {
        let waker = try Waker()
        let counts = BusCounts()
        let loop = try EventLoop(clock: clock, waker: waker)
        self.counts = counts
        worker = try WorkerThread(name: name, waker: waker, priority: priority) { serve(schedule, on: loop, counts) }
    }

    package var wakeUps: Int { counts.wakeUps.load(ordering: .relaxed) }
    /// How often a device was served; with coalescing more than `wakeUps`.
    package var served: Int { counts.served.load(ordering: .relaxed) }
}

private final class BusCounts: Sendable {
    let wakeUps = Atomic<Int>(0)
    let served = Atomic<Int>(0)
}

private func serve(_ schedule: BusSchedule, on loop: EventLoop, _ counts: BusCounts) {
    let clock = { [unowned loop] in loop.now }
    loop.onAlarm = { [unowned loop] now in
        counts.wakeUps.wrappingAdd(1, ordering: .relaxed)
        counts.served.wrappingAdd(schedule.serve(at: now, clock: clock), ordering: .relaxed)
        loop.setAlarm(schedule.due)
    }
    for line in schedule.interrupts {
        // Where a line cannot be waited for, its device is served by the clock.
        try? loop.watch(line) { [unowned loop] now in
            counts.wakeUps.wrappingAdd(1, ordering: .relaxed)
            do throws(SystemError) {
                let served = try schedule.serveInterrupt(line, at: now, clock: clock)
                counts.served.wrappingAdd(served, ordering: .relaxed)
            } catch { loop.unwatch(line) }
            loop.setAlarm(schedule.due)
        }
    }
    loop.setAlarm(schedule.due)
    loop.run()
}
