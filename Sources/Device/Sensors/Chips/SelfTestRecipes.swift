// SPDX-License-Identifier: Apache-2.0

// Each chip's `quiet` settings turn FIFO and filters off, set range and rate, and end with what makes it
// measure; `excited` then sets the bits that the comment names, which apply the known force or field. The limits
// are those of the makers' own self-test examples or data sheets, in g, deg/s or µT; `[M]` marks what was not
// re-read in a source.

extension LIS3DH: SelfTesting {
    /// CTRL_REG4 ST[1:0] = 01, at 100 Hz, ±2 g and 10 bits. An LSM303DLHC has no documented test.
    var selfTestRecipe: SelfTestRecipe? {
        guard place.chip != Self.lsm303dlhc.identity else { return nil }
        let milliG = place.chip == Self.lsm303agr.identity ? 3.9 : 4
        return SelfTestRecipe(
            quiet: [
                (Register.CTRL_REG2, 0x00), (Register.CTRL_REG4, 0x80), (Register.CTRL_REG5, 0x00),
                (Register.ACT_THS, 0x00), (Register.FIFO_CTRL_REG, 0x00), (Register.CTRL_REG1, 0x57),
            ],
            excited: [(Register.CTRL_REG4, 0x82)], settling: .milliseconds(100), period: .milliseconds(12), samples: 5,
            outputs: [(Register.OUT_X_L | Register.autoIncrement, 6)],
            channels: Channel.acceleration(scale: milliG / 1000 / 64)  // ten of sixteen bits, left-justified
        ) { littleEndian($0, at: 0, axes: 3) }
    }

    /// 17 to 360 digits of 4 mg (ST's lis3dh_self_test.c, lis2dh12_self_test.c and lsm303agr_self_test.c).
    func selfTestLimits() -> [ClosedRange<Double>] { [0.068...1.44, 0.068...1.44, 0.068...1.44] }
}

extension ADXL345: SelfTesting {
    /// DATA_FORMAT b7, at 100 Hz and ±16 g.
    var selfTestRecipe: SelfTestRecipe? {
        SelfTestRecipe(
            quiet: [
                (Register.POWER_CTL, 0x00), (Register.BW_RATE, 0x0A), (Register.DATA_FORMAT, 0x0B),
                (Register.FIFO_CTL, 0x00), (Register.POWER_CTL, 0x08),
            ],
            excited: [(Register.DATA_FORMAT, 0x8B)], settling: .milliseconds(50), period: .milliseconds(12),
            samples: 10,
            outputs: [(Register.DATAX0, 6)], channels: Channel.acceleration(scale: 1 / 256.0), comparesSize: false
        ) { littleEndian($0, at: 0, axes: 3) }
    }

    /// From the least at a supply of 2.5 V to the most at 3.3 V, where the force is 1.77 times (X,
    /// Y) and 1.47 times (Z) as large [M].
    func selfTestLimits() -> [ClosedRange<Double>] { [0.2...3.72, -3.72...(-0.2), 0.3...5.0] }
}

extension LSM6DSO: SelfTesting {
    /// CTRL5_C ST_G and ST_XL positive; accelerometer at ±4 g, gyroscope at 208 Hz and ±2000 deg/s.
    var selfTestRecipe: SelfTestRecipe? {
        SelfTestRecipe(
            quiet: [
                (Register.FUNC_CFG_ACCESS, 0x00), (Register.FIFO_CTRL4, 0x00), (Register.CTRL3_C, 0x44),
                (Register.CTRL4_C, 0x00), (Register.CTRL5_C, 0x00), (Register.CTRL6_C, 0x00), (Register.CTRL7_G, 0x00),
                (Register.CTRL8_XL, 0x00), (Register.CTRL1_XL, 0x38), (Register.CTRL2_G, 0x5C),
            ],
            excited: [(Register.CTRL5_C, 0x05)], settling: .milliseconds(150), period: .milliseconds(25), samples: 5,
            outputs: [(Register.OUTX_L_G, 12)],
            channels: Channel.rotation(scale: 0.07) + Channel.acceleration(scale: 0.000122)
        ) { littleEndian($0, at: 0, axes: 6) }
    }

    /// 150 to 700 deg/s, 50 to 1700 mg (ST's lsm6dso_self_test.c).
    func selfTestLimits() -> [ClosedRange<Double>] {
        [150...700, 150...700, 150...700, 0.05...1.7, 0.05...1.7, 0.05...1.7]
    }
}

