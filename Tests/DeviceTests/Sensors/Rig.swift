// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Synchronization
import Testing

/// The real driver on a simulated bus, in steps of virtual time.
final class Rig {
    /// Time that the test sets.
    final class Hand: Sendable {
        private let nanoseconds = Mutex<Int64>(0)
        var now: MonotonicTime {
            get { MonotonicTime(nanoseconds: nanoseconds.withLock { $0 }) }
            set { nanoseconds.withLock { $0 = newValue.nanoseconds } }
        }
    }

    let hand = Hand()
    let bus: SimulatedI2CBus
    let ring: FrameRing<VectorFrame>
    let device: SampledDevice
    var frames: [VectorFrame] = []
    /// How often `run` has served the device.
    private(set) var serves = 0
    var counters: SensorCounters { device.counters }

    init(
        _ chips: [any SimulatedChip], sensor name: String, settings: ChipSettings = ChipSettings(),
        ringCapacity: Int = 4096, readsRing: Bool = true
    ) throws {
        let hand = hand
        bus = SimulatedI2CBus(chips: chips, keepsLog: true) { hand.now }
        ring = FrameRing(capacity: ringCapacity, repeating: VectorFrame(values: .zero, count: 3))
        let sensor = try ChipCatalog.chip(named: name).make(bus, "i2c-1", settings)
        device = SampledDevice(sensor: sensor, ring: ring, start: .zero)
        self.readsRing = readsRing
    }
    private let readsRing: Bool

    /// Serves the device whenever it is due until `end`, as a bus thread would that is
    /// `late` each time.
    func run(until end: MonotonicTime, late: Duration = .microseconds(100)) {
        while device.due < end {
            hand.now = max(hand.now, device.due + late)
            device.serve(at: hand.now)
            serves += 1
            if readsRing { drainRing() }
        }
        hand.now = max(hand.now, end)
    }

    func drainRing() {
        while let frame = ring.pop() { frames.append(frame) }
    }

    /// Drives any sensor on a bus of these chips.
    init(_ chips: [any SimulatedChip], make: (any I2CBus) throws -> any VectorSensor) throws {
        let hand = hand
        bus = SimulatedI2CBus(chips: chips, keepsLog: true) { hand.now }
        ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
        device = SampledDevice(sensor: try make(bus), ring: ring, start: .zero)
        readsRing = true
    }

    /// Samples lost according to the frames.
    var lostInFrames: Int { frames.reduce(0) { $0 + Int($1.lostBefore) } }
}

func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

/// A slow sine on each axis, in multiples of `amplitude`.
func wave(_ amplitude: Double) -> Signal {
    { time in
        let seconds = Double(time.nanoseconds) / 1e9
        return SIMD3(sine(seconds), sine(seconds + 0.3), -sine(seconds * 0.7)) * amplitude
    }
}

/// A triangle of period 1 and height 1: exact in every test, without a mathematics library.
private func sine(_ phase: Double) -> Double {
    let part = phase - phase.rounded(.down)
    return part < 0.5 ? 4 * part - 1 : 3 - 4 * part
}

extension I2COperation {
    /// It changes something in the chip: more than a sub-address is written.
    var writesData: Bool {
        if case .write(let bytes) = self { bytes.count > 1 } else { false }
    }
}

/// Something else at the address.
struct Stranger: SimulatedChip {
    let address: UInt8
    mutating func advance(to now: MonotonicTime) {}
    mutating func write(_ bytes: [UInt8]) {}
    mutating func read(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xA5, count: count) }
    mutating func powerCycle(at now: MonotonicTime) {}
}
