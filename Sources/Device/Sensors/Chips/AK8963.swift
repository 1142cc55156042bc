// SPDX-License-Identifier: Apache-2.0

/// AKM AK8963, the magnetometer in the housing of an MPU-9250, 16 bits, without a FIFO.
///
/// Facts from the kernel's ak8975.c; `[M]` marks what was not re-read in a source. It answers
/// only while the MPU-9250's bypass switch is closed, which this driver does itself, once
/// nobody answers at 0x0C and an MPU-9250 says who it is. Its maker's adjustment of each axis
/// is read from the chip and put on exactly: a count is 1/256 of 0.15 µT. Values are given in
/// the axes of the accelerometer. Beyond 4912 µT, of all axes together, which only a magnet
/// reaches, there are none.
package final class AK8963: VectorSensor {
    /// WIA.
    package static let identity = ChipIdentity(name: "AK8963", addresses: [0x0C], register: Register.WIA, value: 0x48)

    /// Datasheet names and addresses.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let WIA: UInt8 = 0x00
        static let ST1: UInt8 = 0x02
        static let HXL: UInt8 = 0x03
        static let CNTL1: UInt8 = 0x0A
        static let ASAX: UInt8 = 0x10
    }

    /// CNTL1 MODE[3:0].
    private static let options = SensorConfiguration.Options(
        rates: [(8, 0x02), (100, 0x06)], ranges: [(4912, RangeScale(code: 0, scale: 0.15 / 256))], rate: 8,
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
    /// ASA + 128 of each axis, in 1/256; 256 = none.
    private var adjustment = SIMD3<Int32>(repeating: 256)

    /// The chip on `bus`, which people call `busName`: 8 Hz unless the settings say otherwise; what
    /// it does not have is refused. Nothing is sent yet.
    package init(bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings()) throws(SettingError) {
        self.bus = bus
        configuration = try SensorConfiguration(settings, chip: Self.identity, options: Self.options)
        place = ChipPlace(bus: busName, address: configuration.address, chip: Self.identity)
        source = configuration.source(.magnetometer, at: place)
    }

    /// Closes the host's switch first, where nobody answers.
    package func identityFault() -> SensorFault.Cause? { registerFault(behind: .mpu9250) }
    /// Leaves the switch as it is.
    package func strangerFault() -> SensorFault.Cause? { registerFault() }

    /// Between two modes the chip must be powered down for 100 µs, which pass while it
    /// is addressed [M].
    package func setUp() throws(I2CError) {
        try powerDown()
        try write([(Register.CNTL1, 0x0F)])  // fuse mode
        let fuses = try read(Register.ASAX, count: 3)
        for axis in 0..<3 { adjustment[axis] = Int32(fuses[axis]) + 128 }
        try powerDown()
        try write([(Register.CNTL1, control)])
    }

    /// CNTL1 holds rate and width; after a power-on it reads power-down. The adjustment is in fuses
    /// and cannot be lost.
    package func isSetUp() throws(I2CError) -> Bool { try read(Register.CNTL1, count: 1) == [control] }

    /// Whether there is a new sample, and whether one was skipped.
    package func waiting() throws(I2CError) -> FIFOStatus {
        AKMStatus(try byte(Register.ST1)).waiting
    }

    /// The data registers stand still from the first byte on until ST2, which follows
    /// them, has been read.
    package func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.HXL, count: 7, into: &bytes)
    }

    /// ST2, the last byte.
    package func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool { AKMStatus.isOverflow(burst[7 * index + 6]) }

    /// X is the accelerometer's Y, Y its X, and Z points against its Z.
    package func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let raw = littleEndian(burst, at: 7 * index, axes: 3)
        return SIMD8(raw[1] * adjustment[1], raw[0] * adjustment[0], -raw[2] * adjustment[2], 0, 0, 0, 0, 0)
    }

    private func powerDown() throws(I2CError) {
        try write([(Register.CNTL1, 0x00)])
        _ = try read(Register.CNTL1, count: 1)
    }

    /// Continuous, 16 bits.
    private var control: UInt8 { 0x10 | configuration.rateCode }
}
