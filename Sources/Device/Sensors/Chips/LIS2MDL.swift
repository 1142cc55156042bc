// SPDX-License-Identifier: Apache-2.0

/// ST LIS2MDL 3-axis magnetometer, 16 bits, one range, without a FIFO; the magnetometer of ST's LSM303AGR is
/// the same. `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from ST's lis2mdl_reg.h and the kernel's st_magn_core.c. The sub-address
/// increments by itself.
struct LIS2MDL: ChipDriver {
    /// Datasheet names and addresses; that of INT_CTRL_REG [M].
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let OFFSET_X_REG_L: UInt8 = 0x45
        static let WHO_AM_I: UInt8 = 0x4F
        static let CFG_REG_A: UInt8 = 0x60
        static let CFG_REG_B: UInt8 = 0x61
        static let CFG_REG_C: UInt8 = 0x62
        static let INT_CTRL_REG: UInt8 = 0x63
        static let STATUS_REG: UInt8 = 0x67
        static let OUTX_L_REG: UInt8 = 0x68
    }

    /// CFG_REG_A ODR[1:0]; ±5000 µT, 0.15 µT (1.5 mG) per count. The second is in one housing with an accelerometer.
    static let models = ["LIS2MDL", "LSM303AGR-magn"].map { name in
        ChipModel(
            identity: ChipIdentity(name: name, addresses: [0x1E], register: Register.WHO_AM_I, value: 0x40),
            kind: .magnetometer, rates: [(10, 0), (20, 1), (50, 2), (100, 3)],
            ranges: [(5000, RangeScale(code: 0, scale: 0.15))], rate: 10, range: 5000, hasInterrupt: true)
    }

    let chip: ChipContext
    /// After idle two are not right yet, as the kernel has it (st_magn_core.c: `bootime`).
    var unsettledSamples: Int { 2 }

    /// Stops measuring, writes every control register that matters, and measures again. What was
    /// measured before is no sample.
    func setUp() throws(I2CError) {
        try write([(Register.CFG_REG_A, 0x83)])  // idle
        _ = try read(Register.OUTX_L_REG, count: 6)
        try write(settings)
    }

    func isSetUp() throws(I2CError) -> Bool {
        try read(Register.CFG_REG_A, count: 3) == [controlA, 0x02, 0x11]
    }

    func waiting() throws(I2CError) -> FIFOStatus { Self.waiting(status: try byte(Register.STATUS_REG)) }

    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.OUTX_L_REG, count: 6, into: &bytes)
    }

    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { littleEndian(burst, at: 6 * index, axes: 3) }

    /// STATUS_REG: b7 Zyxor (a sample was overwritten), b3 Zyxda (a sample is there).
    static func waiting(status: UInt8) -> FIFOStatus { FIFOStatus(status: status, ready: 0x08, overrun: 0x80) }

    /// COMP_TEMP_EN, which must be set; rate; continuous.
    private var controlA: UInt8 { 0x80 | chip.rateCode << 2 }

    /// Every control register, in the order of writing. Measuring begins last.
    var settings: RegisterWrites {
        [
            (Register.OFFSET_X_REG_L, 0), (Register.OFFSET_X_REG_L + 1, 0), (Register.OFFSET_X_REG_L + 2, 0),
            (Register.OFFSET_X_REG_L + 3, 0), (Register.OFFSET_X_REG_L + 4, 0), (Register.OFFSET_X_REG_L + 5, 0),
            (Register.CFG_REG_B, 0x02),  // offset cancellation
            (Register.CFG_REG_C, 0x11),  // BDU; data-ready on its pin, wired or not; little-endian
            (Register.INT_CTRL_REG, 0x00),
            (Register.CFG_REG_A, controlA),
        ]
    }
}
