// SPDX-License-Identifier: Apache-2.0
import Simulation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Base
@testable import Device

/// What the panel's light is lit by.
@Suite struct RecorderLoopTests {
    private final class Reports: Sendable {
        private let reports = Mutex<[Bool]>([])
        func add(_ news: RecorderNews) {
            if case .progress(let isArriving) = news { reports.withLock { $0.append(isArriving) } }
        }
        /// Since it was asked last.
        func take() -> [Bool] {
            reports.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }
    }

    /// An ADXL345 at 12.5 Hz, one of its own rates: a block of CWA holds 120 of its samples, 9.6 s
    /// (openmovement, Docs/ax3/cwa.h).
    private final class Desk {
        let bench = RecordingBench()
        let clock = VirtualClock(now: Instant(seconds: 1_795_255_200))
        let reports = Reports()
        private let ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
        private let loop: RecorderLoop
        private let anchor = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .simulated, uncertainty: .zero)
        private var samples = 0

        init(countsEvents: Bool = false, gauge: BatteryGauge = BatteryGauge()) throws {
            let chip = SourceDescription(
                kind: .accelerometer, device: "ADXL345", location: "i2c-1 0x53",
                channels: Channel.acceleration(scale: 1.0 / 256), nominalRate: 12.5, fullScale: 16)
            let tap = ButtonTap(.reference, location: "gpiochip0")
            let source =
                countsEvents
                ? RecorderThread.Source(
                    measure: MeasureConfiguration(identifier: "buttons", format: .events),
                    input: .vectors(tap.ring), source: tap.source)
                : RecorderThread.Source(
                    measure: MeasureConfiguration(identifier: "m", format: .cwa), input: .vectors(ring),
                    source: chip)
            loop = try RecorderLoop(
                sources: [source], microphone: nil, soundSource: nil, position: nil,
                origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
                folder: bench.folder(), clock: clock, heartbeat: nil, trace: nil,
                gauge: gauge, onNews: { [reports] in reports.add($0) })
        }

        /// Samples up to that time come, and are drained then.
        func measure(until second: Double) {
            while Double(samples) * 0.08 < second {
                ring.push(
                    VectorFrame(
                        values: SIMD8(0, 0, 256, 0, 0, 0, 0, 0), count: 3,
                        time: MonotonicTime(seconds: Double(samples) * 0.08), isStamped: true))
                samples += 1
            }
            drain(at: second)
        }

        func drain(at second: Double) {
            clock.advance(to: MonotonicTime(seconds: second))
            _ = loop.drain([anchor])
        }

        func withhold(_ from: Double, _ to: Double) {
            loop.withhold(MonotonicTime(seconds: from)..<MonotonicTime(seconds: to))
        }

        func stop() { _ = loop.stop([anchor]) }
    }

    @Test func whatIsRecordedIsSaidAlsoWhileABlockIsFilling() throws {
        let desk = try Desk()
        for second in 1...60 { desk.measure(until: Double(second)) }
        for second in stride(from: 65, through: 120, by: 5) { desk.measure(until: Double(second)) }
        #expect(desk.reports.take() == [Bool](repeating: true, count: 72))
        desk.stop()
    }

    @Test func aMeasureThatFellSilentIsNotRecordedAfterThirtyFiveSeconds() throws {
        let desk = try Desk()
        desk.drain(at: 1)
        #expect(desk.reports.take() == [false], "nothing has come yet")
        desk.measure(until: 10)
        for second in [45.0, 46] { desk.drain(at: second) }
        #expect(desk.reports.take() == [true, true, false])
        desk.measure(until: 47)
        #expect(desk.reports.take() == [true])
        desk.stop()
    }

    /// What comes while the sensors are paused is recorded nowhere.
    @Test func whatIsWithheldIsNoProgress() throws {
        let desk = try Desk()
        desk.measure(until: 10)
        desk.withhold(9.5, 100)
        for second in [20.0, 45, 46, 99] { desk.measure(until: second) }
        #expect(desk.reports.take() == [true, true, true, false, false])
        desk.measure(until: 101)
        #expect(desk.reports.take() == [true])
        desk.stop()
    }

    /// After the disk held a round more of a receiver's bytes wait than the ring of their measure has room for.
    @Test func allThatWaitsIsTakenThoughTheRingOfItsMeasureIsSmall() throws {
        let bench = RecordingBench()
        let line = FrameRing(capacity: 64, repeating: ByteFrame(time: .zero))
        let ring = FrameRing(capacity: 4, repeating: ByteFrame(time: .zero))
        let receiver = SourceDescription(
            kind: .position, device: "NMEA receiver", location: "/dev/ttyS0",
            channels: [Channel(name: "nmea", unit: .text, scale: 1)], nominalRate: 1, fullScale: 0)
        let clock = VirtualClock(now: Instant(seconds: 1_795_255_200))
        let anchor = ClockAnchor(monotonic: .zero, instant: clock.now, source: .simulated, uncertainty: .zero)
        let loop = try RecorderLoop(
            sources: [
                RecorderThread.Source(
                    measure: MeasureConfiguration(identifier: "position", format: .nmea), input: .bytes(ring),
                    source: receiver)
            ], microphone: nil, soundSource: nil,
            position: PositionWatch(
                source: line, measure: ring, listener: nil, shared: ReceiverState(line: nil)),
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder(), clock: clock, heartbeat: nil, trace: nil, onNews: { _ in })
        let sentence = Array("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n".utf8)
        for second in 1...20 {
            var frame = ByteFrame(time: MonotonicTime(seconds: Double(second)))
            frame.count = UInt16(sentence.count)
            for (index, byte) in sentence.enumerated() { frame.bytes[index] = byte }
            line.push(frame)
        }
        clock.advance(to: MonotonicTime(seconds: 21))
        loop.pump()
        let states = loop.drain([anchor])
        #expect(line.count == 0 && states.map(\.counts.due) == [20 * sentence.count])
        _ = loop.stop([anchor])
    }

    @Test func aReportComesOnceInASecondAndTheThreadMayWakeUpEarly() throws {
        let desk = try Desk()
        for second in [1, 1.899, 1.9, 2.799, 2.8] { desk.measure(until: second) }
        #expect(desk.reports.take().count == 3)
        desk.stop()
    }

    /// The battery's field of cwa.h is 12 mV fine.
    @Test func theBatteryIsReadAtOnceAndThenOnceAMinute() throws {
        let tree = try SysfsTree()
        tree["class/power_supply/max17040/type"] = "Battery\n"
        let desk = try Desk(gauge: BatteryGauge(root: tree.path))
        for second in 1...240 {
            tree["class/power_supply/max17040/voltage_now"] = "\(3_100_000 + 10_000 * (second - 1))\n"
            desk.measure(until: Double(second))
        }
        desk.stop()
        var told: [Double] = []
        for recording in try desk.bench.folder().sealed().recordings {
            let reader = try CWAReader(File(recording.path, .read))
            while let block = try reader.nextBlock() {
                let volts = (2 * Double(block.battery) + 512) * 6 / 1024
                if told.last != volts { told.append(volts) }
            }
        }
        let expected = [3.1, 3.7, 4.3, 4.9]
        #expect(told.count == 4 && zip(told, expected).allSatisfy { abs($0 - $1) < 0.007 }, "\(told)")
    }

    /// No one presses a button every second.
    @Test func buttonsAloneAreNoProgress() throws {
        let desk = try Desk(countsEvents: true)
        for second in 1...3 { desk.drain(at: Double(second)) }
        #expect(desk.reports.take().isEmpty)
        desk.stop()
    }
}
