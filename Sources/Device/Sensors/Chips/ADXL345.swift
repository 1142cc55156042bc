// SPDX-License-Identifier: Apache-2.0

/// Analog Devices ADXL345 3-axis accelerometer, 10 to 13 bits, with a FIFO of 32 samples: the sensor of the
/// Axivity AX3. `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from the kernel's adxl345_core.c and datasheet Rev E; `[M]` marks what was not re-read in
/// a source. The FIFO has no long burst: each read of all six data registers pops one sample. 1600
/// and 3200 Hz are left out, since I2C at 400 kHz cannot carry them.
struct ADXL345: ChipDriver {
    /// Datasheet names and addresses; those of offsets, activity and taps [M].
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let DEVID: UInt8 = 0x00
        static let OFSX: UInt8 = 0x1E
        static let OFSY: UInt8 = 0x1F
        static let OFSZ: UInt8 = 0x20
        static let ACT_INACT_CTL: UInt8 = 0x27
        static let TAP_AXES: UInt8 = 0x2A
        static let BW_RATE: UInt8 = 0x2C
        static let POWER_CTL: UInt8 = 0x2D
        static let INT_ENABLE: UInt8 = 0x2E
        static let INT_MAP: UInt8 = 0x2F
        static let INT_SOURCE: UInt8 = 0x30
        static let DATA_FORMAT: UInt8 = 0x31
        static let DATAX0: UInt8 = 0x32
        static let FIFO_CTL: UInt8 = 0x38
        static let FIFO_STATUS: UInt8 = 0x39
    }

    /// BW_RATE b3:0; DATA_FORMAT b1:0. FULL_RES gives 256 counts per g at every range.
    static let models = [
        ChipModel(
            identity: ChipIdentity(
                name: "ADXL345", addresses: [0x53, 0x1D], register: Register.DEVID, value: 0xE5,
                addressPin: "ALT ADDRESS"),
            kind: .accelerometer,
            rates: [(6.25, 6), (12.5, 7), (25, 8), (50, 9), (100, 10), (200, 11), (400, 12), (800, 13)],
            ranges: RangeScale.counts((2, 256), (4, 256), (8, 256), (16, 256)), rate: 100, range: 8,
            fifo: FIFOSize(depth: 32, maxBurst: 31), hasInterrupt: true)
    ]

    let chip: ChipContext

    func isSetUp() throws(I2CError) -> Bool {
        let control = try read(Register.BW_RATE, count: 4)
        let format = try read(Register.DATA_FORMAT, count: 1)
        let fifo = try read(Register.FIFO_CTL, count: 1)
        return control == [chip.rateCode, 0x08, 0x02, 0x00] && format == [dataFormat] && fifo == [fifoControl]
    }

    func waiting() throws(I2CError) -> FIFOStatus {
        // The overrun flag stays until data is read.
        let source = try byte(Register.INT_SOURCE)
        return Self.waiting(source: source, status: try byte(Register.FIFO_STATUS))
    }

    /// Sample by sample, six bytes each.
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        // The 5 µs that the FIFO needs from one sample to the next (datasheet Rev E, p. 21) pass
        // while the chip is addressed.
        for sample in 0..<count { try read(Register.DATAX0, count: 6, into: &bytes, at: 6 * sample) }
    }

    /// Right-justified, low byte first.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { littleEndian(burst, at: 6 * index, axes: 3) }

    /// INT_SOURCE b0 OVERRUN; FIFO_STATUS b5:0 entries, at most 33: those of the FIFO and one in the output
    /// filter behind it (the datasheet's "Entries Bits").
    static func waiting(source: UInt8, status: UInt8) -> FIFOStatus {
        FIFOStatus(level: min(33, Int(status & 0x3F)), isOverrun: source & 0x01 != 0)
    }

    /// FULL_RES, right-justified, range.
    private var dataFormat: UInt8 { 0x08 | chip.rangeCode }
    /// Stream mode in b7:6, watermark in b4:0: 31 at most, which is `maxBurst` above.
    private var fifoControl: UInt8 { 2 << 6 | UInt8(watermark) }

    /// Every control register, since the chip has no reset. Measuring stops first and begins last,
    /// with an empty FIFO.
    var settings: RegisterWrites {
        [
            (Register.POWER_CTL, 0x00),  // standby
            (Register.OFSX, 0x00), (Register.OFSY, 0x00), (Register.OFSZ, 0x00),
            (Register.ACT_INACT_CTL, 0x00), (Register.TAP_AXES, 0x00),
            (Register.BW_RATE, chip.rateCode),  // not low power
            (Register.DATA_FORMAT, dataFormat),
            (Register.INT_MAP, 0x00),  // INT1
            (Register.INT_ENABLE, 0x02),  // watermark, wired or not
            (Register.FIFO_CTL, 0x00),  // bypass empties the FIFO
            (Register.FIFO_CTL, fifoControl),
            (Register.POWER_CTL, 0x08),  // MEASURE
        ]
    }
}
