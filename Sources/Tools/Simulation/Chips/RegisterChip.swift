// SPDX-License-Identifier: Apache-2.0
import Base
import SimulatedWorld

/// The mechanics that simulated chips have in common: a register pointer that increments, a sample
/// timer, power-on contents. A chip gives its registers their meaning in `store`, `fetch` and
/// `measure`; its init, which takes what the chip feels (in g, deg/s and µT) and when it is switched on, ends with
/// `begin()`. The noise of a specimen is in those units; of two sensors it is the accelerometer's, and the gyroscope
/// has 50 times the number.
///
/// But for `SimulatedLIS3DH` and `SimulatedLIS3MDL`, chips are written from the same collected facts as their
/// drivers, not from a second reading of the datasheet: they catch mistakes in a driver's code, but no fact
/// that both have wrong. [M] marks what was not checked in a source again; power-on contents and when flags
/// clear were not checked either.
protocol RegisterChip: SimulatedChip {
    var core: ChipCore { get set }
    /// Contents after power-on; what is not named is 0.
    var powerOn: [UInt8: UInt8] { get }
    /// Writes a byte to the register under the pointer.
    mutating func store(_ value: UInt8)
    /// Reads a byte from the register under the pointer, with what that changes in the chip.
    mutating func fetch() -> UInt8
    /// Sets the pointer by the sub-address with which a write begins.
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

    /// For a chip that a fault keeps from measuring; the timer goes on.
    package mutating func skipSamples(to time: MonotonicTime) {
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
