// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Synchronization
import SystemKit

/// What waking up costs a bus's thread, with the kernel's part: a device that does nothing, a
/// thousand times a second.
enum WakeUpBench {
    /// Asks its thread's account at every wake-up; the rest of the loop lies between two of them.
    private final class Idle: PolledDevice {
        private(set) var due: MonotonicTime
        private let result: Result
        private var first: Cost?
        init(from start: MonotonicTime, _ result: Result) {
            due = start
            self.result = result
        }
        func serve(at now: MonotonicTime) {
            due = now + .milliseconds(2)
            let cost = Cost.now
            result.turns.withLock { turns in
                // The first hundred warm up.
                if turns.count == 100 { first = cost }
                turns.count += 1
                if let first { turns.cost = cost - first }
            }
        }
    }

    private final class Result: Sendable {
        let turns = Mutex((count: 0, cost: Cost()))
    }

    private static let measured: (time: Duration, allocations: Double) = {
        let result = Result()
        let clock = SystemClock()
        guard
            let thread = try? BusThread(name: "bus-bench", devices: [Idle(from: clock.monotonic, result)], clock: clock)
        else { return (.zero, 0) }
        sleep(3)
        thread.stop()
        let (count, cost) = result.turns.withLock { $0 }
        let turns = max(1, count - 101)
        return (.nanoseconds(cost.processor / Int64(turns)), Double(cost.allocations) / Double(turns))
    }()

    static var cost: Duration { measured.time }

    static func figures() -> [Figure] {
        [Figure(name: "a wake-up of a bus's thread", value: measured.time.seconds * 1e6, unit: "us")]
            + (countsAllocations
                ? [Figure(name: "allocations per wake-up", value: measured.allocations, unit: "count", limit: 0)] : [])
    }
}
