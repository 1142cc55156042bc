// SPDX-License-Identifier: Apache-2.0

/// AKM AK09916, the magnetometer in the housing of an ICM-20948, 16 bits, without a FIFO. `ChipCatalog` lists
/// it, `SampledDevice` runs it.
///
/// Facts from SparkFun's and Adafruit's ICM-20948 libraries; `[M]` marks what was not re-read in a
/// source. Needs no adjustment. Values are given in the axes of the accelerometer, to which Y and Z
/// are opposite [M].
struct AK09916: AKMMagnetometer {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let WIA2: UInt8 = 0x01
        static let ST1: UInt8 = 0x10
        static let HXL: UInt8 = 0x11
        static let CNTL2: UInt8 = 0x31
    }

    /// CNTL2 MODE[4:0]; those of 10, 20 and 50 Hz [M]. WIA1 before WIA2 is common to AKM's chips.
    static let models = [
        ChipModel(
            identity: ChipIdentity(name: "AK09916", addresses: [0x0C], register: Register.WIA2, value: 0x09),
            kind: .magnetometer, rates: [(10, 0x02), (20, 0x04), (50, 0x06), (100, 0x08)],
            ranges: [(4912, RangeScale(code: 0, scale: 0.15))], rate: 10, range: 4912)
    ]
    /// A record is six data bytes, an unused one, and ST2.
    static let layout = AKMLayout(
        host: .icm20948, status: Register.ST1, data: Register.HXL, record: 8, control: Register.CNTL2)

    let chip: ChipContext

    var control: UInt8 { chip.rateCode }

    /// Y and Z are negated: turned into the accelerometer's axes [M].
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let raw = littleEndian(burst, at: 8 * index, axes: 3)
        return SIMD8(raw[0], -raw[1], -raw[2], 0, 0, 0, 0, 0)
    }
}
