// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Logging
import Simulation
import Synchronization
import Testing

@testable import Agent

/// A receiver's bytes on their way to the recorder, in virtual time; the clock, the trust and the
/// mailbox are the agent's own.
@Suite struct PositionWatchTests {
    private final class Stage {
        let line = FrameRing(capacity: 512, repeating: ByteFrame(time: .zero))
        let measure = FrameRing(capacity: 65_536, repeating: ByteFrame(time: .zero))
        let virtual = VirtualClock(now: Instant(seconds: 60))
        let mailbox = Mailbox()
        let shared = ReceiverState(line: nil)
        let clock: DisciplinedClock
        let watch: PositionWatch
        var sent: [UInt8] = []

        init(trusting source: ClockAnchor.Source = .unknown) {
            clock = DisciplinedClock(virtual, trust: ClockTrust { (source, .seconds(2)) }) { _ in }
            watch = PositionWatch(
                source: line, measure: measure,
                listener: clock.listener(log: Logger(label: "test")) { [mailbox] in mailbox.post(.clockFound) },
                shared: shared)
        }

        /// One epoch a second, its first byte 100 ms after the moment, looked at once a second as
        /// the recorder does.
        func run(_ seconds: Range<Int>, status: Character = "A", year: String = "26") {
            for second in seconds {
                let clockText = [second / 3600 + 10, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
                    .joined()
                let place = status == "A" ? "5230.0,N,01324.0,E" : ",,,"
                let bytes =
                    line("GPRMC,\(clockText).00,\(status),\(place),0.1,90.0,2111\(year),,,A")
                    + line("GPGGA,\(clockText).00,\(place),\(status == "A" ? 1 : 0),08,0.9,40.0,M,45.0,M,,")
                    + line("GPGSA,A,\(status == "A" ? 3 : 1),01,02,03,04,,,,,,,,,1.5,0.9,1.2")
                send(bytes, at: .zero + .seconds(Int64(second)) + .milliseconds(100))
                virtual.advance(to: .zero + .seconds(Int64(second)) + .milliseconds(900))
                watch.pump(at: virtual.monotonic)
            }
        }

        private func line(_ body: String) -> [UInt8] {
            let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
            return Array("$\(body)*\(sum.count == 1 ? "0" + sum : sum)\r\n".utf8)
        }

        func send(_ bytes: [UInt8], at time: MonotonicTime) {
            sent += bytes
            for start in stride(from: 0, to: bytes.count, by: ByteFrame.capacity) {
                var frame = ByteFrame(time: time)
                let piece = bytes[start..<min(bytes.count, start + ByteFrame.capacity)]
                for (index, byte) in piece.enumerated() { frame.bytes[index] = byte }
                frame.count = UInt16(piece.count)
                _ = line.push(frame)
            }
        }

        var recorded: [UInt8] {
            var bytes: [UInt8] = []
            while let frame = measure.pop() { bytes += (0..<Int(frame.count)).map { frame.bytes[$0] } }
            return bytes
        }
    }

    /// 2026-11-21T10:00:00Z, at zero of the monotonic clock.
    private static let ten = Instant(seconds: 1_795_255_200)

    @Test func aDeviceWithoutAClockGetsTheReceiversTimeAndAnAnchor() async throws {
        let stage = Stage()
        let trust = stage.clock.trust
        #expect(!trust.anchor(stage.clock).isTrusted)
        stage.run(0..<130)
        let found = trust.anchor(stage.clock)
        #expect(found.source == .gps && found.isTrusted && found.uncertainty < .milliseconds(300))
        #expect(abs((found.instant(at: .zero) - Self.ten).milliseconds) <= 250)
        #expect(stage.recorded == stage.sent, "and every byte went on to the recorder")
        stage.mailbox.post(.stop)
        var events = stage.mailbox.events.makeAsyncIterator()
        guard case .clockFound = await events.next() else { return #expect(Bool(false), "the loop was not told") }
        guard case .stop = await events.next() else { return #expect(Bool(false), "the loop was told more than once") }
    }

    @Test func voidMomentsBeforeTheFirstFixMakeItWait() {
        let stage = Stage()
        stage.run(0..<30, status: "V")
        #expect(stage.shared.text.contains("no fix"))
        stage.run(30..<900)
        #expect(!stage.clock.trust.anchor(stage.clock).isTrusted && stage.shared.text.contains("leap seconds"))
        stage.run(900..<1300)
        #expect(stage.clock.trust.anchor(stage.clock).source == .gps)
        #expect(stage.shared.text.contains("3D fix, 8 satellites, time accepted, ± 250 ms"))
    }

    /// Half sentences and wrong sums: counted, named while they last, and forgotten.
    @Test func brokenSentencesAreNamedWhileTheyLast() throws {
        let stage = Stage()
        stage.run(0..<70)
        #expect(stage.shared.fault(at: stage.virtual.monotonic) == nil && !stage.shared.text.contains("broken"))
        for second in 70..<130 {
            stage.send(Array("$GPRMC,1010$GPGGA,,,*00\r\n$GPGSA,A,3".utf8), at: .zero + .seconds(Int64(second)))
            stage.run(second..<second + 1)
        }
        let fault = try #require(stage.shared.fault(at: stage.virtual.monotonic))
        #expect(fault.description.contains("corrupt; check the wires"))
        #expect(stage.shared.text.contains("corrupt sentences: 180"))
        stage.run(130..<300)
        #expect(stage.shared.fault(at: stage.virtual.monotonic) == nil)
        #expect(stage.recorded == stage.sent, "what was broken is kept as it came")
    }

    @Test func aSynchronisedKernelKeepsItsClock() {
        let stage = Stage(trusting: .kernel)
        stage.virtual.stepWall(by: Self.ten - stage.virtual.now)
        stage.run(0..<200)
        #expect(stage.clock.trust.anchor(stage.clock).source == .kernel && stage.clock.now == stage.virtual.now)
    }

    /// Twenty years ago is no whole number of rounds of 1024 weeks, and 1999 is no date of
    /// today's receivers.
    @Test(arguments: [(true, "06"), (false, "06"), (true, "99")])
    func impossibleDatesAreNotAdopted(hasClock: Bool, year: String) {
        let stage = Stage(trusting: hasClock ? .rtc : .unknown)
        if hasClock { stage.virtual.stepWall(by: Self.ten - stage.virtual.now) }
        stage.run(0..<200, year: year)
        #expect(stage.clock.trust.anchor(stage.clock).source == (hasClock ? .rtc : .unknown))
        #expect(stage.shared.text.contains("impossible date"))
    }
}
