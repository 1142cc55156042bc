// SPDX-License-Identifier: Apache-2.0
import Base

/// An MMC5983MA at register level, which `SimulatedCatalog` puts onto simulated boards.
///
/// Registers: 00h–06h data, 08h STATUS, 09h–0Ch CONTROL0 to 3, 2Fh product id.
///
/// Modelled: control registers that read 0, continuous measuring, 18 bits with their low bits
/// apart, Meas_M_Done that stays until a one is written to it [M], the bridge's offset, which SET
/// and RESET turn over against the field (the kernel's mmc5983.c takes half the difference of both)
/// and which AUTO_SR takes away (SparkFun's library, issue 12), a sample that is wrong where
/// CONTROL0 was written while the chip measures (the same, issue 9: AUTO_SR "repeatedly enabled" is
/// "what was causing the spikes"), what a field above 10 gauss leaves in the bridge until a SET, which
/// the chip repeats by itself where that and AUTO_SR are on, software reset. Not modelled: temperature,
/// single measurements, interrupts, self-test, filters.
package struct SimulatedMMC5983MA: RegisterChip {
    package let address: UInt8 = 0x30
    private let field: Signal
    var core: ChipCore
    /// The control registers, which cannot be read.
    private var control = [UInt8](repeating: 0, count: 4)
    /// 1 after SET, -1 after RESET: the sign with which the bridge shows the field.
    private var polarity = -1.0
    /// The next sample is wrong: CONTROL0 was written while the chip measures.
    private var isSpoilt = false
    /// A strong field has left an offset in the bridge, which AUTO_SR does not take away.
    private var isMagnetised = false
    /// Measurements since the last periodic SET.
    private var measured = 0

    /// The bridge's offset in µT on every axis; as much again is what a strong field leaves.
    private static let offset = 12.0
    /// µT.
    private static let strongField = 1000.0
    /// CONTROL2 PRD_SET: after how many measurements the chip sets the bridge.
    private static let setPeriods = [1, 25, 75, 100, 250, 500, 1000, 2000]

    package init(field: @escaping Signal, specimen: Specimen = Specimen(), start: MonotonicTime = .zero) {
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x2F: 0x30]

    /// The bridge stays magnetised: only a SET ends that.
    mutating func forget() {
        control = [UInt8](repeating: 0, count: 4)
        polarity = -1
        isSpoilt = false
    }

    /// CONTROL0 b2 lets the pin follow Meas_M_Done [M].
    var isPinHigh: Bool { control[0] & 0x04 != 0 && core[0x08] & 0x01 != 0 }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x08: core[0x08] &= ~(value & 0x03)
        case 0x0A where value & 0x80 != 0: powerCycle(at: core.now)
        case 0x09:
            isSpoilt = control[2] & 0x08 != 0
            if value & 0x08 != 0 { (polarity, isMagnetised) = (1, false) }
            if value & 0x10 != 0 { polarity = -1 }
            control[0] = value & 0x24  // the others clear themselves
        case 0x0B:
            let isNew = control[2] != value
            (control[2], measured) = (value, 0)
            let rates: [Double] = [0, 1, 10, 20, 50, 100, 200, 1000]
            if isNew { core.run(rate: value & 0x08 != 0 ? rates[Int(value & 7)] : 0) }
        case 0x0A, 0x0C: control[Int(core.pointer - 0x09)] = value
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 { core[core.pointer] }

    mutating func measure(at moment: MonotonicTime) {
        let truth = field(moment) + core.oneNoise()
        setPeriodically()
        if (0..<3).contains(where: { abs(truth[$0]) > Self.strongField }) { isMagnetised = true }
        let error = (isSpoilt ? 40.0 : 0) + (isMagnetised ? Self.offset : 0)
        isSpoilt = false
        let bridge = control[0] & 0x20 != 0 ? truth : truth * polarity + Self.offset
        let counts = digits(bridge + error, perUnit: SIMD3(repeating: 163.84), bits: 18)
        core[0x06] = 0
        for axis in 0..<3 {
            let raw = UInt32(counts[axis] + 131_072)
            core[2 * UInt8(axis)] = UInt8(raw >> 10)
            core[2 * UInt8(axis) + 1] = UInt8(raw >> 2 & 0xFF)
            core[0x06] |= UInt8(raw & 3) << UInt8(6 - 2 * axis)
        }
        core[0x08] |= 0x01
    }

    /// EN_PRD_SET works only together with AUTO_SR and continuous measuring.
    private mutating func setPeriodically() {
        guard control[0] & 0x20 != 0, control[2] & 0x88 == 0x88 else { return }
        measured += 1
        guard measured >= Self.setPeriods[Int(control[2] >> 4 & 7)] else { return }
        (measured, isMagnetised) = (0, false)
    }
}
