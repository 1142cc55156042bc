// SPDX-License-Identifier: Apache-2.0
import Simulation
import Study
import Testing

@testable import Agent
@testable import Base
@testable import Device

/// The time of a chip that is silent counts once: while it is silent, when it is back, and at the
/// end; counted here by hand, as rate times time.
@Suite struct SilentChipTests {
    private static let rate = 100.0

    /// A recorder fed second by second, and its ledger as of now.
    private final class Desk {
        let bench = RecordingBench()
        let ring = FrameRing(capacity: 1 << 14, repeating: VectorFrame(values: .zero, count: 3))
        let recorder: any SampleRecorder
        let start = MonotonicTime(seconds: 10)
        var now = MonotonicTime(seconds: 10)

        init() throws {
            let channel = Channel(name: "accel_x", unit: .standardGravity, scale: 0.001)
            recorder = try MeasureConfiguration(identifier: "m", format: .cwa).recorder(
                of: .vectors(ring),
                source: SourceDescription(
                    kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18",
                    channels: [channel, channel, channel],
                    nominalRate: rate, fullScale: 8),
                origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
                folder: bench.folder())
        }

        /// `seconds` with a sample each hundredth, the first of which says that `lost` are missing
        /// before it.
        func measure(_ seconds: Int, lost: Int = 0) {
            for second in 0..<seconds {
                for index in 0..<100 {
                    let time = now + .milliseconds(10 * (index + 1))
                    var frame = VectorFrame(
                        values: SIMD8(1, 2, 3, 0, 0, 0, 0, 0), count: 3, time: time, isStamped: true)
                    if second == 0, index == 0, lost > 0 {
                        (frame.lostBefore, frame.reason) = (UInt32(lost), LossReason.deviceError.rawValue)
                    }
                    ring.push(frame)
                }
                wait(1)
            }
        }

        func wait(_ seconds: Int) {
            for _ in 0..<seconds {
                now = now + .seconds(1)
                _ = recorder.drain(at: now, anchors: [])
            }
        }

        var state: MeasureState {
            MeasureState(recorder, lastHour: SampleCounts()).measured(since: start, until: now)
        }

        func ledger(_ state: MeasureState) -> Ledger.SampleCounts {
            var counts = Ledger.SampleCounts()
            counts.add(state)
            // The first sample is there a period after the start.
            if (counts.lost["starting"] ?? 9) < 5 { counts.lost["starting"] = nil }
            return counts
        }
    }

    /// A silence of minutes ends the file; the next one begins behind it.
    @Test func theFileThatIsWrittenIsNoLongerThanItsSamples() throws {
        let desk = try Desk()
        desk.measure(10)
        desk.wait(300)
        desk.measure(10, lost: 30_000)
        let day = Instant(seconds: 1_780_000_000)
        let coverage = try #require(Coverage(since: day, at: day + .seconds(320), [], of: "e", [desk.state]))
        let stored = try #require(coverage.channels.first).stored
        #expect((9.5...10.5).contains(stored.seconds), "\(stored)")
    }

    /// Its file is still open, and may know already what is missing behind its last sample.
    @Test(arguments: [false, true])
    func theTimeOfASilentChipIsNotRecorded(isNoticed: Bool) throws {
        let desk = try Desk()
        desk.measure(10)
        for _ in 0..<30 {
            desk.wait(1)
            if isNoticed { desk.recorder.miss(until: desk.now, .deviceError) }
        }
        #expect(desk.state.openFile != nil)
        let day = Instant(seconds: 1_780_000_000)
        let coverage = try #require(Coverage(since: day, at: day + .seconds(40), [], of: "e", [desk.state]))
        let stored = try #require(coverage.channels.first).stored
        #expect((9.5...10.5).contains(stored.seconds), "\(stored)")
    }

    /// Lives as short as those of a program that is started again and again: each must come out
    /// even by itself, for nothing evens them out.
    @Test func whatNeverCameIsLostToTheLastSample() throws {
        let desk = try Desk()
        for age in stride(from: 1, to: 3000, by: 3.7).map({ Duration.microseconds(Int($0 * 1000)) }) {
            desk.now = desk.start + age
            let state = desk.state.missing(for: age).measured(since: desk.start, until: desk.now)
            let account = try #require(state.account)
            #expect(account.lost.values.reduce(0, +) == account.due, "after \(age)")
        }
    }

    /// 16 kHz for four minutes: the moments of the first and the last sample are known to 20 ms,
    /// which is 320 of them.
    @Test func aDifferenceThatTheReadingsExplainIsNoSampleAndALargerOneIs() {
        #expect(SampleAccount.due(3_840_000, parts: 3_839_999, rate: 16_000) == 3_839_999)
        #expect(SampleAccount.due(3_840_000, parts: 3_840_001, rate: 16_000) == 3_840_001)
        #expect(SampleAccount.due(3_840_000, parts: 3_838_000, rate: 16_000) == 3_840_000)
        #expect(SampleAccount.due(24_000, parts: 23_988, rate: 100) == 24_000)
        #expect(SampleAccount.due(24_000.4, parts: 0, rate: 100) == 24_000)
    }

    /// Due from the start on, and nothing came: no file tells of it.
    @Test func whatWasDueBeforeTheFirstSampleIsLostToTheStart() throws {
        let desk = try Desk()
        desk.wait(3)
        desk.measure(20)
        let counts = desk.ledger(desk.state)
        #expect(abs(counts.due - 2300) < 10 && abs(counts.unaccounted) < 10, "\(counts)")
        #expect(counts.lost.keys.sorted() == ["starting"] && abs((counts.lost["starting"] ?? 0) - 300) < 10)
    }

