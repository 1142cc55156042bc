// SPDX-License-Identifier: Apache-2.0
import Base
import SimulatedWorld

/// The mechanics that simulated chips have in common: a register pointer that increments, a sample
/// timer, power-on contents. A chip gives its registers their meaning in `store`, `fetch` and
/// `measure`; its init ends with `begin()`.
///
/// But for `SimulatedLIS3DH` and `SimulatedLIS3MDL`, chips are written from the same collected facts as their
/// drivers, not from a second reading of the datasheet: they catch mistakes in a driver's code, but no fact
/// that both have wrong. [M] marks what was not checked in a source again; power-on contents and when flags
/// clear were not checked either.
protocol RegisterChip: SimulatedChip {
    var core: ChipCore { get set }
    /// Contents after power-on; what is not named is 0.
    var powerOn: [UInt8: UInt8] { get }
    /// A byte is written to the register under the pointer.
    mutating func store(_ value: UInt8)
    /// A byte is read from the register under the pointer.
    mutating func fetch() -> UInt8
    /// A write begins with this sub-address.
    mutating func point(at subAddress: UInt8)
    /// Moves the pointer on after each byte.
    mutating func move()
    /// Takes the sample that is due at `moment` into output registers and FIFO.
    mutating func measure(at moment: MonotonicTime)
    /// The interrupt pin is high, by the registers as they are now.
    var isPinHigh: Bool { get }
    /// Resets what the chip keeps outside the registers; part of `powerCycle`.
    mutating func forget()
}

/// The state behind a `RegisterChip`.
struct ChipCore: Sendable {
    var registers = [UInt8](repeating: 0, count: 256)
    var pointer: UInt8 = 0
    var timer: SampleTimer
    /// The latest time that the bus has named.
    var now: MonotonicTime
    let specimen: Specimen
    /// Degrees Celsius of the chip; nil = `specimen.temperature`, which never changes.
    var temperature: (@Sendable (MonotonicTime) -> Double)?
    /// How many samples had noise drawn: the position in the seeded noise.
    private var samples = 0
    private(set) var pinHighSince: MonotonicTime?

    init(_ specimen: Specimen, start: MonotonicTime) {
        self.specimen = specimen
        timer = SampleTimer(at: start)
        now = start
    }

    subscript(_ register: UInt8) -> UInt8 {
        get { registers[Int(register)] }
        set { registers[Int(register)] = newValue }
    }

    /// Puts a value into a register. Returns whether that changed any of these `bits`: a chip calls `run` only then,
    /// since writing the same rate again does not begin a new period.
    mutating func change(_ register: UInt8, to value: UInt8, bits: UInt8 = 0xFF) -> Bool {
        defer { self[register] = value }
        return (self[register] ^ value) & bits != 0
    }

    /// The pin is high or low from `moment` on.
    mutating func movePin(_ isHigh: Bool, at moment: MonotonicTime) {
        pinHighSince = isHigh ? pinHighSince ?? moment : nil
    }

    /// Measures at `rate` Hz, off by the specimen's error, from now on; 0 stops.
    mutating func run(rate: Double) { timer.restart(rate: rate * (1 + specimen.rateError), at: now) }

    /// A thermometer's 16 bits, `perDegree` to a degree with 0 at `zero`, in steps of `step`.
    func thermometer(perDegree: Double, zero: Double, step: Double = 1) -> UInt16 {
        let degrees = temperature?(now) ?? specimen.temperature
        let counts = ((degrees - zero) * perDegree / step).rounded() * step
        return UInt16(bitPattern: Int16(max(-32_768, min(32_767, counts))))
    }

    /// Draws the noise of the next sample of a chip with one sensor, in the sensor's unit.
    mutating func oneNoise() -> SIMD3<Double> {
        samples += 1
        return specimen.noise > 0 ? SeededNoise(seed: specimen.seed).vector(samples) * specimen.noise : .zero
    }

    /// Draws the noise of the next sample of a chip with two sensors; the chip scales the second.
    mutating func noise() -> (SIMD3<Double>, SIMD3<Double>) {
        samples += 1
        guard specimen.noise > 0 else { return (.zero, .zero) }
        let noise = SeededNoise(seed: specimen.seed)
        return (noise.vector(samples) * specimen.noise, noise.stream(1).vector(samples) * specimen.noise)
    }
}

extension RegisterChip {
    mutating func begin() {
        core.registers = [UInt8](repeating: 0, count: 256)
        for (register, value) in powerOn { core[register] = value }
    }

    package mutating func powerCycle(at time: MonotonicTime) {
        begin()
        forget()
        core.timer = SampleTimer(at: time)
        core.now = time
        core.movePin(false, at: time)
    }

