// SPDX-License-Identifier: Apache-2.0
import Base

/// An LIS3DH at register level, written from its datasheet (DocID17530 Rev 2) and application note AN3308.
/// `SimulatedCatalog` puts it onto simulated boards. `RegisterChip` calls `store` and `fetch` for each byte on
/// the bus and `measure` for each sample that is due; `core[…]` is a register by its number in the datasheet.
///
/// `[M]` marks what was not checked in a source again: power-on contents, the address wrap while the FIFO
/// is on [M], and that the overrun flag comes with the 32nd sample and not with the 33rd, where the
/// two documents differ.
///
/// From other sources: the FIFO keeps the upper 10 bits whatever the resolution (ST's staff in "LIS3DHTR
/// data length", community.st.com, 2016: "internally in the FIFO only 10 most significant bits are
/// stored"; "LIS2DH12 acceleration data of even number only", 2025, shows logs of multiples of 4;
/// TauLabs' pull request 275 found the same in an LSM303).
///
/// The watermark is reached by the first sample beyond the threshold: of N, "(N+1)" samples are to be read
/// when it rises (datasheet, 5.1.3), and ST's lis2dh12_read_fifo.c sets one less than it waits for.
///
/// The turn-on time in high resolution is seven periods (datasheet, 3.2.1): a chip that `hasTurnOnTime` shows half of
/// the truth until then.
///
/// Registers: 0Ch OUT_ADC3, 0Fh WHO_AM_I, 1Fh TEMP_CFG_REG, 20h–25h CTRL_REG1 to 6, 27h STATUS_REG,
/// 28h–2Dh outputs, 2Eh FIFO_CTRL_REG, 2Fh FIFO_SRC_REG.
///
/// Modelled: auto-increment, the four FIFO modes (stream-to-FIFO without its trigger), watermark,
/// overrun and level, rates, ranges, the three resolutions, both byte orders, BDU, status bits,
/// power-down. The auxiliary converter gives the temperature. Not modelled: interrupt generators,
/// click detection, filters. The force of a self-test is 0.5 g.
package struct SimulatedLIS3DH: RegisterChip {
    /// What a digit is worth in milli-g at ±2, 4, 8 and 16 g; nothing else differs between the chips
    /// with these registers.
    package struct Digits: Sendable, Hashable {
        let highResolution: [Double]
        let normal: [Double]
        let lowPower: [Double]
        /// LIS3DH, LIS2DH12, LSM303DLHC.
        package static let lis3dh = Digits(
            highResolution: [1, 2, 4, 12], normal: [4, 8, 16, 48], lowPower: [16, 32, 64, 192])
        /// LSM303AGR.
        package static let lsm303agr = Digits(
            highResolution: [0.98, 1.95, 3.9, 11.72], normal: [3.9, 7.82, 15.63, 46.9],
            lowPower: [15.63, 31.26, 62.52, 187.58])
    }

    package let address: UInt8
    private let acceleration: Signal
    var core: ChipCore
    private let digits: Digits
    private var increments = false
    private var fifo = Self.blank
    private static let blank = SampleFIFO(blank: SIMD3<Int16>())
    private var outputs = AxisOutputs()
    private let hasTurnOnTime: Bool
    /// Samples that will still be half of what they should be.
    private var unsettled = 0

    package init(
        address: UInt8 = 0x18, digits: Digits = .lis3dh, hasTurnOnTime: Bool = false, acceleration: @escaping Signal,
        temperature: (@Sendable (MonotonicTime) -> Double)? = nil, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        self.hasTurnOnTime = hasTurnOnTime
        self.digits = digits
        self.address = address
        self.acceleration = acceleration
        core = ChipCore(specimen, start: start)
        core.temperature = temperature
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x0F: 0x33, 0x1E: 0x10, 0x20: 0x07]

    mutating func forget() {
        fifo = Self.blank
        outputs = AxisOutputs()
    }

    mutating func point(at subAddress: UInt8) {
        core.pointer = subAddress & 0x7F
        increments = subAddress & 0x80 != 0
    }

    /// CTRL_REG3 I1_WTM lets INT1 follow the watermark flag, I1_ZYXDA that of a new sample.
    var isPinHigh: Bool {
        core[0x22] & 0x04 != 0 && isFIFOOn && fifoSource & 0x80 != 0
            || core[0x22] & 0x10 != 0 && core[0x27] & 0x08 != 0
    }

    /// Without bit 7 of the sub-address the same register is accessed again and again (§6.1.1).
    mutating func move() {
        guard increments else { return }
        core.pointer = core.pointer == 0x2D && isFIFOOn ? 0x28 : (core.pointer + 1) & 0x7F
    }

    private var isFIFOOn: Bool { core[0x24] & 0x40 != 0 && fifoMode != 0 }
    private var fifoMode: UInt8 { core[0x2E] >> 6 }
}

// MARK: Registers

