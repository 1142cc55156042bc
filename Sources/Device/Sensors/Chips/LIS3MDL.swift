// SPDX-License-Identifier: Apache-2.0

/// ST LIS3MDL 3-axis magnetometer, 16 bits, without a FIFO: each sample is fetched by itself. `ChipCatalog`
/// lists it, `SampledDevice` runs it.
///
/// Facts from ST's lis3mdl_reg.h and the kernel's st_magn_core.c. An LSM9DS1's magnetometer reads
/// the same identity with a slightly different scale: only the board file can tell them apart.
struct LIS3MDL: ChipDriver {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let OFFSET_X_REG_L_M: UInt8 = 0x05
        static let WHO_AM_I: UInt8 = 0x0F
        static let CTRL_REG1: UInt8 = 0x20
        static let CTRL_REG2: UInt8 = 0x21
        static let CTRL_REG3: UInt8 = 0x22
        static let CTRL_REG4: UInt8 = 0x23
        static let CTRL_REG5: UInt8 = 0x24
        static let STATUS_REG: UInt8 = 0x27
        static let OUT_X_L: UInt8 = 0x28
        static let INT_CFG: UInt8 = 0x30
        /// OR-ed into a sub-address; without it the same register is read again and again.
        static let autoIncrement: UInt8 = 0x80
    }

    static let models = [
        // 6842, 3421, 2281 and 1711 counts per gauss.
        model("LIS3MDL", pin: "SA1", microtesla: [100 / 6842.0, 100 / 3421.0, 100 / 2281.0, 100 / 1711.0]), lsm9ds1,
    ]
    /// The magnetometer of ST's LSM9DS1: 0.14, 0.29, 0.43 and 0.58 mG per count (ST's
    /// lsm9ds1_reg.c). Its X axis runs against the accelerometer's; values are kept as the
    /// chip gives them.
    static let lsm9ds1 = model("LSM9DS1-magn", pin: "SDO_M", microtesla: [0.014, 0.029, 0.043, 0.058])

    /// A chip of these µT per count at ±4, 8, 12 and 16 gauss, each of which is 100 µT: CTRL_REG1
    /// DO[2:0], CTRL_REG2 FS[1:0].
    private static func model(_ name: String, pin: String, microtesla: [Double]) -> ChipModel {
        ChipModel(
            identity: ChipIdentity(
                name: name, addresses: [0x1C, 0x1E], register: Register.WHO_AM_I, value: 0x3D, addressPin: pin),
            kind: .magnetometer,
            rates: [(0.625, 0), (1.25, 1), (2.5, 2), (5, 3), (10, 4), (20, 5), (40, 6), (80, 7)],
            ranges: zip([400, 800, 1200, 1600], microtesla.enumerated()).map { range, scale in
                (range, RangeScale(code: UInt8(scale.offset), scale: scale.element))
            }, rate: 10, range: 400, hasInterrupt: true)
    }

    let chip: ChipContext
    /// After power-down two are not right yet, as the kernel has it (st_magn_core.c: `bootime`).
    var unsettledSamples: Int { 2 }

    /// Stops measuring, writes every control register that matters, and measures again. What was
    /// measured before, perhaps at another range, is no sample.
    func setUp() throws(I2CError) {
        try write([(Register.CTRL_REG3, 0x03)])  // MD 3: power-down
        _ = try read(Register.OUT_X_L | Register.autoIncrement, count: 6)
        if place.chip == Self.lsm9ds1.identity { try clearOffsets() }
        try write(settings)
    }

    /// An LSM9DS1 subtracts them from each sample. In an LIS3MDL these registers are reserved, and zeros
    /// spoil the X axis (ST's community, "LIS3MDL hard iron offset registers").
    private func clearOffsets() throws(I2CError) {
        for index: UInt8 in 0..<6 { try write([(Register.OFFSET_X_REG_L_M + index, 0x00)]) }
    }

    func isSetUp() throws(I2CError) -> Bool {
        let read = try read(Register.CTRL_REG1 | Register.autoIncrement, count: 5)
        return read == [control1, control2, 0, 0x0C, 0x40]
    }

    func waiting() throws(I2CError) -> FIFOStatus { Self.waiting(status: try byte(Register.STATUS_REG)) }

    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.OUT_X_L | Register.autoIncrement, count: 6 * count, into: &bytes)
    }

    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { littleEndian(burst, at: 6 * index, axes: 3) }

    /// STATUS_REG: b7 ZYXOR (a sample was overwritten), b3 ZYXDA (a sample is there).
    static func waiting(status: UInt8) -> FIFOStatus { FIFOStatus(status: status, ready: 0x08, overrun: 0x80) }

    /// Ultra-high performance for X and Y (OM 3), rate; temperature, FAST_ODR and self-test off.
    private var control1: UInt8 { 3 << 5 | chip.rateCode << 2 }
    private var control2: UInt8 { chip.rangeCode << 5 }

    /// Every control register, in the order of writing. Measuring begins last.
    var settings: RegisterWrites {
        [
            (Register.CTRL_REG1, control1),
            (Register.CTRL_REG2, control2),  // FS; no reboot, no reset
            (Register.CTRL_REG4, 0x0C),  // OMZ 3, as X and Y; little-endian
            (Register.CTRL_REG5, 0x40),  // BDU
            (Register.INT_CFG, 0x00),
            (Register.CTRL_REG3, 0x00),  // MD 0: continuous
        ]
    }
}
