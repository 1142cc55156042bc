// SPDX-License-Identifier: Apache-2.0
import Base
import SimulatedWorld

/// The state that every `RegisterChip` keeps: registers, sample timer, specimen.
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

    /// Puts bytes into this register and those after it.
    mutating func show(_ bytes: [UInt8], from register: UInt8) {
        registers.replaceSubrange(Int(register)..<(Int(register) + bytes.count), with: bytes)
    }

    /// How the axes answer a self-test, those with their bit set: b2 for X to b0 for Z.
    func selfTest(_ bits: UInt8, _ answer: SIMD3<Double>) -> SIMD3<Double> {
        var force = SIMD3<Double>()
        for axis in 0..<3 where bits & 0x04 >> UInt8(axis) != 0 { force[axis] = answer[axis] * specimen.response }
        return force
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
