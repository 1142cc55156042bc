// SPDX-License-Identifier: Apache-2.0
import Base

/// The gyroscope and accelerometer of an LSM9DS1 at register level, which `SimulatedCatalog` puts onto
/// simulated boards.
///
/// From the datasheet (DocID025715, 3.5 and table 12): the first sample after a change of the FIFO's mode
/// and, by the rate, the first 2 to 8 after power-down are to be discarded; here they are the truth plus
/// half of it.
///
/// Registers: 0Ch INT1_CTRL, 0Fh WHO_AM_I, 10h CTRL_REG1_G, 15h temperature, 18h rotation, 1Eh–24h CTRL_REG4 to 10,
/// 28h acceleration, 2Eh FIFO_CTRL, 2Fh FIFO_SRC.
///
/// Modelled: IF_ADD_INC, rates and ranges with the gyroscope on, the FIFO of 32 levels that hold
/// both sensors (bypass, FIFO, continuous), left by reading the accelerometer's last byte [M],
/// level, threshold (also on INT1) and overrun, temperature, software reset. Not modelled: the
/// accelerometer alone, other interrupts, status bits, filters, FIFO triggers. The force of a
/// self-test is 0.5 g and 400 deg/s.
package struct SimulatedLSM9DS1: RegisterChip {
    package let address: UInt8
    private let acceleration: Signal
    private let rotation: Signal
    var core: ChipCore
    private var fifo = Self.blank
    private static let blank = SampleFIFO(blank: [UInt8](repeating: 0, count: 12))
    private var isOverrun = false
    /// The next sample is the first since the FIFO's mode changed.
    private var isFirst = true
    /// Samples that will still be wrong since the gyroscope was switched on.
    private var unsettled = 0

    package init(
        address: UInt8 = 0x6A, acceleration: @escaping Signal, rotation: @escaping Signal,
        specimen: Specimen = Specimen(), start: MonotonicTime = .zero
    ) {
        self.address = address
        self.acceleration = acceleration
        self.rotation = rotation
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x0F: 0x68, 0x1E: 0x38, 0x1F: 0x38, 0x22: 0x04]

    mutating func forget() {
        fifo = Self.blank
        isOverrun = false
    }

    /// INT1_CTRL b3 lets INT1 follow the threshold.
    var isPinHigh: Bool { core[0x0C] & 0x08 != 0 && mode != 0 && !fifo.isEmpty && fifo.count >= Int(core[0x2E] & 0x1F) }

    mutating func move() {
        if core[0x22] & 0x04 != 0 { core.pointer &+= 1 }
    }

    private var mode: UInt8 { core[0x23] & 0x02 != 0 ? core[0x2E] >> 5 : 0 }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x10:
            guard core.change(0x10, to: value, bits: 0xE0) else { return }
            core.run(rate: [0, 14.9, 59.5, 119, 238, 476, 952, 0][Int(value >> 5)])
            unsettled = [0, 2, 3, 3, 4, 5, 8, 0][Int(value >> 5)]
        case 0x22 where value & 0x01 != 0: powerCycle(at: core.now)
        case 0x23, 0x2E:
            isFirst = isFirst || core[core.pointer] != value
            core[core.pointer] = value
            guard mode == 0 else { return }
            fifo.empty()
            isOverrun = false
        case 0x04...0x0D, 0x11...0x13, 0x1E...0x22, 0x24, 0x30...0x37: core[core.pointer] = value
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x15: return UInt8(truncatingIfNeeded: core.thermometer(perDegree: 16, zero: 25))
        case 0x16: return UInt8(truncatingIfNeeded: core.thermometer(perDegree: 16, zero: 25) >> 8)
        case 0x18...0x1D: return fifo.front[Int(core.pointer - 0x18)]
        case 0x28...0x2D:
            let byte = fifo.front[Int(core.pointer - 0x28) + 6]
            if core.pointer == 0x2D {
                fifo.removeFront()
                isOverrun = false
            }
            return byte
        case 0x2F:
            let threshold = Int(core[0x2E] & 0x1F)
            return (fifo.count >= threshold && mode != 0 ? 0x80 : 0) | (isOverrun ? 0x40 : 0) | UInt8(fifo.count)
        case let register: return core[register]
        }
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.noise()
        let error = isFirst || unsettled > 0 ? 1.5 : 1
        isFirst = false
        unsettled = max(0, unsettled - 1)
        let milliG = [0.061, 0.732, 0.122, 0.244][Int(core[0x20] >> 3 & 3)]
        let milliDegrees = [8.75, 17.5, 0, 70][Int(core[0x10] >> 3 & 3)]
        let perDegree = milliDegrees == 0 ? 0 : 1000 / milliDegrees
        let force = core[0x24] & 0x01 != 0 ? 0.5 * core.specimen.response : 0
        let turn = core[0x24] & 0x04 != 0 ? 400 * core.specimen.response : 0
        let sample =
            lowFirst(digits((rotation(moment) + noise.1 * 50 + turn) * error, perUnit: SIMD3(repeating: perDegree)))
            + lowFirst(
                digits((acceleration(moment) + noise.0 + force) * error, perUnit: SIMD3(repeating: 1000 / milliG)))
        if !fifo.push(sample, mode == 0 ? .bypass : mode == 1 ? .stopping : .streaming) { isOverrun = true }
    }
}
