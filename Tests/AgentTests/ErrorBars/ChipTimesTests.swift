// SPDX-License-Identifier: Apache-2.0
import Glibc
import Simulation
import Study
import Synchronization
import Testing

@testable import Base
@testable import Device

/// The times in a file against the moments at which the chip's twin took the samples, for every
/// driver, from its very first sample.
@Suite(.serialized) struct ChipTimesTests {
    private static let anchor = ClockAnchor(
        monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .simulated, uncertainty: .zero)
    private static let length = 150.0

    /// Moments at which the twin looked at what it feels; what it feels tells the time
    /// within two seconds.
    private final class Moments: Sendable {
        private let taken = Mutex<[Int64]>([])
        func signal(_ amplitude: Double) -> Signal {
            { time in
                self.taken.withLock { if $0.last != time.nanoseconds { $0.append(time.nanoseconds) } }
                let phase = Double(time.nanoseconds % 2_000_000_000) / 2e9
                return SIMD3(amplitude * (2 * phase - 1), 0, 0)
            }
        }

        /// The moment of a sample that shows `share` of the amplitude and is said to be of `near`.
        func moment(of share: Double, near: Double) -> Double {
            let phase = share + 1
            let guess = phase + 2 * ((near - phase) / 2).rounded()
            return taken.withLock { moments in
                var (low, high) = (0, moments.count - 1)
                while low < high {
                    let middle = (low + high) / 2
                    if Double(moments[middle]) / 1e9 < guess { low = middle + 1 } else { high = middle }
                }
                let before = Double(moments[max(0, low - 1)]) / 1e9
                let after = Double(moments[low]) / 1e9
                return guess - before < after - guess ? before : after
            }
        }
    }

    private struct Bars {
        var description: RecordingDescription
        /// Seconds since the first sample, and by how much the file's time is off.
        var errors: [(age: Double, error: Double)]
        /// Samples per second by the twin's own moments.
        var trueRate: Double
    }

    /// Stands still in the middle of one transaction in two hundred, as a program does that
    /// is stopped there.
    private final class FreezingBus: I2CBus {
        private let bus: SimulatedI2CBus
        private let clock: VirtualClock
        private let dice: Mutex<SplitMix64>

        init(_ bus: SimulatedI2CBus, _ clock: VirtualClock, seed: UInt64) {
            (self.bus, self.clock) = (bus, clock)
            dice = Mutex(SplitMix64(seed: seed))
        }

