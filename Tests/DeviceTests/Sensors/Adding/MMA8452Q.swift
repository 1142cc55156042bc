// SPDX-License-Identifier: Apache-2.0
@testable import Device

/// NXP MMA8452Q 3-axis accelerometer, 12 bits, without a FIFO.
///
/// Facts from the kernel's mma8452.c: registers, WHO_AM_I 0x2A, 9577 µm/s² a count at ±2 g.
struct MMA8452Q: ChipDriver {
    /// CTRL_REG1 DR[2:0] and XYZ_DATA_CFG FS[1:0]; 12 bits on the left of 16.
    static let models = [
        ChipModel(
            identity: ChipIdentity(
                name: "MMA8452Q", addresses: [0x1C, 0x1D], register: 0x0D, value: 0x2A, addressPin: "SA0"),
            kind: .accelerometer,
            rates: [(800, 0), (400, 1), (200, 2), (100, 3), (50, 4), (12.5, 5), (6.25, 6)],
            ranges: RangeScale.counts((2, 1024), (4, 512), (8, 256)), rate: 100, range: 4)
    ]

    let chip: ChipContext

    /// Settings are taken in standby only; measuring begins last.
    var settings: RegisterWrites { [(0x2A, 0x00), (0x0E, chip.rangeCode), (0x2A, active)] }

    func isSetUp() throws(I2CError) -> Bool {
        let (control, range) = (try byte(0x2A), try byte(0x0E))
        return control == active && range == chip.rangeCode
    }

    /// STATUS: b3 a sample is there, b7 one was overwritten.
    func waiting() throws(I2CError) -> FIFOStatus {
        FIFOStatus(status: try byte(0x00), ready: 0x08, overrun: 0x80)
    }

    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(0x01, count: 6, into: &bytes)
    }

    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { bigEndian(burst, at: 0, axes: 3) &>> 4 }

    private var active: UInt8 { chip.rateCode << 3 | 0x01 }
}
