// SPDX-License-Identifier: Apache-2.0

/// QST QMC5883L 3-axis magnetometer, 16 bits, without a FIFO; it is what most boards sold as HMC5883L carry.
/// `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from the kernel's qmc5883l.c, betaflight's compass_qmc5883.c and the library
/// QMC5883LCompass. Its identity register is a reserved one that reads 0xFF, as an empty bus does: weak
/// evidence. Bytes and axes are not in the order of an HMC5883L.
struct QMC5883L: ChipDriver {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let XOUT_L: UInt8 = 0x00
        static let STATUS: UInt8 = 0x06
        static let CONTROL1: UInt8 = 0x09
        static let CONTROL2: UInt8 = 0x0A
        static let SET_RESET: UInt8 = 0x0B
        static let CHIP_ID: UInt8 = 0x0D
    }

    /// CONTROL1 ODR[1:0] and RNG[1:0]; 12000 and 3000 counts per gauss, which is 100 µT. The
    /// identity is the reserved register that libraries use as one.
    static let models = [
        ChipModel(
            identity: ChipIdentity(name: "QMC5883L", addresses: [0x0D], register: Register.CHIP_ID, value: 0xFF),
            kind: .magnetometer, rates: [(10, 0), (50, 1), (100, 2), (200, 3)],
            ranges: RangeScale.counts((200, 120), (800, 30)), rate: 10, range: 200, hasInterrupt: true)
    ]

    let chip: ChipContext

    /// 0xFF everywhere means that no chip answers: of CONTROL1 the two highest modes are reserved
    /// (datasheet 1.0, §9.2.4). A wrong identity is read again after the data, before which it is not
    /// reliable (ArduPilot's AP_Compass_QMC5883L.cpp and PX4's QMC5883L.cpp read 0x00 first).
    func identityFault() -> SensorFault.Cause? {
        var cause = registerFault()
        if case .wrongIdentity? = cause {
            _ = try? read(Register.XOUT_L, count: 6)
            cause = registerFault()
        }
        if let cause { return cause }
        do throws(I2CError) {
            return try byte(Register.CONTROL1) == 0xFF ? .onlyOnes : nil
        } catch {
            return .bus(error)
        }
    }

    /// Stops measuring, writes every control register that matters, and measures again.
    ///
    /// A reading that ended before the last data register has locked all of them until that one is read;
    /// and what was measured before, perhaps at another range, is no sample.
    func setUp() throws(I2CError) {
        try write([(Register.CONTROL1, 0x00)])  // standby
        _ = try read(Register.XOUT_L, count: 6)
        try write(settings)
    }

    func isSetUp() throws(I2CError) -> Bool { try read(Register.CONTROL1, count: 3) == [control1, 0x00, 0x01] }

    func waiting() throws(I2CError) -> FIFOStatus { Self.waiting(status: try byte(Register.STATUS)) }

    /// The one sample there is, and STATUS, which follows it and still says whether it was
    /// beyond its range.
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.XOUT_L, count: 7, into: &bytes)
    }

    /// STATUS b1 OVL: set by a measurement of which an axis is beyond its range, taken away by the
    /// next that is not (datasheet 1.0, §9.2.2).
    func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool { burst[7 * index + 6] & 0x02 != 0 }

    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { littleEndian(burst, at: 7 * index, axes: 3) }

    /// STATUS: b0 DRDY, b2 DOR (a sample was skipped).
    static func waiting(status: UInt8) -> FIFOStatus { FIFOStatus(status: status, ready: 0x01, overrun: 0x04) }

    /// Over-sampling 512, range, rate, continuous.
    private var control1: UInt8 { chip.rangeCode << 4 | chip.rateCode << 2 | 0x01 }

    /// Every control register, in the order of writing. Measuring begins last.
    var settings: RegisterWrites {
        [
            (Register.CONTROL2, 0x00),  // data-ready on its pin, wired or not; no roll-over
            (Register.SET_RESET, 0x01),  // mandatory
            (Register.CONTROL1, control1),
        ]
    }
}
