// SPDX-License-Identifier: Apache-2.0

/// Memsic MMC5983MA 3-axis magnetometer, 18 bits, without a FIFO. `ChipCatalog` lists it, `SampledDevice` runs
/// it.
///
/// Facts from the kernel's mmc5983.c and SparkFun's library; `[M]` marks what was not re-read in a
/// source. Its control registers can be written only: what was written cannot be read back, and
/// that the chip lost it shows in that no samples come. The bridge is set and reset by the chip
/// itself, which takes its drifting offset away; a SET of more current every hundred samples takes
/// away what a strong field has left in it (SparkFun's library and kriswiner/MMC5983MA).
struct MMC5983MA: ChipDriver {
    /// Datasheet names and addresses; that of STATUS [M].
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let XOUT0: UInt8 = 0x00
        static let STATUS: UInt8 = 0x08
        static let CONTROL0: UInt8 = 0x09
        static let CONTROL1: UInt8 = 0x0A
        static let CONTROL2: UInt8 = 0x0B
        static let CONTROL3: UInt8 = 0x0C
        static let PRODUCT_ID: UInt8 = 0x2F
    }

    /// CONTROL2 CM_FREQ[2:0]; 200 and 1000 Hz need a wider filter and are left out. 16384
    /// counts per gauss.
    static let models = [
        ChipModel(
            identity: ChipIdentity(name: "MMC5983MA", addresses: [0x30], register: Register.PRODUCT_ID, value: 0x30),
            kind: .magnetometer, rates: [(1, 1), (10, 2), (20, 3), (50, 4), (100, 5)],
            ranges: [(800, RangeScale(code: 0, scale: 100 / 16384))], rate: 10, range: 800, hasInterrupt: true)
    ]

    let chip: ChipContext

    /// Unknown. A chip that has lost its set-up gives no samples, is found stalled, and is set up
    /// again.
    func isSetUp() throws(I2CError) -> Bool { true }

    /// STATUS b0 Meas_M_Done. Overwritten samples are not reported.
    func waiting() throws(I2CError) -> FIFOStatus {
        FIFOStatus(status: try byte(Register.STATUS), ready: 0x01, overrun: 0)
    }

    /// The flag stays until a one is written to it [M].
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.XOUT0, count: 7, into: &bytes)
        try bus.write(place.address, register: Register.STATUS, 0x01)
    }

    /// Eighteen bits: the upper sixteen of each axis, high byte first, then the two low bits of all: X b7:6, Y b5:4,
    /// Z b3:2. Unsigned: a field of zero reads 131 072.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let start = 7 * index
        var counts = SIMD8<Int32>()
        for axis in 0..<3 {
            let high = Int32(burst[start + 2 * axis]) << 10 | Int32(burst[start + 2 * axis + 1]) << 2
            counts[axis] = (high | Int32(burst[start + 6] >> UInt8(6 - 2 * axis) & 0x03)) - 131_072
        }
        return counts
    }

    /// Every control register, in the order of writing. A reset would have to be waited for; a SET
    /// needs 0.5 ms, long over when the first sample is measured.
    var settings: RegisterWrites {
        [
            (Register.CONTROL2, 0x00),  // no continuous mode
            (Register.CONTROL1, 0x00),  // 100 Hz filter, all axes
            (Register.CONTROL3, 0x00),
            (Register.CONTROL0, 0x08),  // SET
            (Register.STATUS, 0x01),  // no old sample
            // AUTO_SR: set and reset for every measurement; its end on INT, wired or not [M].
            (Register.CONTROL0, 0x24),
            // EN_PRD_SET with AUTO_SR, PRD_SET 100 samples, CMM_EN.
            (Register.CONTROL2, 0x80 | 0x30 | 0x08 | chip.rateCode),
        ]
    }
}
