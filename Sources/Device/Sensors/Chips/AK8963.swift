// SPDX-License-Identifier: Apache-2.0

/// AKM AK8963, the magnetometer in the housing of an MPU-9250, 16 bits, without a FIFO. `ChipCatalog` lists it,
/// `SampledDevice` runs it.
///
/// Facts from the kernel's ak8975.c. Its maker's adjustment of each axis is read from the chip and applied
/// without rounding: a count is 1/256 of 0.15 µT. Values are given in the axes of the accelerometer. A sample
/// with more than 4912 µT over all axes, which only a magnet reaches, is dropped.
final class AK8963: AKMMagnetometer {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let WIA: UInt8 = 0x00
        static let ST1: UInt8 = 0x02
        static let HXL: UInt8 = 0x03
        static let CNTL1: UInt8 = 0x0A
        static let ASAX: UInt8 = 0x10
    }

    /// CNTL1 MODE[3:0].
    static let models = [
        ChipModel(
            identity: ChipIdentity(name: "AK8963", addresses: [0x0C], register: Register.WIA, value: 0x48),
            kind: .magnetometer, rates: [(8, 0x02), (100, 0x06)],
            ranges: [(4912, RangeScale(code: 0, scale: 0.15 / 256))], rate: 8, range: 4912)
    ]
    /// A record is the six data bytes and ST2, which ends the reading and says of an overflow.
    static let layout = AKMLayout(
        host: .mpu9250, status: Register.ST1, data: Register.HXL, record: 7, control: Register.CNTL1)

    let chip: ChipContext
    init(chip: ChipContext) { self.chip = chip }
    /// Factor of each axis in 1/256, ASA + 128; 256 = no adjustment. Read in `setUp`.
    private var adjustment = SIMD3<Int32>(repeating: 256)

    func setUp() throws(I2CError) {
        try powerDown()
        try write([(Register.CNTL1, 0x0F)])  // fuse mode
        let fuses = try read(Register.ASAX, count: 3)
        for axis in 0..<3 { adjustment[axis] = Int32(fuses[axis]) + 128 }
        try powerDown()
        try write(settings)
    }

    /// X is the accelerometer's Y, Y its X, and Z points against its Z.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let raw = littleEndian(burst, at: Self.layout.record * index, axes: 3)
        return SIMD8(raw[1] * adjustment[1], raw[0] * adjustment[0], -raw[2] * adjustment[2], 0, 0, 0, 0, 0)
    }

    /// Continuous, 16 bits.
    var control: UInt8 { 0x10 | chip.rateCode }
}
