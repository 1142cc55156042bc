// SPDX-License-Identifier: Apache-2.0

/// ST LIS3DH 3-axis accelerometer, 12 bits, with a FIFO of 32 samples; also chips of the same registers.
/// `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from ST's lis3dh_reg.h, the kernel's st_accel_core.c and datasheet DocID17530 Rev 2 (§ is
/// a section of it); `[M]` marks what was not re-read in a source. A LIS2DH12, LSM303DLHC or
/// LSM303AGR reads the same identity: only the board file can tell them apart.
///
/// The FIFO keeps the upper 10 of the 12 bits (ST's staff, community.st.com, "LIS3DHTR data
/// length", 2016; logs of a LIS2DH12 show multiples of 4 mg at ±2 g). Samples are left-justified,
/// so the scale is the same and the two lowest bits are 0: a step is 8 mg at ±4 g and 16 mg at ±8
/// g, where GGIR takes less than 13 mg of movement for not worn. Hence ±4 g unless the settings say
/// otherwise. Without the FIFO all 12 bits come, one sample at a time.
struct LIS3DH: ChipDriver {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let OUT_ADC3_L: UInt8 = 0x0C
        static let WHO_AM_I: UInt8 = 0x0F
        static let TEMP_CFG_REG: UInt8 = 0x1F
        static let CTRL_REG1: UInt8 = 0x20
        static let CTRL_REG2: UInt8 = 0x21
        static let CTRL_REG3: UInt8 = 0x22
        static let CTRL_REG4: UInt8 = 0x23
        static let CTRL_REG5: UInt8 = 0x24
        static let CTRL_REG6: UInt8 = 0x25
        static let STATUS_REG: UInt8 = 0x27
        static let OUT_X_L: UInt8 = 0x28
        static let FIFO_CTRL_REG: UInt8 = 0x2E
        static let FIFO_SRC_REG: UInt8 = 0x2F
        static let INT1_CFG: UInt8 = 0x30
        static let INT2_CFG: UInt8 = 0x34
        static let CLICK_CFG: UInt8 = 0x38
        static let ACT_THS: UInt8 = 0x3E
        /// OR-ed into a sub-address; without it the same register is read again and again (§6.1.1).
        static let autoIncrement: UInt8 = 0x80
    }

    static let models = [lis3dh, lis2dh12, lsm303agr, lsm303dlhc]

    /// ±16 g is 12 mg per digit, not 8 (the kernel's and ST's own code agree).
    static let lis3dh = model("LIS3DH", addresses: [0x18, 0x19], pin: "SA0", milliG: [1, 2, 4, 12])
    /// Source: ST's lis2dh12_reg.h.
    static let lis2dh12 = model("LIS2DH12", addresses: [0x18, 0x19], pin: "SA0", milliG: [1, 2, 4, 12])
    /// Source: ST's lsm303agr_reg.c.
    static let lsm303agr = model("LSM303AGR-accel", addresses: [0x19], milliG: [0.98, 1.95, 3.9, 11.72])
    /// Its identity register is named by no document. TEMP_CFG_REG and ACT_THS are reserved in it and not
    /// written [M]. Source: the kernel's st_accel_core.c.
    static let lsm303dlhc = model("LSM303DLHC-accel", addresses: [0x19], milliG: [1, 2, 4, 12], temperature: .none)

    /// A chip of these milli-g per digit at ±2, 4, 8 and 16 g in high resolution: CTRL_REG1
    /// ODR[3:0], those that exist in high resolution; CTRL_REG4 FS[1:0]. 20 samples per burst
    /// (`FIFOSize.maxDefaultBurst`) leave 12 periods before the FIFO is full.
    private static func model(
        _ name: String, addresses: [UInt8], pin: String = "", milliG: [Double],
        temperature: TemperatureSource = .relative
    ) -> ChipModel {
        ChipModel(
            identity: ChipIdentity(
                name: name, addresses: addresses, register: Register.WHO_AM_I, value: 0x33, addressPin: pin),
            kind: .accelerometer,
            rates: [(1, 1), (10, 2), (25, 3), (50, 4), (100, 5), (200, 6), (400, 7), (1344, 9)],
            ranges: zip([2, 4, 8, 16], milliG.enumerated()).map { range, scale in
                (range, RangeScale(code: UInt8(scale.offset), scale: scale.element / 1000))
            }, rate: 100, range: 4, fifo: FIFOSize(depth: 32, maxBurst: 31, bitsLost: 2), hasInterrupt: true,
            temperature: temperature)
    }

    let chip: ChipContext

    /// The turn-on time in high resolution is seven periods (datasheet, 3.2.1); the kernel's st_accel_core.c
    /// drops two (`bootime`).
    var unsettledSamples: Int { 7 }

    /// ST's lis3dh_reg.c, lis3dh_from_lsb_hr_to_celsius: 25 degC at 0, 256 to a degree, of which
    /// the converter gives steps of a quarter. The datasheet promises the slope alone (1 digit per
    /// degree of 8 bits), no zero.
    func temperature() throws(I2CError) -> Double? {
        guard hasConverter else { return nil }
        return try signedPair(Register.OUT_ADC3_L | Register.autoIncrement) / 256 + 25
    }

    func setUp() throws(I2CError) {
        let reserved = hasConverter ? [] : [Register.TEMP_CFG_REG, Register.ACT_THS]
        try write(settings.filter { !reserved.contains($0.register) })
    }

    func isSetUp() throws(I2CError) -> Bool {
        let control = try read(Register.CTRL_REG1 | Register.autoIncrement, count: 6)
        let fifo = try read(Register.FIFO_CTRL_REG, count: 1)
        return control == [control1, 0x00, control3, control4, control5, 0x00] && fifo == [fifoControl]
    }

    func waiting() throws(I2CError) -> FIFOStatus {
        guard chip.usesFIFO else { return Self.waiting(status: try byte(Register.STATUS_REG)) }
        return Self.waiting(source: try byte(Register.FIFO_SRC_REG))
    }

    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        // While the FIFO is on, the address goes from OUT_Z_H back to OUT_X_L, to the
        // next sample [M].
        try read(Register.OUT_X_L | Register.autoIncrement, count: 6 * count, into: &bytes, pieces: .records(of: 6))
    }

    /// Twelve bits, left-justified, low byte first; from the FIFO the two lowest are 0.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { Self.counts(burst, at: 6 * index) }

    /// FIFO_SRC_REG: b6 OVRN_FIFO, b5 EMPTY, b4:0 FSS.
    ///
    /// FSS has five bits, so 32 samples are reported as OVRN with FSS 31. Whether the flag is set
    /// by the 32nd sample or by the first that is overwritten the documents do not agree on; it is
    /// taken as a loss, since the FIFO is full.
    static func waiting(source: UInt8) -> FIFOStatus {
        let isOverrun = source & 0x40 != 0
        if source & 0x20 != 0 { return FIFOStatus(level: 0, isOverrun: isOverrun) }
        return FIFOStatus(level: isOverrun ? 32 : Int(source & 0x1F), isOverrun: isOverrun)
    }

    /// STATUS_REG: b3 ZYXDA, b7 ZYXOR (a sample was overwritten); reading the data takes them away.
    static func waiting(status: UInt8) -> FIFOStatus { FIFOStatus(status: status, ready: 0x08, overrun: 0x80) }

    /// X, Y, Z of the six bytes at `offset`: 16 bits little-endian, left-justified;
    /// 12 of them count.
    static func counts(_ bytes: [UInt8], at offset: Int) -> SIMD8<Int32> {
        littleEndian(bytes, at: offset, axes: 3) &>> 4
    }

    private var hasConverter: Bool { source.temperature != .none }
    /// b7:4 ODR, b3 LPen 0 (no low power), b2:0 all axes.
    private var control1: UInt8 { chip.rateCode << 4 | 0x07 }
    /// b7 BDU (both bytes of a value are of one sample), b5:4 FS, b3 HR; little-endian, no self-test.
    private var control4: UInt8 { 0x80 | chip.rangeCode << 4 | 0x08 }
    /// b2 I1_WTM or, without the FIFO, b4 I1_ZYXDA: a watermark or a sample on INT1, wired or not.
    private var control3: UInt8 { chip.usesFIFO ? 0x04 : 0x10 }
    /// b6 FIFO_EN.
    private var control5: UInt8 { chip.usesFIFO ? 0x40 : 0x00 }
    /// b7:6 stream mode, b4:0 a threshold that the watermark exceeds by one (§5.1.3; ST's lis2dh12_read_fifo.c); or
    /// bypass.
    private var fifoControl: UInt8 { chip.usesFIFO ? 2 << 6 | UInt8(watermark - 1) : 0x00 }

    /// Every control register, in the order of writing: a BOOT reloads the trim but not these
    /// [M], so none may keep what a former owner wrote. Measuring stops first and begins last,
    /// with an empty FIFO.
    var settings: RegisterWrites {
        [
            (Register.CTRL_REG1, 0x07),  // ODR 0: power-down
            (Register.TEMP_CFG_REG, 0xC0),  // converter and thermometer on, which BDU goes with
            (Register.CTRL_REG2, 0x00),  // no high-pass filter
            (Register.CTRL_REG3, control3),
            (Register.CTRL_REG4, control4),
            (Register.CTRL_REG5, control5),
            (Register.CTRL_REG6, 0x00),  // INT2 unused, active high
            (Register.INT1_CFG, 0x00), (Register.INT2_CFG, 0x00), (Register.CLICK_CFG, 0x00),
            (Register.ACT_THS, 0x00),  // does not fall to 10 Hz at rest
            (Register.FIFO_CTRL_REG, 0x00),  // bypass empties the FIFO (§5.1.1)
            (Register.FIFO_CTRL_REG, fifoControl),
            (Register.CTRL_REG1, control1),
        ]
    }
}