    @Test func aSilenceCountsOnce() throws {
        let desk = try Desk()
        desk.measure(20)
        desk.wait(30)
        // What is due goes on, and nothing says yet what became of it.
        let silent = desk.ledger(desk.state)
        #expect(abs(silent.due - 5000) < 10 && silent.lost.isEmpty)
        // A recorder's look after six seconds, and forty samples in the chip.
        #expect((2000 + 630...2000 + 640).contains(silent.stored + silent.held), "\(silent)")
        desk.measure(20, lost: 3000)
        let back = desk.ledger(desk.state)
        // At a silence a block begun is given up: up to 79 samples more.
        #expect(abs(back.due - 7000) < 10 && back.lost.keys.sorted() == ["deviceError"])
        #expect((3000...3079).contains(back.lost["deviceError"] ?? 0) && abs(back.unaccounted) < 10, "\(back)")
        try end(desk, due: 7000, lost: 3000)
    }

    @Test func aChipThatComesLateCountsOnce() throws {
        let desk = try Desk()
        desk.wait(30)
        let absent = desk.ledger(
            MeasureState(desk.recorder, lastHour: SampleCounts()).missing(for: .seconds(30)).measured(
                since: desk.start, until: desk.now))
        #expect(absent.due == 3000 && absent.lost == ["notRunning": 3000] && absent.unaccounted == 0)
        desk.measure(20, lost: 3000)
        let come = desk.ledger(desk.state)
        #expect(abs(come.due - 5000) < 10 && abs(come.unaccounted) < 10, "\(come)")
        #expect(abs(come.lost.values.reduce(0, +) - 3000) < 10, "\(come.lost)")
        try end(desk, due: 5000, lost: 3000)
    }

    /// A chip that answers and measures nothing, from 30 s on: its twin, its driver and the
    /// recorder thread's own work, second by second.
    @Test func aStalledChipIsCountedWhileItIsSilentAndInTheFile() throws {
        let clock = VirtualClock(now: Instant(seconds: 1_795_255_200))
        let nothing: Signal = { _ in .zero }
        let chip = try #require(SimulatedCatalog.chip(named: "LIS3DH")).make(
            0x18, PhysicalInput(acceleration: nothing, rotation: nothing, field: nothing), Specimen(), .zero)
        let bus = SimulatedI2CBus(chips: [chip]) { clock.monotonic }
        bus.inject(.measuresNothing(address: 0x18, during: MonotonicTime(seconds: 30)..<MonotonicTime(seconds: 1000)))
        let sensor = try LIS3DH(bus: bus, busName: "i2c-1")
        let ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
        let counters = SensorCounters()
        let poller = SteppedPoller(clock: clock)
        poller.add(
            SampledDevice(sensor: sensor, ring: ring, counters: counters, clock: { clock.monotonic }, start: .zero))
        let bench = RecordingBench()
        let measuring = MeasuringSensor(
            place: "board.toml:3: chip[1]", watermark: sensor.watermark, memory: .seconds(1.4), counters: counters)
        let anchor = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .simulated, uncertainty: .zero)
        let loop = try RecorderLoop(
            sources: [
                .init(
                    measure: MeasureConfiguration(identifier: "m", format: .cwa), input: .vectors(ring),
                    source: sensor.source, sensor: measuring)
            ], microphone: nil, soundSource: nil, position: nil,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder(), clock: clock, heartbeat: nil, trace: nil, onNews: { _ in })
        for second in 1...175 {
            poller.run(until: MonotonicTime(seconds: Double(second)))
            let state = try #require(loop.drain([anchor]).first).measured(since: .zero, until: clock.monotonic)
            var ledger = Ledger.SampleCounts()
            ledger.add(state)
            // Until the driver is sure, what should have come is on its way.
            #expect(abs(ledger.unaccounted) <= (30...33 ~= second ? 300 : 3), "after \(second) s: \(ledger)")
            if second > 33 { #expect(measuring.fault?.description.contains("measures nothing") == true) }
        }
        let state = try #require(loop.stop([anchor]).first).measured(since: .zero, until: clock.monotonic)
        let account = try #require(state.account)
        #expect(account.lost["stopping", default: 0] <= 2 && abs((state.counts.lost[.deviceError] ?? 0) - 14_600) < 200)
        let description = try #require(bench.folder().sealed().recordings.first).description
        let gap = try #require(description.gaps.last)
        #expect(gap.reason == "deviceError" && gap.position == description.samplesStored)
        #expect(abs(gap.startUptime - 30) < 1 && abs(gap.endUptime - 175) < 0.1)
        #expect(abs(gap.samples - 14_600) < 200 && description.samplesLost["deviceError", default: 0] > 14_400)
        #expect(try FileInspector.problems(of: #require(bench.folder().sealed().recordings.first).path) == [])
    }

    /// The end of it in good order, as the log keeps it.
    private func end(_ desk: Desk, due: Int, lost: Int) throws {
        _ = desk.recorder.stop(at: desk.now, anchors: [])
        var whole = Ledger.SampleCounts()
        whole.addStopped(desk.state)
        #expect(
            abs(whole.due - due) < 10 && abs(whole.due - whole.stored - whole.lost.values.reduce(0, +)) < 10, "\(whole)"
        )
        #expect(whole.lost.values.reduce(0, +) < lost + 160 + 10, "\(whole.lost)")
    }
}
