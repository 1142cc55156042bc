// SPDX-License-Identifier: Apache-2.0

/// InvenSense MPU-6050 gyroscope and accelerometer, 16 bits, with a FIFO of bytes; also MPU-6500 and the same
/// part of an MPU-9250. The magnetometer of that is a separate chip: `AK8963`. `ChipCatalog` lists it,
/// `SampledDevice` runs it.
///
/// Facts from the kernel's inv_mpu6050 and i2cdevlib; `[M]` marks what was not re-read in a source.
/// There is no watermark: the count is polled. An overflow loses the alignment of the records, so
/// the FIFO is emptied. At 0x68 there may be a clock chip, to which nothing may be written: the
/// identity is read first.
struct MPU6050: MPUFIFODriver {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let SELF_TEST_X_GYRO: UInt8 = 0x00
        static let SELF_TEST_X: UInt8 = 0x0D
        static let XG_OFFS_USRH: UInt8 = 0x13
        static let ZG_OFFS_USRL: UInt8 = 0x18
        static let SMPLRT_DIV: UInt8 = 0x19
        static let CONFIG: UInt8 = 0x1A
        static let GYRO_CONFIG: UInt8 = 0x1B
        static let ACCEL_CONFIG: UInt8 = 0x1C
        static let ACCEL_CONFIG2: UInt8 = 0x1D
        static let FIFO_EN: UInt8 = 0x23
        static let INT_PIN_CFG: UInt8 = 0x37
        static let INT_ENABLE: UInt8 = 0x38
        static let INT_STATUS: UInt8 = 0x3A
        static let ACCEL_XOUT_H: UInt8 = 0x3B
        static let TEMP_OUT_H: UInt8 = 0x41
        static let GYRO_XOUT_H: UInt8 = 0x43
        static let USER_CTRL: UInt8 = 0x6A
        static let PWR_MGMT_1: UInt8 = 0x6B
        static let PWR_MGMT_2: UInt8 = 0x6C
        static let FIFO_COUNTH: UInt8 = 0x72
        static let FIFO_R_W: UInt8 = 0x74
        static let WHO_AM_I: UInt8 = 0x75
    }

    static let models = [mpu6050, mpu6500, mpu9250]
    static let mpu6050 = model("MPU-6050", value: 0x68, fifo: 1024)
    static let mpu6500 = model("MPU-6500", value: 0x70, fifo: 512)
    /// An MPU-9255 reads 0x73, and has the same registers (the kernel's inv_mpu_core.c).
    static let mpu9250 = model("MPU-9250", value: 0x71, mask: 0xFD, fifo: 512)
    /// INT_STATUS b4; reading clears it.
    static let fifo = MPUFIFO(
        status: Register.INT_STATUS, overflow: 0x10, count: Register.FIFO_COUNTH, port: Register.FIFO_R_W)

    /// A chip that reads `value` as WHO_AM_I and has a FIFO of `fifo` bytes [M].
    ///
    /// Rates: (Hz, SMPLRT_DIV of the 1 kHz base, low-pass filter). Filters 1 to 6 are 184, 94, 44, 20, 10 and 5 Hz
    /// [M], at most half the rate. Ranges: AFS_SEL of ACCEL_CONFIG and FS_SEL of GYRO_CONFIG, from 0.
    private static func model(_ name: String, value: UInt8, mask: UInt8 = 0xFF, fifo: Int) -> ChipModel {
        ChipModel(
            identity: ChipIdentity(
                name: name, addresses: [0x68, 0x69], register: Register.WHO_AM_I, value: value, mask: mask,
                addressPin: "AD0"),
            kind: .accelerometer,
            rates: [
                (10, 99, 6), (20, 49, 5), (25, 39, 5), (50, 19, 4), (100, 9, 3), (125, 7, 3), (200, 4, 2), (250, 3, 2),
                (500, 1, 1),
            ].map { ($0, RateCode($1, filter: $2)) },
            ranges: RangeScale.counts((2, 16384), (4, 8192), (8, 4096), (16, 2048)),
            rotationRanges: RangeScale.counts((250, 131), (500, 65.5), (1000, 32.8), (2000, 16.4)), rate: 100,
            range: 8, fifo: MPUFIFO.size(bytes: fifo), temperature: .chip)
    }

    let chip: ChipContext

    /// A chip that sleeps keeps nothing of what is written (i2cdevlib, issue 531), and goes on
    /// so for 5 to 10 ms after it was woken; the gyroscope settles in 60 to 70 ms (the
    /// kernel's inv_mpu_iio.h).
    var wakeUpTime: Duration? { .milliseconds(100) }
    /// Ends the sleep, on the gyroscope's clock.
    func wakeUp() throws(I2CError) { try write([(Register.PWR_MGMT_1, 0x01)]) }

    /// The kernel's inv_mpu_iio.h: (raw + 12 420) × 2.941176 m°C in an MPU-6050, (raw + 7011) ×
    /// 2.995178 m°C in the later ones.
    func temperature() throws(I2CError) -> Double? {
        let raw = try signedPair(Register.TEMP_OUT_H, highFirst: true)
        return isMPU6050 ? (raw + 12_420) * 2.941176e-3 : (raw + 7011) * 2.995178e-3
    }

    /// Writes what matters and empties the FIFO. The gyroscope's offsets, which are added to each sample, are zero after
    /// power-on (kriswiner/MPU6050, `calibrateMPU6050`). The accelerometer's hold its
    /// factory trim and are left alone: what another program wrote there stays until the next power-on.
    func setUp() throws(I2CError) {
        for register in Register.XG_OFFS_USRH...Register.ZG_OFFS_USRL { try write([(register, 0x00)]) }
        try write(settings.filter { !isMPU6050 || $0.register != Register.ACCEL_CONFIG2 })
        try emptyFIFO()
    }

    func isSetUp() throws(I2CError) -> Bool {
        let control = try read(Register.SMPLRT_DIV, count: 4)
        let enabled = try read(Register.FIFO_EN, count: 1)
        let power = try read(Register.USER_CTRL, count: 3)
        let bypass = try byte(Register.INT_PIN_CFG)
        let expected = [chip.rateCode, chip.filterCode, gyroscopeControl, accelerometerControl]
        return control == expected && enabled == [0x78] && power == [0x40, 0x01, 0x00] && bypass == pins
    }

    /// FIFO_RST works only while the FIFO is off [M].
    func emptyFIFO() throws(I2CError) {
        try write([
            (Register.FIFO_EN, 0x00), (Register.USER_CTRL, 0x00),
            (Register.USER_CTRL, 0x04),  // FIFO_RST
            (Register.USER_CTRL, 0x40),  // FIFO_EN
            (Register.FIFO_EN, 0x78),  // three gyroscope axes and the accelerometer
        ])
    }

    /// Whether the chip is an MPU-6050: it has no filter register for the accelerometer, and other codes in the
    /// self-test.
    var isMPU6050: Bool { place.chip == Self.mpu6050.identity }
    /// INT_PIN_CFG: b1 BYPASS_EN where there is a magnetometer in the housing.
    private var pins: UInt8 { place.chip == Self.mpu9250.identity ? 0x02 : 0 }
    /// b4:3 FS_SEL; of the accelerometer AFS_SEL.
    private var gyroscopeControl: UInt8 { chip.rotationCode << 3 }
    private var accelerometerControl: UInt8 { chip.rangeCode << 3 }

    /// Every control register that matters, in the order of writing. There is no reset: the kernel
    /// gives one 100 ms more.
    var settings: RegisterWrites {
        [
            (Register.PWR_MGMT_1, 0x01),  // as `wakeUp`
            (Register.PWR_MGMT_2, 0x00),  // all axes
            (Register.INT_ENABLE, 0x00),
            (Register.INT_PIN_CFG, pins),  // status clears by reading it
            (Register.SMPLRT_DIV, chip.rateCode),
            (Register.CONFIG, chip.filterCode),
            (Register.GYRO_CONFIG, gyroscopeControl), (Register.ACCEL_CONFIG, accelerometerControl),
            (Register.ACCEL_CONFIG2, chip.filterCode),
        ]
    }
}
