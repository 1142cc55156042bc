// SPDX-License-Identifier: Apache-2.0

/// InvenSense MPU-6050 gyroscope and accelerometer, 16 bits, with a FIFO of bytes; by `Model` also
/// MPU-6500 and the same part of an MPU-9250, whose magnetometer is a chip of its own: `AK8963`.
///
/// Facts from the kernel's inv_mpu6050 and i2cdevlib; `[M]` marks what was not re-read in a source.
/// There is no watermark:
/// the count is polled. An overflow loses the alignment of the records, so the FIFO is emptied. At
/// 0x68 there may be a clock chip, to which nothing may be written: the identity is read first.
package struct MPU6050: VectorSensor {
    package struct Model: Sendable, Hashable {
        /// Its name and what WHO_AM_I reads.
        package let identity: ChipIdentity
        /// Bytes of its FIFO [M].
        let fifoSize: Int
        /// The accelerometer has a filter register of its own.
        let hasAccelerometerFilter: Bool
        /// INT_PIN_CFG: b1 BYPASS_EN where there is a magnetometer in the housing.
        let pins: UInt8

        init(_ name: String, value: UInt8, fifoSize: Int, hasAccelerometerFilter: Bool, pins: UInt8 = 0) {
            identity = ChipIdentity(
                name: name, addresses: [0x68, 0x69], register: Register.WHO_AM_I, value: value, addressPin: "AD0")
            self.fifoSize = fifoSize
            self.hasAccelerometerFilter = hasAccelerometerFilter
            self.pins = pins
        }

        /// 1024 bytes [M].
        package static let mpu6050 = Model("MPU-6050", value: 0x68, fifoSize: 1024, hasAccelerometerFilter: false)
        /// 512 bytes [M].
        package static let mpu6500 = Model("MPU-6500", value: 0x70, fifoSize: 512, hasAccelerometerFilter: true)
        /// 512 bytes [M].
        package static let mpu9250 = Model(
            "MPU-9250", value: 0x71, fifoSize: 512, hasAccelerometerFilter: true, pins: 0x02)
    }

    /// Datasheet names and addresses.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let SELF_TEST_X_GYRO: UInt8 = 0x00
        static let SELF_TEST_X: UInt8 = 0x0D
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

    /// SMPLRT_DIV of the 1 kHz base, and the low-pass filter below half the rate: 184, 94, 44, 20,
    /// 10, 5 Hz for 1 to 6 [M]. AFS_SEL of ACCEL_CONFIG and FS_SEL of GYRO_CONFIG.
    private static let options = SixAxisConfiguration.Options(
        rates: [
            (10, 99, 6), (20, 49, 5), (25, 39, 5), (50, 19, 4), (100, 9, 3), (125, 7, 3), (200, 4, 2), (250, 3, 2),
            (500, 1, 1),
        ].map { ($0, .init(value: $1, filter: $2)) },
        ranges: ranges((2, 16384), (4, 8192), (8, 4096), (16, 2048)),
        rotationRanges: ranges((250, 131), (500, 65.5), (1000, 32.8), (2000, 16.4)), rate: 100, watermark: 30)
    /// Accelerometer, then gyroscope, in the order of the registers.
    private static let record = 12

    /// Its channels, whose scale follows from the range.
    package let source: SourceDescription
    package let place: ChipPlace
    /// Samples that its FIFO keeps.
    package var depth: Int { model.fifoSize / Self.record }
    /// Samples per burst.
    package var watermark: Int { configuration.watermark }
    /// There is an interrupt for each sample, but none for a watermark.
    package let hasInterrupt = false
    package let bus: any I2CBus
    private let configuration: SixAxisConfiguration
    private let model: Model

    /// The chip on `bus`, which people call `busName`: 100 Hz, ±8 g, ±2000 deg/s, 20 samples
    /// per burst unless the settings say otherwise; what it does not have is refused.
    /// Nothing is sent yet.
    package init(
        bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings(), model: Model = .mpu6050
    ) throws(SettingError) {
        self.bus = bus
        self.model = model
        configuration = try SixAxisConfiguration(settings, chip: model.identity, options: Self.options)
        place = ChipPlace(bus: busName, address: configuration.address, chip: model.identity)
        source = configuration.source(place, device: model.identity.name, temperature: .chip)
    }

    /// A chip that sleeps keeps nothing of what is written (i2cdevlib, issue 531), and goes on
    /// so for 5 to 10 ms after it was woken; the gyroscope settles in 60 to 70 ms (the
    /// kernel's inv_mpu_iio.h).
    package var wakeUpTime: Duration? { .milliseconds(100) }
    /// Ends the sleep, on the gyroscope's clock.
    package func wakeUp() throws(I2CError) { try write([(Register.PWR_MGMT_1, 0x01)]) }

    /// The kernel's inv_mpu_iio.h: (raw + 12 420) × 2.941176 m°C in an MPU-6050, (raw + 7011) ×
    /// 2.995178 m°C in the later ones.
    package func temperature() throws(I2CError) -> Double? {
        let raw = try signedPair(Register.TEMP_OUT_H, highFirst: true)
        return model == .mpu6050 ? (raw + 12_420) * 2.941176e-3 : (raw + 7011) * 2.995178e-3
    }

    /// Writes what matters and empties the FIFO.
    package func setUp() throws(I2CError) {
        let hasFilter = model.hasAccelerometerFilter
        try write(settings.filter { hasFilter || $0.register != Register.ACCEL_CONFIG2 })
        try emptyFIFO()
    }

    /// Rate, filter, ranges, FIFO, power and bypass are as written.
    package func isSetUp() throws(I2CError) -> Bool {
        let control = try read(Register.SMPLRT_DIV, count: 4)
        let enabled = try read(Register.FIFO_EN, count: 1)
        let power = try read(Register.USER_CTRL, count: 3)
        let pins = try read(Register.INT_PIN_CFG, count: 1)
        let expected = [
            configuration.rateCode.value, configuration.rateCode.filter, gyroscopeControl, accelerometerControl,
        ]
        return control == expected && enabled == [0x78] && power == [0x40, 0x01, 0x00] && pins == [model.pins]
    }

    /// Whole records in the FIFO, which is emptied after an overflow.
    package func waiting() throws(I2CError) -> FIFOStatus {
        let status = try byte(Register.INT_STATUS)  // reading clears it
        let count = try pair(Register.FIFO_COUNTH)
        let bytes = Int(count[0]) << 8 | Int(count[1])
        // A full FIFO has lost bytes or is about to, whatever became of the flag.
        guard status & 0x10 == 0, bytes <= depth * Self.record else {
            try emptyFIFO()
            return FIFOStatus(level: 0, isOverrun: true)
        }
        return FIFOStatus(level: bytes / Self.record, isOverrun: false)
    }

    /// Whole records.
    package func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        // The address stays at FIFO_R_W.
        try read(Register.FIFO_R_W, count: Self.record * count, into: &bytes, pieces: .port)
    }

    /// The record has the accelerometer first, frames the gyroscope.
    package func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let record = bigEndian(burst, at: Self.record * index, axes: 6)
        return SIMD8(record[3], record[4], record[5], record[0], record[1], record[2], 0, 0)
    }

    /// FIFO_RST works only while FIFO_EN is off [M].
    private func emptyFIFO() throws(I2CError) {
        try bus.write(place.address, register: Register.USER_CTRL, 0x00)
        try bus.write(place.address, register: Register.USER_CTRL, 0x04)
        try bus.write(place.address, register: Register.USER_CTRL, 0x40)
    }

    private var gyroscopeControl: UInt8 { configuration.gyroscope.code << 3 }
    private var accelerometerControl: UInt8 { configuration.accelerometer.code << 3 }

    /// Every control register that matters, in the order of writing. There is no reset: the kernel
    /// gives one 100 ms more.
    private var settings: [(register: UInt8, value: UInt8)] {
        [
            (Register.PWR_MGMT_1, 0x01),  // as `wakeUp`
            (Register.PWR_MGMT_2, 0x00),  // all axes
            (Register.FIFO_EN, 0x00),
            (Register.INT_ENABLE, 0x00),
            (Register.INT_PIN_CFG, model.pins),  // status clears by reading it
            (Register.SMPLRT_DIV, configuration.rateCode.value),
            (Register.CONFIG, configuration.rateCode.filter),
            (Register.GYRO_CONFIG, gyroscopeControl), (Register.ACCEL_CONFIG, accelerometerControl),
            (Register.ACCEL_CONFIG2, configuration.rateCode.filter),
            (Register.FIFO_EN, 0x78),  // three gyroscope axes and the accelerometer
        ]
    }
}
