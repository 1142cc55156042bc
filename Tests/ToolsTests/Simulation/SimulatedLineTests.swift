// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Synchronization
import SystemKit
import Testing

private final class Edged: PolledDevice {
    let due = MonotonicTime(nanoseconds: .max)
    let interrupt: (any InterruptLine)?
    private let seen: (MonotonicTime?) -> Void
    init(_ line: any InterruptLine, seen: @escaping (MonotonicTime?) -> Void) {
        interrupt = line
        self.seen = seen
    }
    func serve(at now: MonotonicTime) { seen(nil) }
    func serve(at now: MonotonicTime, edge: MonotonicTime?) { seen(edge) }
}

@Test func theNewestEdgeIsTakenAndThenNoneIsLeft() throws {
    let line = try SimulatedLine()
    #expect(try line.readEdge() == nil)
    line.rise(at: at(1))
    line.rise(at: at(2))
    #expect(try line.readEdge() == at(2) && line.readEdge() == nil)
}

@Test func anEdgeServesItsOwnDeviceOnly() throws {
    let lines = [try SimulatedLine(), try SimulatedLine()]
    var seen: [Int] = []
    let schedule = BusSchedule(lines.enumerated().map { index, line in Edged(line) { _ in seen.append(index) } })
    #expect(schedule.interrupts == lines.map(\.descriptor))
    lines[1].rise(at: at(3))
    #expect(try schedule.serveInterrupt(lines[0].descriptor, at: at(3)) == 0 && seen.isEmpty)
    #expect(try schedule.serveInterrupt(lines[1].descriptor, at: at(3)) == 1 && seen == [1])
}

@Test(.timeLimit(.minutes(10))) func aLineWakesTheThreadOfItsBus() throws {
    let line = try SimulatedLine()
    let seen = Mutex<MonotonicTime?>(nil)
    let waker = try Waker()
    let device = Edged(line) { edge in
        seen.withLock { $0 = edge }
        waker.wake()
    }
    let thread = try BusThread(name: "bus-test", devices: [device], clock: SystemClock())
    line.rise(at: at(42))
    waker.wait()
    thread.stop()
    #expect(seen.withLock { $0 } == at(42) && thread.wakeUps == 1)
}
