// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import SystemKit
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

/// A line with as many edges as it is given.
private final class Edges: InterruptLine {
    let descriptor: CInt
    private(set) var waiting: [MonotonicTime]

    init(_ descriptor: CInt, _ waiting: [MonotonicTime]) { (self.descriptor, self.waiting) = (descriptor, waiting) }

    func readEdge() throws(SystemError) -> MonotonicTime? { waiting.isEmpty ? nil : waiting.removeFirst() }
}

/// Wants to be served in an hour, or when its line rises.
private final class Wired: PolledDevice {
    let due = MonotonicTime.zero + .seconds(3600)
    let interrupt: (any InterruptLine)?
    private(set) var served: [(now: MonotonicTime, edge: MonotonicTime?)] = []

    init(_ line: Edges) { interrupt = line }

    func serve(at now: MonotonicTime) { serve(at: now, edge: nil) }
    func serve(at now: MonotonicTime, edge: MonotonicTime?) { served.append((now, edge)) }
}

@Suite(.timeLimit(.minutes(10))) struct BusThreadTests {
    /// A device without an edge is not served, nor is one on another line; those that are due are served with the rest.
    @Test(arguments: [(0, 0), (1, 1), (2, 2), (3, 2)])
    func asManyAsTwoEdgesAreServedInOneTurn(waiting: Int, served: Int) throws {
        func after(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
        func edges(_ count: Int) -> [MonotonicTime] { (0..<count).map { after(Int64(10 + $0)) } }
        let (line, other) = (Edges(7, edges(waiting)), Edges(8, edges(1)))
        let (device, neighbour) = (Wired(line), Wired(other))
        var ticks = 0
        let ticking = Ticking(due: after(15), period: .seconds(1)) { _ in ticks += 1 }
        var now = after(20)
        let count = try BusSchedule([device, neighbour, ticking]).serveInterrupt(7, at: now) {
            now = now + .milliseconds(1)
            return now
        }
        #expect(count == served + 1 && ticks == 1)
        #expect(device.served.map(\.edge) == edges(served))
        // The second is told how long the first has taken.
        #expect(device.served.map(\.now) == (0..<served).map { after(Int64(20 + $0)) })
        #expect(line.waiting.count == waiting - served && other.waiting.count == 1 && neighbour.served.isEmpty)
    }

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
