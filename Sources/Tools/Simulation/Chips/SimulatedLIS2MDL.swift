// SPDX-License-Identifier: Apache-2.0
import Base

/// An LIS2MDL (or the magnetometer of an LSM303AGR) at register level, which `SimulatedCatalog` puts onto
/// simulated boards.
///
/// Registers: 45h–4Ah offsets, 4Fh WHO_AM_I, 60h–62h CFG_REG_A to C, 67h STATUS_REG, 68h–6Dh outputs.
///
/// Modelled: rates, continuous, single and idle mode, hard-iron offsets, byte order, status bits
/// and the pin that follows them, software reset; the sensor's own offset, which set and reset
/// pulses cancel (OFF_CANC; ST's AN5080 as betaflight's pull request 14176 quotes it); the first
/// two samples after idle, which are not right yet (the kernel's st_magn_core.c: `bootime = 2` for
/// LIS2MDL and LSM303AGR; here half of what they should be). Not modelled: BDU, temperature,
/// threshold interrupts, low power. The force of a self-test is 15 µT.
package struct SimulatedLIS2MDL: RegisterChip {
    package let address: UInt8 = 0x1E
    private let field: Signal
    var core: ChipCore
    /// Samples that will still be half of what they should be.
    private var unsettled = 0
    /// The sensor's own offset in µT on every axis.
    private static let offset = 9.0

    package init(field: @escaping Signal, specimen: Specimen = Specimen(), start: MonotonicTime = .zero) {
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x4F: 0x40, 0x60: 0x03]

    /// CFG_REG_C b0 lets the pin follow Zyxda.
    var isPinHigh: Bool { core[0x62] & 0x01 != 0 && core[0x67] & 0x08 != 0 }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x60 where value & 0x20 != 0: powerCycle(at: core.now)
        case 0x60:
            if core[0x60] & 3 > 1, value & 3 <= 1 { unsettled = 2 }
            guard core.change(0x60, to: value & 0x9F) else { return }
            core.run(rate: value & 3 <= 1 ? [10, 20, 50, 100][Int(value >> 2 & 3)] : 0)
        case 0x45...0x4A, 0x61...0x63, 0x65, 0x66: core[core.pointer] = value
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        let byte = core[core.pointer]
        if 0x68...0x6D ~= core.pointer, core.pointer & 1 == 1 {
            AxisOutputs.clearReady(Int(core.pointer - 0x68) / 2, from: &core[0x67])
        }
        return byte
    }

    mutating func measure(at moment: MonotonicTime) {
        let force = core[0x62] & 0x02 != 0 ? 15 * core.specimen.response : 0
        let own = core[0x61] & 0x02 != 0 ? 0 : Self.offset
        let field = (field(moment) + core.oneNoise() + force + own) * (unsettled > 0 ? 0.5 : 1)
        unsettled = max(0, unsettled - 1)
        var counts = digits(field, perUnit: SIMD3(repeating: 1 / 0.15))
        for axis in 0..<3 {
            let place = 0x45 + 2 * UInt8(axis)
            counts[axis] -= Int32(Int16(bitPattern: UInt16(core[place + 1]) << 8 | UInt16(core[place])))
        }
        core.show(core[0x62] & 0x08 != 0 ? highFirst(counts) : lowFirst(counts), from: 0x68)
        AxisOutputs.markReady(in: &core[0x67])
        if core[0x60] & 3 == 1 {  // single, then idle
            core[0x60] |= 3
            core.timer.restart(rate: 0, at: moment)
        }
    }
}
