// SPDX-License-Identifier: Apache-2.0
import Base

/// An AK09916, the magnetometer in the housing of an ICM-20948, at register level.
///
/// Written from the same collected facts as the driver, not from a datasheet anew: it finds
/// mistakes of work, not of knowledge. Power-on contents and when flags clear are [M].
///
/// From outside: HOFL (ST2 b3) says that the sum of the axes was beyond what the sensor holds, and
/// the data are wrong then (AKM's datasheets, "magnetic sensor overflow"; the kernel's ak8975.c
/// drops such a sample); here they are half of the truth.
///
/// Modelled: its axes, of which Y and Z are opposite to the housing's [M], the four rates, single
/// measurement, modes that can be reached from power-down only, DRDY and DOR, data that stand still
/// from the first byte read until ST2, the overflow flag, software reset. Not modelled: the 100 µs
/// between modes, self-test.
package struct SimulatedAK09916: RegisterChip {
    package let address: UInt8 = 0x0C
    /// True while the host's switch is closed, and without one.
    package var isConnected: Bool { bypass?.isClosed ?? true }
    private let field: Signal
    private let bypass: BypassSwitch?
    var core: ChipCore
    private var outputs = AKMOutputs()

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

    let powerOn: [UInt8: UInt8] = [0x00: 0x48, 0x01: 0x09]

    mutating func forget() { outputs = AKMOutputs() }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x32 where value & 0x01 != 0: powerCycle(at: core.now)
        case 0x31:
            guard core[0x31] & 0x1F == 0 || value & 0x1F == 0 else { return }
            core[0x31] = value & 0x1F
            core.run(rate: [1: 110, 2: 10, 4: 20, 6: 50, 8: 100][Int(value & 0x1F)] ?? 0)
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x11...0x17: outputs.readData(status: &core[0x10])
        case 0x18: outputs.readEnd(status: &core[0x10])
        default: break
        }
        return core[core.pointer]
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.noise().0
        if core[0x31] == 1 {  // single, then power-down
            core[0x31] = 0
            core.timer.restart(rate: 0, at: moment)
        }
        guard outputs.admit(status: &core[0x10]) else { return }
        let truth = field(moment) + noise
        let isOverflow = abs(truth.x) + abs(truth.y) + abs(truth.z) >= 4912
        let own = SIMD3(truth.x, -truth.y, -truth.z) / (isOverflow ? 2 : 1)
        let bytes = lowFirst(digits(own, perUnit: SIMD3(repeating: 1 / 0.15)))
        for index in 0..<6 { core[0x11 + UInt8(index)] = bytes[index] }
        core[0x18] = isOverflow ? 0x08 : 0
    }
}