extension SimulatedLIS3DH {
    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x20:  // CTRL_REG1
            let wasOff = rate == 0
            if core.change(0x20, to: value, bits: 0xF8) { core.run(rate: rate) }
            if wasOff, rate > 0 { unsettled = hasTurnOnTime && isHighResolution ? 7 : 0 }
        case 0x24:  // CTRL_REG5
            core[0x24] = value & 0x7F  // BOOT clears itself and leaves the control registers alone
            if !isFIFOOn { fifo.empty() }
        case 0x2E:  // FIFO_CTRL_REG
            core[0x2E] = value
            if !isFIFOOn { fifo.empty() }  // bypass empties the FIFO
        case 0x1E...0x23, 0x25, 0x26, 0x30, 0x32...0x34, 0x36...0x38, 0x3A...0x3F:
            core[core.pointer] = value
        default:
            break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x28...0x2D: output(axis: Int(core.pointer - 0x28) / 2, isSecond: core.pointer & 1 == 1)
        case 0x0C, 0x0D: thermometer(isHigh: core.pointer == 0x0D)
        case 0x2F: fifoSource
        case 0x00..<0x40: core[core.pointer]
        default: 0
        }
    }

    /// OUT_ADC3 is the thermometer's while TEMP_CFG_REG has the converter (b7) and the thermometer
    /// (b6) on: ST's lis3dh_reg.c. Ten bits, left-justified.
    private func thermometer(isHigh: Bool) -> UInt8 {
        guard core[0x1F] & 0xC0 == 0xC0 else { return 0 }
        let bits = core.thermometer(perDegree: 256, zero: 25, step: 64)
        return UInt8(truncatingIfNeeded: isHigh ? bits >> 8 : bits)
    }

    /// WTM, OVRN, EMPTY and five bits of level: the 32nd sample shows as OVRN, since
    /// 32 does not fit.
    private var fifoSource: UInt8 {
        let threshold = Int(core[0x2E] & 0x1F)
        return (fifo.count > threshold ? 0x80 : 0) | (fifo.isFull ? 0x40 : 0)
            | (fifo.isEmpty ? 0x20 : 0) | UInt8(min(31, fifo.count))
    }

    private mutating func output(axis: Int, isSecond: Bool) -> UInt8 {
        // CTRL_REG4: BDU (b7), and BLE (b6), which works in high resolution (b3) only. 27h is STATUS_REG.
        let byte = outputs.byte(
            of: fifo.front[axis], axis: axis, isSecond: isSecond,
            isBigEndian: core[0x23] & 0x48 == 0x48, isHeldBack: core[0x23] & 0x80 != 0, status: &core[0x27])
        if isSecond, axis == 2 { fifo.removeFront() }
        return byte
    }
}

// MARK: Measuring

extension SimulatedLIS3DH {
    /// Nominal output data rate in Hz, 0 in power-down.
    private var rate: Double {
        let isLowPower = core[0x20] & 0x08 != 0
        return switch core[0x20] >> 4 {
        case 1: 1
        case 2: 10
        case 3: 25
        case 4: 50
        case 5: 100
        case 6: 200
        case 7: 400
        case 8: isLowPower ? 1620 : 0
        case 9: isLowPower ? 5376 : 1344
        default: 0
        }
    }

    private var isHighResolution: Bool { core[0x23] & 0x08 != 0 && core[0x20] & 0x08 == 0 }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.oneNoise()
        // ST1:0 of CTRL_REG4
        let force = [0, 0.5, -0.5, 0][Int(core[0x23] >> 1 & 3)] * core.specimen.response
        AxisOutputs.markReady(in: &core[0x27])
        let mode: SampleFIFO<SIMD3<Int16>>.Mode = !isFIFOOn ? .bypass : fifoMode == 1 ? .stopping : .streaming
        let sample = quantised((acceleration(moment) + noise + force) * (unsettled > 0 ? 0.5 : 1))
        unsettled = max(0, unsettled - 1)
        fifo.push(mode == .bypass ? sample : sample & SIMD3(repeating: ~0x3F), mode)
    }

    /// Digits, left-justified. They saturate at their own ends, also at ±16 g, where the digits
    /// reach beyond 16 g.
    private func quantised(_ value: SIMD3<Double>) -> SIMD3<Int16> {
        let range = Int(core[0x23] >> 4 & 3)
        let isLowPower = core[0x20] & 0x08 != 0
        let bits = isLowPower ? 8 : isHighResolution ? 12 : 10
        let table =
            isLowPower ? self.digits.lowPower : isHighResolution ? self.digits.highResolution : self.digits.normal
        let milliG = table[range]
        let end = Double(1 << (bits - 1))
        var digits = SIMD3<Int16>()
        for axis in 0..<3 where core[0x20] & 1 << UInt8(axis) != 0 {
            let digit = min(max((value[axis] * 1000 / milliG).rounded(), -end), end - 1)
            digits[axis] = Int16(digit) << Int16(16 - bits)
        }
        return digits
    }
}
