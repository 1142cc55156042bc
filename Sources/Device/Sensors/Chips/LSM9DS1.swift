// SPDX-License-Identifier: Apache-2.0

/// The gyroscope and accelerometer of ST's LSM9DS1, 16 bits, with a FIFO of 32 samples (Sense HAT of the first
/// version). `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from ST's lsm9ds1_reg.h, the kernel's st_lsm6dsx and datasheet DocID025715 Rev 3; `[M]`
/// marks what was not re-read in a source. With the gyroscope on, both run at its rate, none of
/// which is one that CWA names: its writer resamples. The magnetometer is a separate chip at
/// another address: `LIS3MDL.lsm9ds1`.
struct LSM9DS1: ChipDriver {
    /// Datasheet names and addresses; those of CTRL_REG2_G to 5_XL, CTRL_REG7_XL and
    /// ORIENT_CFG_G [M].
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let ACT_THS: UInt8 = 0x04
        static let INT1_CTRL: UInt8 = 0x0C
        static let WHO_AM_I: UInt8 = 0x0F
        static let CTRL_REG1_G: UInt8 = 0x10
        static let CTRL_REG2_G: UInt8 = 0x11
        static let CTRL_REG3_G: UInt8 = 0x12
        static let ORIENT_CFG_G: UInt8 = 0x13
        static let OUT_TEMP_L: UInt8 = 0x15
        static let OUT_X_G: UInt8 = 0x18
        static let CTRL_REG4: UInt8 = 0x1E
        static let CTRL_REG5_XL: UInt8 = 0x1F
        static let CTRL_REG6_XL: UInt8 = 0x20
        static let CTRL_REG7_XL: UInt8 = 0x21
        static let CTRL_REG8: UInt8 = 0x22
        static let CTRL_REG9: UInt8 = 0x23
        static let CTRL_REG10: UInt8 = 0x24
        static let OUT_X_XL: UInt8 = 0x28
        static let FIFO_CTRL: UInt8 = 0x2E
        static let FIFO_SRC: UInt8 = 0x2F
    }

    /// ODR_G[2:0] of CTRL_REG1_G. CTRL_REG6_XL FS_XL[1:0]: code 1 is the widest range, with a step
    /// of 12 times, not 8 times, the first. CTRL_REG1_G FS_G[1:0]: code 2 does not exist.
    static let models = [
        ChipModel(
            identity: ChipIdentity(
                name: "LSM9DS1-imu", addresses: [0x6A, 0x6B], register: Register.WHO_AM_I, value: 0x68,
                addressPin: "SDO_A/G"),
            kind: .accelerometer, rates: [(14.9, 1), (59.5, 2), (119, 3), (238, 4), (476, 5)],
            ranges: RangeScale.milli((2, 0, 0.061), (4, 2, 0.122), (8, 3, 0.244), (16, 1, 0.732)),
            rotationRanges: RangeScale.milli((245, 0, 8.75), (500, 1, 17.5), (2000, 3, 70)),
            rate: 119, range: 8, fifo: FIFOSize(depth: 32, maxBurst: 31), hasInterrupt: true, temperature: .chip,
            device: "LSM9DS1", isLeftHanded: true)
    ]

    let chip: ChipContext

    /// The datasheet's samples to be discarded after power-down: table 12 for the gyroscope by LPF1
    /// only, which is never less than table 11 for the accelerometer. One at least after the FIFO's mode
    /// has changed (3.5).
    var unsettledSamples: Int { [14.9: 2, 59.5: 3, 119: 3, 238: 4, 476: 5][chip.rate] ?? 5 }

    /// ST's lsm9ds1_reg.c, lsm9ds1_from_lsb_to_celsius: 25 degC at 0, 16 to a degree.
    func temperature() throws(I2CError) -> Double? { try signedPair(Register.OUT_TEMP_L) / 16 + 25 }

    func isSetUp() throws(I2CError) -> Bool {
        let gyroscope = try read(Register.CTRL_REG1_G, count: 1)
        let control = try read(Register.CTRL_REG4, count: 6)  // CTRL_REG4 to CTRL_REG9
        let fifo = try read(Register.FIFO_CTRL, count: 1)
        return gyroscope == [gyroscopeControl] && control == [0x38, 0x38, accelerometerControl, 0x00, 0x44, 0x02]
            && fifo == [fifoControl]
    }

    func waiting() throws(I2CError) -> FIFOStatus { Self.waiting(source: try byte(Register.FIFO_SRC)) }

    /// A level of the FIFO holds both sensors and is left when the accelerometer's Z
    /// has been read [M].
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        for sample in 0..<count {
            try read(Register.OUT_X_G, count: 6, into: &bytes, at: 12 * sample)
            try read(Register.OUT_X_XL, count: 6, into: &bytes, at: 12 * sample + 6)
        }
    }

    /// Low byte first, gyroscope first.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        littleEndian(burst, at: 12 * index, axes: 6)
    }

    /// FIFO_SRC: b6 OVRN, b5:0 FSS, which unlike an LIS3DH's goes to 32.
    static func waiting(source: UInt8) -> FIFOStatus {
        FIFOStatus(level: min(32, Int(source & 0x3F)), isOverrun: source & 0x40 != 0)
    }

    /// CTRL_REG1_G and CTRL_REG6_XL: b7:5 ODR, b4:3 FS.
    private var gyroscopeControl: UInt8 { chip.rateCode << 5 | chip.rotationCode << 3 }
    private var accelerometerControl: UInt8 { chip.rateCode << 5 | chip.rangeCode << 3 }
    /// b7:5 continuous mode, b4:0 threshold.
    private var fifoControl: UInt8 { 6 << 5 | UInt8(watermark) }

    /// Every control register that matters, in the order of writing. Measuring stops first
    /// and begins last.
    var settings: RegisterWrites {
        [
            (Register.CTRL_REG1_G, 0x00), (Register.CTRL_REG6_XL, 0x00),  // power-down
            (Register.CTRL_REG8, 0x44),  // BDU: both bytes are of one sample; IF_ADD_INC: addresses count up
            (Register.CTRL_REG2_G, 0x00), (Register.CTRL_REG3_G, 0x00), (Register.ORIENT_CFG_G, 0x00),
            (Register.CTRL_REG4, 0x38), (Register.CTRL_REG5_XL, 0x38),  // all axes [M]
            (Register.CTRL_REG7_XL, 0x00), (Register.CTRL_REG10, 0x00),  // no self-test
            (Register.ACT_THS, 0x00),  // no rest of the gyroscope while nothing moves
            (Register.INT1_CTRL, 0x08),  // threshold on INT1, wired or not
            (Register.FIFO_CTRL, 0x00),  // bypass empties the FIFO
            (Register.CTRL_REG9, 0x02),  // FIFO_EN
            (Register.FIFO_CTRL, fifoControl),
            (Register.CTRL_REG6_XL, accelerometerControl),
            (Register.CTRL_REG1_G, gyroscopeControl),
        ]
    }
}
