// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Simulation
import Testing

@Test func epochsArriveByteForByteOnTheOtherSideOfTheLine() throws {
    let log = NMEALog(Array("$GPRMC,101010,A*00\r\n$GPRMC,101011,A*00\r\n".utf8))
    let line = try PseudoTerminal()
    let gps = SimulatedGPS(log, into: line, start: at(1))
    let reader = open(line.path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    defer { close(reader) }
    func received() -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(reader, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    gps.serve(at: at(0.5))
    #expect(received().isEmpty && gps.due == at(1))
    gps.serve(at: at(1))
    #expect(received() == "$GPRMC,101010,A*00\r\n" && gps.due == at(2))
    gps.serve(at: at(2.1))
    #expect(received() == "$GPRMC,101011,A*00\r\n" && gps.due == at(3))
    gps.serve(at: at(3))
    #expect(received() == "$GPRMC,101010,A*00\r\n", "it begins again")
    gps.serve(at: at(5.5))
    #expect(gps.due == at(6) && gps.sent == 4 && gps.dropped == 0)
}

/// The log has a second in each epoch: what is heard after a miss is the second it is.
@Test func afterAMissTheEpochOfTheMomentIsSent() throws {
    let epochs = (10..<20).map { "$GPRMC,1010\($0),A*00\r\n" }
    let line = try PseudoTerminal()
    let gps = SimulatedGPS(NMEALog(Array(epochs.joined().utf8)), into: line, start: at(10))
    let reader = open(line.path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    defer { close(reader) }
    for (second, heard) in [(10.0, 10), (13.5, 13), (14, 14), (15.9, 15), (17, 17)] {
        gps.serve(at: at(second))
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(reader, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == epochs[heard - 10])
    }
}

@Test func anUnreadLineDropsAndCounts() throws {
    let epoch = "$GPRMC,1,A*00" + String(repeating: " ", count: 3000) + "\n"
    let gps = SimulatedGPS(NMEALog(Array(epoch.utf8)), into: try PseudoTerminal(), start: at(0))
    for second in 0..<100 { gps.serve(at: at(Double(second))) }
    #expect(gps.dropped > 100_000 && gps.sent == 100)
}

@Test func theLineCarriesBytesBothWays() throws {
    let line = try PseudoTerminal()
    let reader = open(line.path, O_RDWR | O_NOCTTY)
    defer { close(reader) }
    let command: [UInt8] = [0xB5, 0x62, 0x06, 0x08, 0x0A, 0x0D, 0x03, 0x04, 0x00, 0xFF]
    #expect(write(reader, command, command.count) == command.count)
    #expect(line.receive() == command)
    #expect(line.receive().isEmpty)
}

/// A reader, a line and a receiver, stepped together through seconds of virtual time.
private final class Stage {
    static let log = NMEALog(
        Array(
            "$GPRMC,101010,V,,,,,,,,,,N*52\r\n$GPGLL,,,,,,V,N*64\r\n$GPRMC,101011,V,,,,,,,,,,N*53\r\n$GPGLL,,,,,,V,N*64\r\n"
                .utf8))
    var line: PseudoTerminal?
    var gps: SimulatedGPS?
    let ring = FrameRing(capacity: 4096, repeating: ByteFrame(time: .zero))
    let reader: SerialReader
    /// Points at the line, as /dev/serial/by-id does.
    let path = "/tmp/studyd-gps-\(UInt64.random(in: 0 ... .max))"
    var now = at(0)
    /// What went into the ring, and how much was reported missing.
    var received: [UInt8] = []
    var lost = 0

    init(speaking baud: Int, first: Int) throws {
        let line = try PseudoTerminal()
        self.line = line
        gps = SimulatedGPS(Self.log, into: line, start: at(0))
        gps?.baud = baud
        symlink(line.path, path)
        reader = SerialReader(path: path, search: BaudSearch(first: first), ring: ring, at: at(0))
    }

    deinit { unlink(path) }

    /// Another receiver takes the place of one that was unplugged.
    func plugIn() throws {
        let line = try PseudoTerminal()
        self.line = line
        unlink(path)
        symlink(line.path, path)
        gps = SimulatedGPS(Self.log, into: line, start: now)
    }

    /// A pseudo terminal hands bytes over on a separate kernel thread; here they must have arrived.
    /// Gives up after minutes, because a blocked test is not ended by its time limit.
    private static func wait(for bytes: Int, on line: PseudoTerminal) {
        var tries = 0
        while line.waiting < bytes, tries < 300_000 {
            usleep(1000)
            tries += 1
        }
    }

    func run(seconds: Int) {
        for _ in 0..<seconds * 4 {
            let before = gps?.bytes ?? 0
            gps?.serve(at: now)
            if reader.descriptor != nil, let gps, let line { Self.wait(for: gps.bytes - before, on: line) }
            if let due = reader.due, due <= now { _ = reader.serve(at: now) }
            if reader.descriptor != nil, !reader.drain(at: now) { reader.close(at: now) }
            while let frame = ring.pop() {
                lost += Int(frame.lostBefore)
                received += (0..<Int(frame.count)).map { frame.bytes[$0] }
            }
            now = now + .milliseconds(250)
        }
    }
}

@Test(arguments: [9600, 38_400, 115_200, 4800])
func theReceiversSpeedIsFound(_ baud: Int) throws {
    let stage = try Stage(speaking: baud, first: 9600)
    stage.run(seconds: 20)
    #expect(stage.reader.counters.baud == baud && stage.line?.baud == baud)
    #expect(stage.received.starts(with: "$GPRMC,10101".utf8), "nothing of what was noise, and all of the first epoch")
    #expect(stage.lost == 0)
    #expect(stage.reader.counters.fault(at: stage.now) == nil)
}

@Test func aReceiverExchangedForAFasterOneIsFoundAndTheNoiseIsAGap() throws {
    let stage = try Stage(speaking: 9600, first: 9600)
    stage.run(seconds: 5)
    #expect(stage.reader.counters.baud == 9600)
    stage.gps?.baud = 115_200
    stage.run(seconds: 40)
    #expect(stage.reader.counters.baud == 115_200)
    // What waits in the line while its speed is changed is neither.
    let sent = try #require(stage.gps?.bytes)
    #expect(stage.lost > 0 && stage.lost + stage.received.count <= sent)
}

@Test func whatIsNoReceiverIsNamedWithTheSpeedsThatWereTried() throws {
    let stage = try Stage(speaking: 57_600, first: 9600)
    stage.run(seconds: 18)
    let fault = stage.reader.counters.fault(at: stage.now)
    #expect(fault?.description.contains("9600, 38400, 115200, 4800 baud") == true && stage.received.isEmpty)
}

@Test func aSilentReceiverIsNamed() throws {
    let stage = try Stage(speaking: 9600, first: 9600)
    stage.run(seconds: 3)
    stage.gps = nil
    stage.run(seconds: 10)
    #expect(stage.reader.counters.fault(at: stage.now) == nil)
    stage.run(seconds: 10)
    #expect(stage.reader.counters.fault(at: stage.now)?.description.contains("no data for 15s") == true)
}

@Test func anUnpluggedReceiverIsNamedAndItsAbsenceIsAGap() throws {
    let stage = try Stage(speaking: 9600, first: 9600)
    stage.run(seconds: 10)
    let before = stage.received.count
    // The line goes with its other end; the path is then taken by another one, as /dev/ttyUSB0 is.
    stage.gps = nil
    stage.line = nil
    stage.run(seconds: 4)
    #expect(stage.reader.descriptor == nil && !stage.reader.counters.isOpen && stage.reader.counters.baud == nil)
    let fault = stage.reader.counters.fault(at: stage.now)
    #expect(fault?.description.contains(stage.path) == true)
    try stage.plugIn()
    stage.gps?.baud = 38_400
    stage.run(seconds: 40)
    #expect(stage.reader.counters.isOpen && stage.reader.counters.baud == 38_400)
    #expect(stage.received.count > before && stage.lost > 100 && stage.reader.counters.faults >= 1)
    #expect(stage.reader.counters.fault(at: stage.now) == nil)
}
