// SPDX-License-Identifier: Apache-2.0

/// AKM AK09916, the magnetometer in the housing of an ICM-20948, 16 bits, without a FIFO.
///
/// Facts from SparkFun's and Adafruit's ICM-20948 libraries; `[M]` marks what was not re-read in a
/// source. It answers only while the ICM-20948's bypass switch is closed, which this driver does
/// itself, once nobody answers at 0x0C and an ICM-20948 says who it is. Needs no adjustment. Values
/// are given in the axes of the accelerometer, to which Y and Z are opposite [M].
package struct AK09916: VectorSensor {
    /// WIA2; WIA1 before it is common to AKM's chips.
    package static let identity = ChipIdentity(name: "AK09916", addresses: [0x0C], register: Register.WIA2, value: 0x09)

    /// Datasheet names and addresses.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let WIA2: UInt8 = 0x01
        static let ST1: UInt8 = 0x10
        static let HXL: UInt8 = 0x11
        static let CNTL2: UInt8 = 0x31
    }

    /// CNTL2 MODE[4:0]; those of 10, 20 and 50 Hz [M].
    private static let options = SensorConfiguration.Options(
        rates: [(10, 0x02), (20, 0x04), (50, 0x06), (100, 0x08)], ranges: [(4912, RangeScale(code: 0, scale: 0.15))],
        rate: 10,
        range: 4912)

    /// Its channels, whose scale follows from the range.
    package let source: SourceDescription
    package let place: ChipPlace
    /// It keeps one sample.
    package let depth = 1
    /// One, for it has no FIFO.
    package let watermark = 1
    /// Its pin is not led out of the housing.
    package let hasInterrupt = false
    package let bus: any I2CBus
    private let configuration: SensorConfiguration

    /// The chip on `bus`, which people call `busName`: 10 Hz unless the settings say otherwise;
    /// what it does not have is refused. Nothing is sent yet.
    package init(bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings()) throws(SettingError) {
        self.bus = bus
        configuration = try SensorConfiguration(settings, chip: Self.identity, options: Self.options)
        place = ChipPlace(bus: busName, address: configuration.address, chip: Self.identity)
        source = configuration.source(.magnetometer, at: place)
    }

    /// Closes the host's switch first, where nobody answers.
    package func identityFault() -> SensorFault.Cause? { registerFault(behind: .icm20948) }
    /// Leaves the switch as it is.
    package func strangerFault() -> SensorFault.Cause? { registerFault() }

    /// Between two modes the chip must be powered down for 100 µs, which pass while it
    /// is addressed [M].
    package func setUp() throws(I2CError) {
        try write([(Register.CNTL2, 0x00)])
        _ = try read(Register.CNTL2, count: 1)
        try write([(Register.CNTL2, configuration.rateCode)])
    }

    /// CNTL2 holds the rate; after a power-on, or once the host has lost its supply, it
    /// reads power-down.
    package func isSetUp() throws(I2CError) -> Bool { try read(Register.CNTL2, count: 1) == [configuration.rateCode] }

    /// Whether there is a new sample, and whether one was skipped.
    package func waiting() throws(I2CError) -> FIFOStatus {
        AKMStatus(try byte(Register.ST1)).waiting
    }

    /// Six bytes, one of nothing, and ST2: the data registers stand still until it has been read.
    package func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.HXL, count: 8, into: &bytes)
    }

    /// ST2, the last byte.
    package func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool { AKMStatus.isOverflow(burst[8 * index + 7]) }

    /// Low byte first.
    package func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let raw = littleEndian(burst, at: 8 * index, axes: 3)
        return SIMD8(raw[0], -raw[1], -raw[2], 0, 0, 0, 0, 0)
    }
}
