// SPDX-License-Identifier: Apache-2.0
import Base

/// An AK8963, the magnetometer in the housing of an MPU-9250, at register level.
///
/// Written from the same collected facts as the driver, not from a datasheet anew: it finds
/// mistakes of work, not of knowledge. Power-on contents and when flags clear are [M].
///
/// From outside: HOFL (ST2 b3) says that the sum of the axes was beyond what the sensor holds, and
/// the data are wrong then (AKM's datasheets, "magnetic sensor overflow"; the kernel's ak8975.c
/// drops such a sample); here they are half of the truth.
///
/// Modelled: its axes, which are not those of the housing, the fuse mode in which alone the
/// adjustments can be read, the errors that they take away, 8 and 100 Hz, a single measurement, 14
/// and 16 bits, modes that can be reached from power-down only, DRDY and DOR, data that stand still
/// from the first byte read until ST2, the overflow flag, software reset. Not modelled: the 100 µs
/// between modes, self-test, the I2C disable register.
package struct SimulatedAK8963: RegisterChip {
    package let address: UInt8 = 0x0C
    /// True while the host's switch is closed, and without one.
    package var isConnected: Bool { bypass?.isClosed ?? true }
    private let field: Signal
    private let bypass: BypassSwitch?
    var core: ChipCore
    private var outputs = AKMOutputs()

    /// What the maker found for X, Y, Z of the chip.
    static let fuses: [UInt8] = [175, 179, 168]

    /// A chip that feels `field` (in µT, in the axes of the accelerometer), switched on at `start`,
    /// on the bus while `bypass` is closed; always without one.
    package init(
        bypass: BypassSwitch? = nil, field: @escaping Signal, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        self.bypass = bypass
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x00: 0x48, 0x01: 0x9A]

    mutating func forget() { outputs = AKMOutputs() }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x0B where value & 0x01 != 0: powerCycle(at: core.now)
        case 0x0A:
            // From one mode to another only through power-down.
            guard core[0x0A] & 0x0F == 0 || value & 0x0F == 0 else { return }
            core[0x0A] = value & 0x1F
            core.run(rate: [1: 110, 2: 8, 6: 100][Int(value & 0x0F)] ?? 0)
        case 0x0C: core[0x0C] = value & 0x40
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x03...0x08: outputs.readData(status: &core[0x02])
        case 0x09: outputs.readEnd(status: &core[0x02])
        case 0x10...0x12: return core[0x0A] & 0x0F == 0x0F ? Self.fuses[Int(core.pointer) - 0x10] : 0
        default: break
        }
        return core[core.pointer]
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.noise().0
        if core[0x0A] & 0x0F == 1 {  // single, then power-down
            core[0x0A] &= ~0x0F
            core.timer.restart(rate: 0, at: moment)
        }
        guard outputs.admit(status: &core[0x02]) else { return }
        let truth = field(moment) + noise
        let own = SIMD3(truth.y, truth.x, -truth.z)
        let is16Bits = core[0x0A] & 0x10 != 0
        var perUnit = SIMD3<Double>()
        for axis in 0..<3 {
            perUnit[axis] = 256 / (Double(Self.fuses[axis]) + 128) / (is16Bits ? 0.15 : 0.6)
        }
        let isOverflow = abs(own.x) + abs(own.y) + abs(own.z) >= 4912
        let bytes = lowFirst(digits(isOverflow ? own / 2 : own, perUnit: perUnit, bits: is16Bits ? 16 : 14))
        for index in 0..<6 { core[0x03 + UInt8(index)] = bytes[index] }
        core[0x09] = (isOverflow ? 0x08 : 0) | (is16Bits ? 0x10 : 0)
    }
}
