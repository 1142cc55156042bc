// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Glibc
import Testing

@testable import Device

private let nmea =
    String(#filePath.dropLast("Tests/DeviceTests/Hardware/SerialReaderTests.swift".count)) + "../shared/fixtures/nmea"
private let hasFixtures: Bool = {
    let has = access(nmea, R_OK) == 0
    if !has { print("SKIPPED: recorded NMEA is missing at \(nmea)") }
    return has
}()

@Suite(.timeLimit(.minutes(10))) struct SerialReaderTests {
    @Test(
        .enabled(if: hasFixtures, "recorded NMEA is missing"),
        arguments: ["neo-m8n.log", "skytraq-err.log", "ublox-zed-f9r.log"])
    func everyRecordedByteComesThroughALine(_ name: String) throws {
        let bytes = try contents("\(nmea)/\(name)")
        let pair = try TerminalPair()
        let ring = FrameRing(capacity: 8192, repeating: ByteFrame(time: .zero))
        let clock = KernelClock()
        let before = clock.monotonic
        let reader = try SerialReader(path: pair.path, baud: 9600, ring: ring)
        let counters = reader.counters
        let thread = try InputThread(name: "lines", buttons: [], lines: [reader], clock: clock) { _ in }
        var received: [UInt8] = []
        var time = before
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            try pair.master.write(Array(bytes[start..<min(start + 1000, bytes.count)]))
            while received.count < min(start + 1000, bytes.count) {
                let frame = try soon("what was sent") { ring.pop() }
                #expect(frame.time >= time && frame.lostBefore == 0)
                time = frame.time
                received += (0..<Int(frame.count)).map { frame.bytes[$0] }
            }
        }
        thread.stop()
        #expect(received == bytes)
        #expect(counters.bytes == bytes.count && counters.faults == 0)
    }

    @Test func fullRingCountsTheBytesAndSaysWhereTheyAreMissing() throws {
        let pair = try TerminalPair()
        let ring = FrameRing(capacity: 2, repeating: ByteFrame(time: .zero))
        let reader = try SerialReader(path: pair.path, baud: 9600, ring: ring)
        let run = [UInt8](repeating: 0x55, count: ByteFrame.capacity)
        try pair.master.write(run + run + run + [1, 2, 3])
        var poll = pollfd(fd: try #require(reader.descriptor), events: Int16(POLLIN), revents: 0)
        try #require(CLinux.poll(&poll, 1, 60_000) == 1)
        while ring.count + ring.overruns < 4 { #expect(reader.drain(at: .zero)) }
        #expect(reader.counters.bytes == 2 * run.count)
        _ = ring.pop()
        _ = ring.pop()
        try pair.master.write([9])
        try #require(CLinux.poll(&poll, 1, 60_000) == 1)
        #expect(reader.drain(at: .zero))
        let frame = try #require(ring.pop())
        #expect(frame.lostBefore == UInt32(run.count + 3) && frame.count == 1 && frame.bytes[0] == 9)
    }

    /// A receiver speaks once a second, with or without a fix: a quarter of a minute without a byte is a fault.
    @Test func aLineIsSilentFromItsLastByteOn() throws {
        let pair = try TerminalPair()
        let ring = FrameRing(capacity: 2, repeating: ByteFrame(time: .zero))
        let reader = try SerialReader(path: pair.path, baud: 9600, ring: ring)
        try pair.master.write([1])
        var poll = pollfd(fd: try #require(reader.descriptor), events: Int16(POLLIN), revents: 0)
        try #require(CLinux.poll(&poll, 1, 60_000) == 1)
        #expect(reader.drain(at: at(100)))
        #expect(reader.counters.fault(at: at(115)) == nil)
        #expect(reader.counters.fault(at: at(115.001)) != nil)
    }

    @Test func aLineThatGoesAwayIsCountedAndTriedAgainEverMoreRarely() throws {
        var pair: TerminalPair? = try TerminalPair()
        let ring = FrameRing(capacity: 2, repeating: ByteFrame(time: .zero))
        let reader = try SerialReader(path: try #require(pair?.path), baud: 9600, ring: ring)
        pair = nil
        #expect(!reader.drain(at: .zero))
        reader.close(at: .zero)
        #expect(reader.due == .zero + .seconds(1) && !reader.counters.isOpen)
        #expect(!reader.reopen(at: .zero + .seconds(1)))
        #expect(reader.due == .zero + .seconds(3))
        #expect(reader.counters.faults == 2)
    }

    @Test func aLineThatIsBackIsDueNoMoreAndItsNextPauseIsASecond() throws {
        let pair = try TerminalPair()
        let ring = FrameRing(capacity: 2, repeating: ByteFrame(time: .zero))
        let reader = try SerialReader(path: pair.path, baud: 9600, ring: ring)
        for second in [0.0, 1] { reader.close(at: at(second)) }
        #expect(reader.due == at(3))
        #expect(reader.reopen(at: at(3)) && reader.due == nil && reader.counters.isOpen)
        reader.close(at: at(10))
        #expect(reader.due == at(11) && !reader.counters.isOpen)
        withExtendedLifetime(pair) {}
    }

    /// As with a USB receiver whose name of udev's leads to another port afterwards.
    @Test func theInputThreadOpensALineThatCameBack() throws {
        let folder = try ScratchFolder()
        let name = folder.path + "/receiver"
        var pair: TerminalPair? = try TerminalPair()
        let port = try #require(pair?.path)
        try #require(symlink(port, name) == 0)
        let ring = FrameRing(capacity: 64, repeating: ByteFrame(time: .zero))
        let reader = try SerialReader(path: name, baud: 9600, ring: ring)
        let counters = reader.counters
        let thread = try InputThread(name: "lines", buttons: [], lines: [reader], clock: KernelClock()) { _ in }
        try pair?.master.write([1])
        let first = try soon("its first byte") { ring.pop() }
        // The number of a line that is gone may be that of another test's next.
        try #require(unlink(name) == 0)
        pair = nil
        try soon("that it is missed") { !counters.isOpen }
        let other = try TerminalPair()
        try #require(symlink(other.path, name) == 0)
        try soon("that it is back") { counters.isOpen }
        try other.master.write([2])
        let next = try soon("its next byte") { ring.pop() }
        thread.stop()
        #expect(first.bytes[0] == 1 && next.bytes[0] == 2 && next.lostBefore > 0)
        #expect(counters.faults >= 1 && counters.bytes == 2)
    }

    /// A receiver that says 500 bytes a second is plugged in an hour after the start, drops out for five
    /// seconds, and twice for an hour.
    @Test func anAbsenceCostsWhatTheReceiverSaysInThatTime() {
        var losses = SerialLosses()
        losses.leave(at: at(0))
        losses.comeBack(at: at(3600))
        #expect(losses.before == 0)
        var now = 3600.0
        for absence in [5.0, 3600, 3600, 5] {
            for _ in 0...10 {
                losses.recordStored(500, at: at(now))
                now += 1
            }
            losses.leave(at: at(now))
            losses.leave(at: at(now + 1))
            now += absence
            losses.comeBack(at: at(now))
            // Eleven frames in ten seconds.
            #expect(losses.before == UInt32(550 * absence))
        }
    }
}
