// SPDX-License-Identifier: Apache-2.0
import Base

/// An LIS3MDL at register level, written from its datasheet. `SimulatedCatalog` puts it onto simulated boards.
/// `RegisterChip` calls `store` and `fetch` for each byte on the bus and `measure` for each sample that is due;
/// `core[…]` is a register by its number in the datasheet.
///
/// Registers: 0Fh WHO_AM_I, 20h–24h CTRL_REG1 to 5, 27h STATUS_REG, 28h–2Dh outputs, 30h INT_CFG.
///
/// Modelled: auto-increment, rates including FAST_ODR, ranges, the operating modes of CTRL_REG3,
/// soft reset, both byte orders, BDU, status bits, the first two samples after power-down, which
/// are not right yet (the kernel's st_magn_core.c: `bootime = 2` for LIS3MDL and LSM9DS1, "samples
/// to discard when sensor passing from power-down to power-up"; here they are half of what they
/// should be), the offsets that an LSM9DS1 subtracts. Not modelled: temperature, interrupt generator.
/// The force of a self-test is 200 µT, 50 µT on Z.
package struct SimulatedLIS3MDL: RegisterChip {
    package let address: UInt8
    private let field: Signal
    var core: ChipCore
    /// Counts per gauss at ±4, 8, 12 and 16 gauss.
    private let countsPerGauss: [Double]
    /// Registers 05h to 0Ah are offsets; in an LIS3MDL they are reserved.
    private let hasOffsets: Bool
    private var increments = false
    private var latest = SIMD3<Int16>()
    private var outputs = AxisOutputs()
    /// Samples that will still be half of what they should be.
    private var unsettled = 0

    package init(
        address: UInt8 = 0x1C, isLSM9DS1: Bool = false, field: @escaping Signal, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        // The magnetometer of an LSM9DS1 has these registers and 0.14, 0.29, 0.43,
        // 0.58 mG per count.
        countsPerGauss = isLSM9DS1 ? [0.14, 0.29, 0.43, 0.58].map { 1000 / $0 } : [6842, 3421, 2281, 1711]
        hasOffsets = isLSM9DS1
        self.address = address
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    /// Register contents after power-on: identity, 10 Hz, powered down.
    let powerOn: [UInt8: UInt8] = [0x0F: 0x3D, 0x20: 0x10, 0x22: 0x03, 0x30: 0xE8]

    mutating func forget() {
        latest = .zero
        outputs = AxisOutputs()
    }

    /// DRDY follows ZYXDA.
    var isPinHigh: Bool { core[0x27] & 0x08 != 0 }

    mutating func point(at subAddress: UInt8) {
        core.pointer = subAddress & 0x7F
        increments = subAddress & 0x80 != 0
    }

    /// A burst over the outputs begins again at 0x28.
    mutating func move() {
        guard increments else { return }
        core.pointer = core.pointer == 0x2D ? 0x28 : (core.pointer + 1) & 0x7F
    }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x21 where value & 0x04 != 0:
            powerCycle(at: core.now)  // SOFT_RST; the pointer stays
        case 0x21:
            core[0x21] = value & 0x60  // REBOOT clears itself
        case 0x22:  // CTRL_REG3: the mode; 0 = continuous, 1 = single, else powered down
            if core[0x22] & 0x03 > 1, value & 0x03 <= 1 { unsettled = 2 }
            if core.change(0x22, to: value) { core.run(rate: rate) }
        case 0x20:  // CTRL_REG1: rates
            if core.change(core.pointer, to: value) { core.run(rate: rate) }
        case 0x05...0x0A, 0x23, 0x24, 0x30, 0x32, 0x33:
            core[core.pointer] = value
        default:
            break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x28...0x2D: output(axis: Int(core.pointer - 0x28) / 2, isSecond: core.pointer & 1 == 1)
        case 0x00..<0x40: core[core.pointer]
        default: 0
        }
    }

    private mutating func output(axis: Int, isSecond: Bool) -> UInt8 {
        // BLE of CTRL_REG4, BDU of CTRL_REG5, STATUS_REG.
        outputs.byte(
            of: latest[axis], axis: axis, isSecond: isSecond, isBigEndian: core[0x23] & 0x02 != 0,
            isHeldBack: core[0x24] & 0x40 != 0, status: &core[0x27])
    }

    /// Samples per second; FAST_ODR is as fast as the mode of X and Y allows. 0 unless measuring.
    private var rate: Double {
        guard core[0x22] & 0x03 <= 1 else { return 0 }
        if core[0x20] & 0x02 != 0 { return [1000, 560, 300, 155][Int(core[0x20] >> 5 & 3)] }
        return [0.625, 1.25, 2.5, 5, 10, 20, 40, 80][Int(core[0x20] >> 2 & 7)]
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.oneNoise()
        let force = core[0x20] & 0x01 != 0 ? SIMD3(200, 200, 50) * core.specimen.response : .zero  // ST
        latest = quantised((field(moment) + noise + force) * (unsettled > 0 ? 0.5 : 1))
        if hasOffsets { for axis in 0..<3 { latest[axis] &-= offset(axis) } }
        unsettled = max(0, unsettled - 1)
        AxisOutputs.markReady(in: &core[0x27])
        if core[0x22] & 0x03 == 1 {  // single conversion, then idle
            core[0x22] |= 0x03
            core.timer.restart(rate: 0, at: moment)
        }
    }

    private func offset(_ axis: Int) -> Int16 {
        Int16(bitPattern: UInt16(core[0x06 + 2 * UInt8(axis)]) << 8 | UInt16(core[0x05 + 2 * UInt8(axis)]))
    }

    /// Counts of the range that is set (CTRL_REG2 b6:5), saturated at its full scale.
    private func quantised(_ value: SIMD3<Double>) -> SIMD3<Int16> {
        let range = Int(core[0x21] >> 5 & 3)
        let perGauss = countsPerGauss[range]
        let end = min([4.0, 8, 12, 16][range] * perGauss, 32_767)
        var counts = SIMD3<Int16>()
        for axis in 0..<3 { counts[axis] = Int16(min(max((value[axis] / 100 * perGauss).rounded(), -end), end)) }
        return counts
    }
}
