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

/// The chip measures ten times a second; reading a sample lets its pin go.
@Test func aPinRaisesItsLineOnceForEachEdge() throws {
    let hand = Hand()
    let bus = SimulatedI2CBus(
        chips: [SimulatedQMC5883L(field: { _ in .zero }, specimen: Specimen(rateError: 0))], keepsLog: false
    ) { hand.now }
    let line = try SimulatedLine()
    let pin = SimulatedPin(of: 0x0D, on: bus, line: line, every: .milliseconds(2), start: at(0))
    try bus.write(0x0D, register: 0x09, 0x01)
    #expect(pin.due == at(0))
    for (time, isRead, edge) in [
        (0.05, false, nil), (0.15, false, 0.1), (0.16, false, nil), (0.25, true, nil), (0.26, false, nil),
        (0.35, false, 0.3),
    ] as [(Double, Bool, Double?)] {
        hand.now = at(time)
        pin.serve(at: at(time))
        #expect(try line.readEdge() == edge.map(at), "\(time)")
        #expect(pin.due == at(time) + .milliseconds(2))
        if isRead { _ = try bus.read(0x0D, register: 0x00, count: 6) }
    }
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
