// SPDX-License-Identifier: Apache-2.0

/// Honeywell HMC5883L 3-axis magnetometer, 12 bits, without a FIFO; also the magnetometer of ST's LSM303DLHC.
/// `ChipCatalog` lists it, `SampledDevice` runs it.
///
/// Facts from the kernel's hmc5843_core.c and st_magn_core.c and from i2cdevlib; `[M]` marks what
/// was not re-read in a source. Data comes high byte first in the order X, Z, Y. In continuous mode
/// nothing tells a new sample from one that was read already, since reading does not clear RDY [M]:
/// so each burst asks for the next single measurement.
struct HMC5883L: ChipDriver {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let CRA: UInt8 = 0x00
        static let CRB: UInt8 = 0x01
        static let MR: UInt8 = 0x02
        static let DXRA: UInt8 = 0x03
        static let SR: UInt8 = 0x09
        static let IDA: UInt8 = 0x0A
    }

    static let models = [hmc5883l, lsm303dlhc]

    /// One gain for all axes. The ranges of the gains are the datasheet's [M].
    static let hmc5883l = model(
        "HMC5883L",
        gains: [
            (88, 0, 1370), (130, 1, 1090), (190, 2, 820), (250, 3, 660), (400, 4, 440), (470, 5, 390), (560, 6, 330),
            (810, 7, 230),
        ].map { ($0, $1, $2, $2) })
    /// Z has a different gain; no averaging.
    static let lsm303dlhc = model(
        "LSM303DLHC-magn",
        gains: [
            (130, 1, 1100, 980), (190, 2, 855, 760), (250, 3, 670, 600), (400, 4, 450, 400), (470, 5, 400, 355),
            (560, 6, 330, 295), (810, 7, 230, 205),
        ])

    /// A chip of these counts per gauss (100 µT) for X and Y, and for Z, by range in µT as the
    /// maker names the gain (130 for ±1.3 gauss) and CRB GN[2:0]; rates without a code, for which
    /// single measurements leave time. Both chips read "H43" at 0x0A, of which a driver compares
    /// the first letter.
    private static func model(
        _ name: String, gains: [(range: Double, code: UInt8, xy: Double, z: Double)]
    ) -> ChipModel {
        ChipModel(
            identity: ChipIdentity(
                name: name, addresses: [0x1E], register: Register.IDA, value: 0x48, continuation: [0x34, 0x33]),
            kind: .magnetometer, rates: [1, 2, 5, 10, 15, 20, 25, 30, 50].map { ($0, 0) },
            ranges: gains.map { ($0.range, RangeScale(code: $0.code, scale: 100 / $0.xy, scaleOfZ: 100 / $0.z)) },
            rate: 10, range: 130)
    }

    let chip: ChipContext
    /// A measurement takes 6 ms [M].
    let conversion: Duration? = .milliseconds(6)

    /// The first measurement after the gain was changed is still one of the former gain (datasheet,
    /// "Configuration Register B"), which the settings' scale does not fit.
    var unsettledSamples: Int { 1 }

    /// Averaging and gain are as written; the mode is idle between measurements.
    func isSetUp() throws(I2CError) -> Bool {
        try read(Register.CRA, count: 2) == [controlA, chip.rangeCode << 5]
    }

    /// SR b0 RDY. b1 LOCK goes once all six bytes are read, as they always are.
    func waiting() throws(I2CError) -> FIFOStatus {
        FIFOStatus(status: try byte(Register.SR), ready: 0x01, overrun: 0)
    }

    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.DXRA, count: 6, into: &bytes)
        try bus.write(place.address, register: Register.MR, 0x01)
    }

    /// An axis beyond its range reads −4096 (datasheet, "Data Output Registers"; the kernel's
    /// hmc5843_core.c passes it on).
    func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool {
        let data = bigEndian(burst, at: 6 * index, axes: 3)
        return data[0] == -4096 || data[1] == -4096 || data[2] == -4096
    }

    /// X, Z, Y become X, Y, Z.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> {
        let data = bigEndian(burst, at: 6 * index, axes: 3)
        return SIMD8(data[0], data[2], data[1], 0, 0, 0, 0, 0)
    }

    /// Averaging and the rate of the continuous mode, which is not used: 15 Hz. No bias.
    private var controlA: UInt8 { (place.chip == Self.hmc5883l.identity ? 3 : 0) << 5 | 4 << 2 }

    /// Every control register; the first measurement begins last.
    var settings: RegisterWrites {
        [
            (Register.MR, 0x03),  // idle
            (Register.CRA, controlA), (Register.CRB, chip.rangeCode << 5),
            (Register.MR, 0x01),  // one measurement
        ]
    }
}
