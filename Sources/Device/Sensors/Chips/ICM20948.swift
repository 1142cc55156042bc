// SPDX-License-Identifier: Apache-2.0

/// InvenSense ICM-20948 gyroscope and accelerometer, 16 bits, with a FIFO of 512 bytes [M] and four banks of
/// registers. `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from SparkFun's register map and Adafruit_ICM20X; `[M]` marks what was not re-read in a
/// source. Rates are parts of 1125 Hz: there is no exact 100. There is no watermark: the count is
/// polled. An overflow loses the alignment of the records, so the FIFO is emptied. Its magnetometer
/// is a separate chip behind its bypass switch: `AK09916`.
struct ICM20948: MPUFIFODriver {
    /// Datasheet names and addresses of bank 0, and of REG_BANK_SEL, which is in all of them.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let WHO_AM_I: UInt8 = 0x00
        static let USER_CTRL: UInt8 = 0x03
        static let LP_CONFIG: UInt8 = 0x05
        static let PWR_MGMT_1: UInt8 = 0x06
        static let PWR_MGMT_2: UInt8 = 0x07
        static let INT_PIN_CFG: UInt8 = 0x0F
        static let INT_ENABLE: UInt8 = 0x10
        static let INT_STATUS_2: UInt8 = 0x1B
        static let ACCEL_XOUT_H: UInt8 = 0x2D
        static let GYRO_XOUT_H: UInt8 = 0x33
        static let TEMP_OUT_H: UInt8 = 0x39
        static let FIFO_EN_1: UInt8 = 0x66
        static let FIFO_EN_2: UInt8 = 0x67
        static let FIFO_RST: UInt8 = 0x68
        static let FIFO_MODE: UInt8 = 0x69
        static let FIFO_COUNTH: UInt8 = 0x70
        static let FIFO_R_W: UInt8 = 0x72
        static let REG_BANK_SEL: UInt8 = 0x7F
    }

    /// Datasheet names and addresses of bank 1 [M].
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Bank1 {
        static let SELF_TEST_X_GYRO: UInt8 = 0x02
        static let SELF_TEST_X_ACCEL: UInt8 = 0x0E
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Bank2 {
        static let GYRO_SMPLRT_DIV: UInt8 = 0x00
        static let GYRO_CONFIG_1: UInt8 = 0x01
        static let GYRO_CONFIG_2: UInt8 = 0x02
        static let XG_OFFS_USRH: UInt8 = 0x03
        static let ZG_OFFS_USRL: UInt8 = 0x08
        static let ODR_ALIGN_EN: UInt8 = 0x09
        static let ACCEL_SMPLRT_DIV_1: UInt8 = 0x10
        static let ACCEL_SMPLRT_DIV_2: UInt8 = 0x11
        static let ACCEL_CONFIG: UInt8 = 0x14
        static let ACCEL_CONFIG_2: UInt8 = 0x15
    }

    /// Both dividers of 1125 Hz, and the low-pass filter below half the rate: 246, 111, 50, 24, 12,
    /// 6 Hz for 1 to 6, about the same for the gyroscope [M]: (Hz, divider less one, filter). Rates are named
    /// to a tenth.
    static let models = [
        ChipModel(
            identity: ChipIdentity(
                name: "ICM-20948", addresses: [0x68, 0x69], register: Register.WHO_AM_I, value: 0xEA,
                addressPin: "AD0"),
            kind: .accelerometer,
            rates: [
                (9, 124, 6), (15, 74, 6), (25, 44, 5), (45, 24, 5), (56.25, 19, 4), (75, 14, 4), (102.3, 10, 3),
                (112.5, 9, 3), (125, 8, 3), (225, 4, 2), (375, 2, 2), (562.5, 1, 1),
            ].map { ($0, RateCode($1, filter: $2, exact: 1125 / (Double($1) + 1))) },
            ranges: RangeScale.counts((2, 16384), (4, 8192), (8, 4096), (16, 2048)),
            rotationRanges: RangeScale.counts((250, 131), (500, 65.5), (1000, 32.8), (2000, 16.4)), rate: 102.3,
            range: 8, fifo: MPUFIFO.size(bytes: 512), temperature: .chip)
    ]
    /// INT_STATUS_2 b4:0 overflow; reading clears it [M]. The order of the record [M].
    static let fifo = MPUFIFO(
        status: Register.INT_STATUS_2, overflow: 0x1F, count: Register.FIFO_COUNTH, port: Register.FIFO_R_W)

    let chip: ChipContext

    /// A set-up that was cut off leaves the chip in another bank, where WHO_AM_I is not to be seen.
    /// Only one that shows exactly a number of a bank in REG_BANK_SEL is brought back to bank 0.
    func identityFault() -> SensorFault.Cause? {
        let cause = registerFault()
        guard case .wrongIdentity? = cause else { return cause }
        do throws(I2CError) {
            let bank = try read(Register.REG_BANK_SEL, count: 1)[0]
            guard [0x10, 0x20, 0x30].contains(bank) else { return cause }
            try select(bank: 0)
            return registerFault()
        } catch {
            return .bus(error)
        }
    }

    /// As an MPU-6050, a chip of the same family: Adafruit_ICM20X rests 20 ms after waking it,
    /// SparkFun's library 30 ms; the gyroscope settles in 35 ms [M].
    var wakeUpTime: Duration? { .milliseconds(100) }
    /// Ends the sleep, on the best clock.
    func wakeUp() throws(I2CError) {
        try select(bank: 0)
        try write([(Register.PWR_MGMT_1, 0x01)])
    }

    /// As an MPU-6500, 21 degC at 0 and 333.87 to a degree (datasheet DS-000189, 3.3).
    func temperature() throws(I2CError) -> Double? {
        try signedPair(Register.TEMP_OUT_H, highFirst: true) / 333.87 + 21
    }

    /// Ends with bank 0 selected, which has the data registers. The gyroscope's offsets are zero after power-on, as an
    /// MPU-6050's.
    func setUp() throws(I2CError) {
        try select(bank: 0)
        try write(settings)
        try select(bank: 2)
        for register in Bank2.XG_OFFS_USRH...Bank2.ZG_OFFS_USRL { try write([(register, 0x00)]) }
        try write(sensorSettings)
        try select(bank: 0)
        try emptyFIFO()
    }

    /// Bank, FIFO, power, bypass, what the FIFO holds, and rates and ranges of bank
    /// 2 are as written.
    func isSetUp() throws(I2CError) -> Bool {
        guard try isFirstBankSetUp() else { return false }
        try select(bank: 2)
        var isSet = true
        for (register, value) in sensorSettings where isSet { isSet = try byte(register) == value }
        try select(bank: 0)
        return isSet
    }

    private func isFirstBankSetUp() throws(I2CError) -> Bool {
        let bank = try read(Register.REG_BANK_SEL, count: 1)
        let user = try read(Register.USER_CTRL, count: 1)
        let power = try read(Register.PWR_MGMT_1, count: 2)
        let pins = try read(Register.INT_PIN_CFG, count: 1)
        let enabled = try read(Register.FIFO_EN_2, count: 1)
        return bank == [0x00] && user == [0x40] && power == [0x01, 0x00] && pins == [0x02] && enabled == [0x1E]
    }

    private func select(bank: UInt8) throws(I2CError) { try write([(Register.REG_BANK_SEL, bank << 4)]) }

    /// FIFO_RST is set and taken back, one bit per sensor [M].
    func emptyFIFO() throws(I2CError) {
        try write([
            (Register.FIFO_EN_2, 0x00), (Register.USER_CTRL, 0x00), (Register.FIFO_RST, 0x1F),
            (Register.FIFO_RST, 0x00),
            (Register.USER_CTRL, 0x40),  // FIFO_EN
            (Register.FIFO_EN_2, 0x1E),  // accelerometer and three axes of the gyroscope
        ])
    }

    /// Bank 0, in the order of writing. A reset would have to be waited for, so there is none.
    var settings: RegisterWrites {
        [
            (Register.PWR_MGMT_1, 0x01),  // as `wakeUp`
            (Register.PWR_MGMT_2, 0x00),  // all axes
            (Register.LP_CONFIG, 0x00),  // no duty cycling
            (Register.INT_ENABLE, 0x00),
            (Register.INT_PIN_CFG, 0x02),  // bypass
            (Register.FIFO_EN_1, 0x00), (Register.FIFO_MODE, 0x00),  // stream
        ]
    }

    /// Bank 2. In both CONFIG registers b5:3 DLPFCFG, b2:1 FS_SEL, b0 FCHOICE, which turns the filter on.
    private var sensorSettings: RegisterWrites {
        let filter = chip.filterCode << 3 | 0x01
        return [
            (Bank2.ODR_ALIGN_EN, 0x01),  // both at the same moment [M]
            (Bank2.GYRO_CONFIG_2, 0x00), (Bank2.ACCEL_CONFIG_2, 0x00),  // no self-test
            (Bank2.GYRO_SMPLRT_DIV, chip.rateCode),
            (Bank2.GYRO_CONFIG_1, filter | chip.rotationCode << 1),
            (Bank2.ACCEL_SMPLRT_DIV_1, 0x00), (Bank2.ACCEL_SMPLRT_DIV_2, chip.rateCode),
            (Bank2.ACCEL_CONFIG, filter | chip.rangeCode << 1),
        ]
    }
}