        func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
            let freeze = dice.withLock { dice in
                Int.random(in: 0..<200, using: &dice) == 0 ? Double.random(in: 0.1...3, using: &dice) : 0
            }
            // Half of them before the chip is asked, half of them after.
            if freeze > 1.5 { clock.advance(to: clock.monotonic + .seconds(freeze)) }
            let bytes = try bus.transaction(address, operations)
            if freeze > 0, freeze <= 1.5 { clock.advance(to: clock.monotonic + .seconds(freeze)) }
            return bytes
        }
    }

    private func record(
        _ name: String, rate: Double? = nil, specimen: Specimen, seed: UInt64, freezes: Bool = false
    ) throws -> Bars {
        let entry = try ChipCatalog.chip(named: name)
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let fullScale = try entry.make(SimulatedI2CBus(chips: []) { .zero }, "i2c-1", ChipSettings(rate: rate)).source
            .fullScale
        let amplitude = twin.isMagnetometer ? 40.0 : fullScale * 0.9
        let moments = Moments()
        let (felt, nothing): (Signal, Signal) = (moments.signal(amplitude), { _ in SIMD3<Double>() })
        let surroundings = PhysicalInput(
            acceleration: twin.isMagnetometer ? nothing : felt, rotation: nothing,
            field: twin.isMagnetometer ? felt : nothing)
        let clock = VirtualClock(now: Self.anchor.instant)
        let chip = twin.make(entry.identity.addresses[0], surroundings, specimen, .zero)
        let bus = SimulatedI2CBus(chips: [chip]) { clock.monotonic }
        let sensor = try entry.make(
            freezes ? FreezingBus(bus, clock, seed: seed) : bus, "i2c-1", ChipSettings(rate: rate))
        let ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
        var dice = SplitMix64(seed: seed)
        let poller = SteppedPoller(clock: clock) {
            freezes && Int.random(in: 0..<100, using: &dice) == 0
                ? .seconds(Double.random(in: 0.1...3, using: &dice)) : Measured.wakeUp(&dice)
        }
        poller.add(SampledDevice(sensor: sensor, ring: ring, clock: { clock.monotonic }, start: .zero))
        let bench = RecordingBench()
        let recorder = try MeasureConfiguration(identifier: "m", format: .csv).recorder(
            of: .vectors(ring), source: sensor.source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder())
        for second in stride(from: 1.0, through: Self.length, by: 1) {
            poller.run(until: MonotonicTime(seconds: second))
            _ = recorder.drain(at: clock.monotonic, anchors: [Self.anchor])
        }
        let sealed = try #require(recorder.stop(at: clock.monotonic, anchors: [Self.anchor]).first)
        let table = try CSVTable(RecordedFile(sealed.path))
        let unit: Device.Unit = twin.isMagnetometer ? .microtesla : .standardGravity
        let place = sensor.source.channels.firstIndex { $0.unit == unit }
        var errors: [(age: Double, error: Double)] = []
        var (first, last): (Double?, Double) = (nil, 0)
        while let row = try table.next() {
            guard let uptime = row.uptime, let value = row.values[place ?? 0] else { continue }
            let moment: Double = moments.moment(of: value / amplitude, near: uptime)
            (first, last) = (first ?? moment, moment)
            errors.append((age: uptime - sealed.description.startUptime, error: uptime - moment))
        }
        let length = last - (first ?? last)
        return Bars(description: sealed.description, errors: errors, trueRate: Double(errors.count - 1) / length)
    }

    @Test(arguments: ChipCatalog.chips.map(\.name)) func everySampleIsWithinTheBarOfItsFile(_ name: String) throws {
        let (rateErrors, seeds): ([Double], [UInt64]) = ([0.031, -0.042], [1, 2])
        for (seed, rateError) in zip(seeds, rateErrors) {
            let bars = try record(name, specimen: Specimen(rateError: rateError), seed: seed)
            check(bars, name, trueRate: bars.trueRate)
        }
    }

    /// A program that is stopped for up to three seconds, anywhere, loses samples; those before and
    /// behind are where the file says.
    @Test(arguments: ChipCatalog.chips.map(\.name)) func noSampleIsOutsideTheBarAfterAFreeze(_ name: String) throws {
        let bars = try record(name, specimen: Specimen(rateError: 0.031), seed: 3, freezes: true)
        let largest = bars.description.timeError ?? 0
        let worst = bars.errors.max { abs($0.error) < abs($1.error) }
        #expect(bars.errors.count > 100 && bars.description.gaps.count > 0)
        #expect(abs(worst?.error ?? 1) <= largest, "\(name): \(String(describing: worst)), ± \(largest)")
    }

    private func check(_ bars: Bars, _ name: String, trueRate: Double) {
        let description = bars.description
        let (largest, steady) = (description.timeError ?? 0, description.steadyTimeError ?? 0)
        let outside = bars.errors.filter { abs($0.error) > ($0.age < 61 ? largest : steady) }
        let worst = outside.max { abs($0.error) < abs($1.error) }.map { "\($0.error) s at \($0.age) s" } ?? ""
        let bar = "± \(Int(steady * 1e6)) µs after the first minute, ± \(Int(largest * 1e6)) before"
        #expect(bars.errors.count > 100)
        #expect(outside.count * 100 <= bars.errors.count, "\(name): \(outside.count) outside, \(worst); \(bar)")
        let (rate, error) = (description.measuredRate ?? 0, description.measuredRateError ?? 0)
        #expect(abs(rate - trueRate) <= error, "\(name): \(rate) ± \(error), not \(trueRate)")
        #expect(steady > 0 && steady <= largest, "\(name): \(bar)")
        #expect(steady < 0.2 / description.nominalRate + 0.0005, "\(name): \(bar)")
        print("\(name): \(bar); rate \(rate) ± \(error)")
    }
}

/// A folder of recordings, removed with it.
final class RecordingBench {
    let path: String

    init() {
        var template = Array("/tmp/studyd-bars-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        precondition(!path.isEmpty)
    }

    deinit {
        AgentFixture.checkDescriptions(below: path)
        for name in (try? DiskFolder(creating: path).names()) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    func folder() throws -> RecordingFolder { try RecordingFolder(path) }
}
