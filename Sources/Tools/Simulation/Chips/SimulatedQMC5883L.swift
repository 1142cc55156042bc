// SPDX-License-Identifier: Apache-2.0
import Base

/// A QMC5883L at register level, which `SimulatedCatalog` puts onto simulated boards.
///
/// From other sources: OVL (STATUS b1) goes with the measurement, not with the reading: it is set by
/// one of which an axis is beyond its range and taken away by the next that is not (QST's
/// datasheet 1.0, §9.2.2). Reading any data register clears DRDY and DOR (the same, quoted in PX4's pull
/// request 21693) and locks all six until the last is read: no sample enters them and DRDY stays away
/// (betaflight's pull request 13467). Neither a mode nor a reset unlocks them (QMC5883LCompass, issue 9).
///
/// Registers: 00h–05h data, 06h STATUS, 09h CONTROL1 (mode, rate, range), 0Ah CONTROL2, 0Bh SET/RESET period,
/// 0Dh chip id.
///
/// Modelled: rates, ranges, standby and continuous mode, soft reset, DRDY and DOR, the lock of the data,
/// the pin that follows DRDY, OVL. Not modelled: over-sampling, temperature, roll-over, what happens
/// without the set/reset period.
package struct SimulatedQMC5883L: RegisterChip {
    package let address: UInt8 = 0x0D
    private let field: Signal
    var core: ChipCore
    /// While the data registers are being read, no sample enters them.
    private var isLocked = false

    package init(field: @escaping Signal, specimen: Specimen = Specimen(), start: MonotonicTime = .zero) {
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x0D: 0xFF]

    /// CONTROL2 b0 keeps the pin from following DRDY.
    var isPinHigh: Bool { core[0x0A] & 0x01 == 0 && core[0x06] & 0x01 != 0 }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x0A where value & 0x80 != 0:
            let wasLocked = isLocked
            powerCycle(at: core.now)
            isLocked = wasLocked
        case 0x09:
            guard core.change(0x09, to: value) else { return }
            core.run(rate: value & 3 == 1 ? [10, 50, 100, 200][Int(value >> 2 & 3)] : 0)
        case 0x0A, 0x0B: core[core.pointer] = value
        default: break  // read-only or reserved
        }
    }

    mutating func forget() { isLocked = false }

    mutating func fetch() -> UInt8 {
        if core.pointer <= 0x05 {
            core[0x06] &= ~0x05
            isLocked = core.pointer < 0x05
        }
        return core[core.pointer]
    }

    mutating func measure(at moment: MonotonicTime) {
        guard !isLocked else {
            core[0x06] |= 0x04
            return
        }
        let perMicrotesla = core[0x09] >> 4 & 3 == 1 ? 30.0 : 120
        let counts = digits(field(moment) + core.oneNoise(), perUnit: SIMD3(repeating: perMicrotesla))
        core.show(lowFirst(counts), from: 0x00)
        core[0x06] |= core[0x06] & 0x01 != 0 ? 0x05 : 0x01
        let isBeyond = (0..<3).contains { counts[$0] == 32_767 || counts[$0] == -32_768 }
        core[0x06] = core[0x06] & ~0x02 | (isBeyond ? 0x02 : 0)
    }
}
