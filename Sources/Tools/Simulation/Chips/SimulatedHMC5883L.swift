// SPDX-License-Identifier: Apache-2.0
import Base

/// An HMC5883L or the magnetometer of an LSM303DLHC at register level, which `SimulatedCatalog` puts onto
/// simulated boards.
///
/// From other sources: an axis beyond its range reads −4096 and nothing else says so (Honeywell's
/// datasheet, "Data Output Registers"; the kernel's hmc5843_core.c); a gain that was changed is in force
/// from the second measurement on (the same datasheet, "Configuration Register B").
///
/// Registers: 00h and 01h configuration A and B, 02h mode, 03h–08h data, 09h status, 0Ah–0Ch identification.
///
/// Modelled: data high byte first as X, Z, Y, the gains (the LSM303DLHC's Z has its own), −4096
/// beyond the range, single, continuous and idle mode, RDY that reading does not clear [M], LOCK,
/// the pointer's way from the last data register back to the first [M]. The bias of an HMC5883L is
/// measured without the field around [M]. Not modelled:
/// temperature, averaging, the DRDY pin.
package struct SimulatedHMC5883L: RegisterChip {
    package let address: UInt8 = 0x1E
    private let field: Signal
    private let hasOwnGainForZ: Bool
    var core: ChipCore
    /// The gain of the next measurement.
    private var gain = Self.powerOnGain
    private static let powerOnGain = 1

    package init(
        isLSM303DLHC: Bool = false, field: @escaping Signal, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        hasOwnGainForZ = isLSM303DLHC
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    var powerOn: [UInt8: UInt8] {
        [0x00: 0x10, 0x01: 0x20, 0x02: hasOwnGainForZ ? 3 : 1, 0x0A: 0x48, 0x0B: 0x34, 0x0C: 0x33]
    }

    mutating func forget() { gain = Self.powerOnGain }

    mutating func move() { core.pointer = core.pointer == 0x08 ? 0x03 : core.pointer &+ 1 }

    mutating func store(_ value: UInt8) {
        guard core.pointer <= 0x02 else { return }
        core[core.pointer] = value
        core[0x09] &= ~0x02  // a new setting ends the lock
        guard core.pointer == 0x02 else { return }
        switch value & 3 {
        case 0: core.run(rate: [0.75, 1.5, 3, 7.5, 15, 30, 75, hasOwnGainForZ ? 220 : 0][Int(core[0x00] >> 2 & 7)])
        case 1:
            core[0x09] &= ~0x01
            core.run(rate: 1 / 0.006)  // one measurement, 6 ms
        default: core.run(rate: 0)
        }
    }

    mutating func fetch() -> UInt8 {
        if 0x03...0x08 ~= core.pointer { core[0x09] = core.pointer == 0x08 ? core[0x09] & ~0x02 : core[0x09] | 0x02 }
        return core[core.pointer]
    }

    mutating func measure(at moment: MonotonicTime) {
        if core[0x02] & 3 == 1 {  // single, then idle
            core[0x02] |= 3
            core.timer.restart(rate: 0, at: moment)
        }
        let noise = core.oneNoise()
        defer { gain = Int(core[0x01] >> 5) }
        guard core[0x09] & 0x02 == 0 else { return }  // locked: half read
        let xy = (hasOwnGainForZ ? [0.0, 1100, 855, 670, 450, 400, 330, 230] : Self.gains)[gain] / 100
        let z = (hasOwnGainForZ ? [0.0, 980, 760, 600, 400, 355, 295, 205] : Self.gains)[gain] / 100
        let bias = SIMD3(116.0, 116, 108) * core.specimen.response
        let isBiased = core[0x00] & 3 == 1 && !hasOwnGainForZ
        var counts = digits((isBiased ? bias : field(moment)) + noise, perUnit: SIMD3(xy, xy, z))
        for axis in 0..<3 where abs(counts[axis]) > 2047 { counts[axis] = -4096 }
        core.show(highFirst(SIMD3(counts.x, counts.z, counts.y)), from: 0x03)
        core[0x09] |= 0x01
    }

    private static let gains = [1370.0, 1090, 820, 660, 440, 390, 330, 230]
}