extension LSM9DS1: SelfTesting {
    /// CTRL_REG10 b2 ST_G and b0 ST_XL, at ±2 g, ±2000 deg/s and 238 Hz.
    var selfTestRecipe: SelfTestRecipe? {
        SelfTestRecipe(
            quiet: [
                (Register.CTRL_REG8, 0x44), (Register.CTRL_REG9, 0x00), (Register.FIFO_CTRL, 0x00),
                (Register.CTRL_REG10, 0x00), (Register.CTRL_REG6_XL, 0x80), (Register.CTRL_REG1_G, 0x98),
            ],
            excited: [(Register.CTRL_REG10, 0x05)], settling: .milliseconds(800), period: .milliseconds(6), samples: 5,
            outputs: [(Register.OUT_X_G, 6), (Register.OUT_X_XL, 6)],
            channels: Channel.rotation(scale: 0.07) + Channel.acceleration(scale: 0.000061)
        ) { littleEndian($0, at: 0, axes: 6) }
    }

    /// 200 to 800 deg/s, 70 to 1500 mg (ST's lsm9ds1_self_test.c).
    func selfTestLimits() -> [ClosedRange<Double>] {
        [200...800, 200...800, 200...800, 0.07...1.5, 0.07...1.5, 0.07...1.5]
    }
}

extension LIS3MDL: SelfTesting {
    /// CTRL_REG1 b0 at 80 Hz and ±12 gauss, low power.
    var selfTestRecipe: SelfTestRecipe? {
        SelfTestRecipe(
            quiet: [
                (Register.CTRL_REG3, 0x03), (Register.CTRL_REG1, 0x1C), (Register.CTRL_REG2, 0x40),
                (Register.CTRL_REG4, 0x00), (Register.CTRL_REG5, 0x40), (Register.CTRL_REG3, 0x00),
            ],
            excited: [(Register.CTRL_REG1, 0x1D)], settling: .milliseconds(60), period: .milliseconds(15), samples: 5,
            outputs: [(Register.OUT_X_L | Register.autoIncrement, 6)],
            channels: Channel.magneticField(scale: place.chip == Self.lsm9ds1.identity ? 0.043 : 100 / 2281.0)
        ) { littleEndian($0, at: 0, axes: 3) }
    }

    /// 1 to 3 gauss for X and Y, 0.1 to 1 for Z (ST's lis3mdl_self_test.c and lsm9ds1_self_test.c).
    func selfTestLimits() -> [ClosedRange<Double>] { [100...300, 100...300, 10...100] }
}

extension LIS2MDL: SelfTesting {
    /// CFG_REG_C b1 at 100 Hz.
    var selfTestRecipe: SelfTestRecipe? {
        SelfTestRecipe(
            quiet: [(Register.CFG_REG_B, 0x02), (Register.CFG_REG_C, 0x10), (Register.CFG_REG_A, 0x8C)],
            excited: [(Register.CFG_REG_C, 0x12)], settling: .milliseconds(60), period: .milliseconds(12), samples: 20,
            outputs: [(Register.OUTX_L_REG, 6)], channels: Channel.magneticField(scale: 0.15)
        ) { littleEndian($0, at: 0, axes: 3) }
    }

    /// 15 to 500 mG (ST's lsm303agr_self_test.c).
    func selfTestLimits() -> [ClosedRange<Double>] { [1.5...50, 1.5...50, 1.5...50] }
}

extension HMC5883L: SelfTesting {
    /// CRA MS[1:0] = 01, its own field of 1.16 gauss (Z 1.08), measured without the field around at
    /// gain 5. An LSM303DLHC has no documented test.
    var selfTestRecipe: SelfTestRecipe? {
        guard place.chip == Self.hmc5883l.identity else { return nil }
        return SelfTestRecipe(
            quiet: nil, excited: [(Register.MR, 0x03), (Register.CRA, 0x71), (Register.CRB, 0xA0)],
            trigger: [(Register.MR, 0x01)], settling: .milliseconds(5), period: .milliseconds(15), samples: 5,
            outputs: [(Register.DXRA, 6)], channels: Channel.magneticField(scale: 100 / 390.0), comparesSize: false
        ) { self.counts($0, at: 0) }
    }

    /// 243 to 575 counts [M].
    func selfTestLimits() -> [ClosedRange<Double>] {
        let limits = (24_300 / 390.0)...(57_500 / 390.0)
        return [limits, limits, limits]
    }
}