    package mutating func advance(to time: MonotonicTime) {
        while let moment = core.timer.next(by: time) {
            measure(at: moment)
            core.movePin(isPinHigh, at: moment)
        }
        core.now = max(core.now, time)
    }

    /// Passes the samples that are due without taking them, for a chip that a fault keeps from measuring.
    package mutating func pass(to time: MonotonicTime) {
        while core.timer.next(by: time) != nil {}
        core.now = max(core.now, time)
    }

    package mutating func write(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        point(at: first)
        for byte in bytes.dropFirst() {
            store(byte)
            move()
        }
        core.movePin(isPinHigh, at: core.now)
    }

    package mutating func read(_ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { _ in
            let byte = fetch()
            move()
            return byte
        }
        core.movePin(isPinHigh, at: core.now)
        return bytes
    }

    mutating func point(at subAddress: UInt8) { core.pointer = subAddress }
    mutating func move() { core.pointer &+= 1 }
    mutating func forget() {}
    /// A chip without a model of its pin.
    var isPinHigh: Bool { false }
    /// On the clock that `advance` is given, exact to the sample that raised the pin; nil while it
    /// is low or not modelled.
    package var pinHighSince: MonotonicTime? { core.pinHighSince }
}

/// What ST's chips do with their six output registers: flags of a status register that say which
/// axes are new and which were overwritten, and second bytes that are held back until they fit
/// the first (BDU).
struct AxisOutputs: Sendable {
    private var held: [UInt8?] = [nil, nil, nil]

    /// The first or second byte of an axis; reading the second takes its flags away.
    mutating func byte(
        of value: Int16, axis: Int, isSecond: Bool, isBigEndian: Bool, isHeldBack: Bool, status: inout UInt8
    ) -> UInt8 {
        let bits = UInt16(bitPattern: value)
        let ordered = isBigEndian ? bits.byteSwapped : bits
        let second = UInt8(ordered >> 8)
        guard isSecond else {
            held[axis] = isHeldBack ? second : nil
            return UInt8(ordered & 0xFF)
        }
        Self.clearReady(axis, from: &status)
        defer { held[axis] = nil }
        return held[axis] ?? second
    }

    /// An axis was read: b2:0 new, b3 all new, b6:4 overwritten, b7 any overwritten.
    static func clearReady(_ axis: Int, from status: inout UInt8) {
        status &= ~(0x11 << UInt8(axis))
        if status & 0x07 == 0 { status &= ~0x88 }
    }

    /// A sample came: its axes are new, and overwritten if the one before was not read.
    static func markReady(in status: inout UInt8) { status |= status & 0x08 != 0 ? 0xFF : 0x0F }
}

/// Counts of a value, saturated at the ends of this many bits.
func digits(_ value: SIMD3<Double>, perUnit: SIMD3<Double>, bits: Int = 16) -> SIMD3<Int32> {
    let end = Double(1 << (bits - 1))
    var counts = SIMD3<Int32>()
    for axis in 0..<3 { counts[axis] = Int32(min(max((value[axis] * perUnit[axis]).rounded(), -end), end - 1)) }
    return counts
}

/// Sixteen bits per axis, low byte first.
func lowFirst(_ counts: SIMD3<Int32>) -> [UInt8] {
    (0..<3).flatMap { [UInt8(truncatingIfNeeded: counts[$0]), UInt8(truncatingIfNeeded: counts[$0] >> 8)] }
}

/// Sixteen bits per axis, high byte first.
func highFirst(_ counts: SIMD3<Int32>) -> [UInt8] {
    (0..<3).flatMap { [UInt8(truncatingIfNeeded: counts[$0] >> 8), UInt8(truncatingIfNeeded: counts[$0])] }
}

/// When a chip that samples steadily takes its samples. The rate is the true one, not
/// the nominal one.
struct SampleTimer: Sendable {
    private var start: MonotonicTime
    private var taken = 0
    private var rate = 0.0

    init(at start: MonotonicTime) { self.start = start }

    /// Starts again at `now`; 0 samples per second = power-down.
    mutating func restart(rate: Double, at now: MonotonicTime) {
        self.rate = rate
        start = now
        taken = 0
    }

    /// The time of the next sample, which counts as taken; nil when none is due by `now`.
    mutating func next(by now: MonotonicTime) -> MonotonicTime? {
        guard rate > 0 else { return nil }
        let time = start + .nanoseconds(Int64(Double(taken + 1) / rate * 1e9))
        guard time <= now else { return nil }
        taken += 1
        return time
    }
}
