// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What bus threads do, in virtual time, for tests: serves each device when it is due, earliest first.
///
/// Runs as fast as it can on the caller's thread. The devices' simulated bus must
/// read the same clock.
package final class SteppedPoller {
    private struct Entry {
        let schedule: BusSchedule
        /// Not woken again before this: 1 ms after its last wake-up, like a real thread.
        var earliest: MonotonicTime
        var due: MonotonicTime? { schedule.due.map { max($0, earliest) } }
    }

    private let clock: VirtualClock
    private let lateness: () -> Duration
    private var entries: [Entry] = []
    /// How often each thread woke up, in the order of adding.
    package private(set) var wakeUps: [Int] = []

    /// A poller that moves this clock. Each wake-up is late by `lateness`, as a
    /// busy computer's are.
    package init(clock: VirtualClock, lateness: @escaping () -> Duration = { .zero }) {
        self.clock = clock
        self.lateness = lateness
    }

    /// Serves this device too, as a separate thread.
    package func add(_ device: any PolledDevice) { add(thread: [device]) }

    /// Serves these too, as the thread of one bus: they share wake-ups.
    package func add(thread devices: [any PolledDevice]) {
        entries.append(Entry(schedule: BusSchedule(devices), earliest: clock.monotonic))
        wakeUps.append(0)
    }

    /// When the next device is due; nil without devices.
    package var due: MonotonicTime? { entries.compactMap(\.due).min() }

    /// Serves everything that is due until `end`, moving the clock from one to the next and
    /// then to `end`. Devices that are due at the same time are served in the order in which
    /// they were added.
    package func run(until end: MonotonicTime) {
        while let (next, due) = next, due <= end {
            clock.advance(to: due + lateness())
            entries[next].schedule.serve(at: clock.monotonic) { [clock] in clock.monotonic }
            countWakeUp(next)
            for index in entries.indices { serveInterrupts(index) }
        }
        clock.advance(to: end)
    }

    private var next: (index: Int, due: MonotonicTime)? {
        var next: (index: Int, due: MonotonicTime)?
        for index in entries.indices {
            guard let due = entries[index].due, next.map({ due < $0.due }) ?? true else { continue }
            next = (index, due)
        }
        return next
    }

    private func serveInterrupts(_ index: Int) {
        for line in entries[index].schedule.interrupts {
            let served = try? entries[index].schedule.serveInterrupt(line, at: clock.monotonic) { [clock] in
                clock.monotonic
            }
            if let served, served > 0 { countWakeUp(index) }
        }
    }

    private func countWakeUp(_ index: Int) {
        wakeUps[index] += 1
        entries[index].earliest = clock.monotonic + .milliseconds(1)
    }
}
