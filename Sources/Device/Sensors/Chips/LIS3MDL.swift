// SPDX-License-Identifier: Apache-2.0

/// ST LIS3MDL 3-axis magnetometer, 16 bits, without a FIFO: each sample is fetched by itself.
///
/// Facts from ST's lis3mdl_reg.h and the kernel's st_magn_core.c. An LSM9DS1's magnetometer reads
/// the same identity with a slightly different scale: only the board file can tell them apart.
package struct LIS3MDL: VectorSensor {
    package struct Model: Sendable, Hashable {
        /// Its name and where it can be; the value of the identity register is
        /// common to the family.
        package let identity: ChipIdentity
        /// What it can be asked for: CTRL_REG1 DO[2:0]; CTRL_REG2 FS[1:0] by range in µT; 1
        /// gauss is 100 µT.
        let options: SensorConfiguration.Options

        /// A sister of these µT per count at ±4, 8, 12 and 16 gauss.
        init(_ name: String, pin: String, microtesla: [Double]) {
            identity = ChipIdentity(
                name: name, addresses: [0x1C, 0x1E], register: Register.WHO_AM_I, value: 0x3D, addressPin: pin)
            options = SensorConfiguration.Options(
                rates: [(0.625, 0), (1.25, 1), (2.5, 2), (5, 3), (10, 4), (20, 5), (40, 6), (80, 7)],
                ranges: zip([400, 800, 1200, 1600], microtesla.enumerated()).map { range, scale in
                    (range, RangeScale(code: UInt8(scale.offset), scale: scale.element))
                }, rate: 10, range: 400)
        }

        /// By the identity alone, whose name no two sisters share.
        package static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }
        /// Consistent with equality: the identity alone.
        package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

        /// 6842, 3421, 2281 and 1711 counts per gauss.
        package static let lis3mdl = Model(
            "LIS3MDL", pin: "SA1", microtesla: [100 / 6842.0, 100 / 3421.0, 100 / 2281.0, 100 / 1711.0])
    }

    /// The identity of the LIS3MDL itself.
    private static var identity: ChipIdentity { Model.lis3mdl.identity }

    /// Datasheet names and addresses.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    enum Register {
        static let WHO_AM_I: UInt8 = 0x0F
        static let CTRL_REG1: UInt8 = 0x20
        static let CTRL_REG2: UInt8 = 0x21
        static let CTRL_REG3: UInt8 = 0x22
        static let CTRL_REG4: UInt8 = 0x23
        static let CTRL_REG5: UInt8 = 0x24
        static let STATUS_REG: UInt8 = 0x27
        static let OUT_X_L: UInt8 = 0x28
        static let INT_CFG: UInt8 = 0x30
        /// OR-ed into a sub-address; without it the same register is read again and again.
        static let autoIncrement: UInt8 = 0x80
    }

    /// Its channels, whose scale follows from the range.
    package let source: SourceDescription
    package let place: ChipPlace
    /// It keeps one sample.
    package let depth = 1
    /// One, for it has no FIFO.
    package let watermark = 1
    /// Its pin says when a watermark, without a FIFO a sample, is there.
    package var hasInterrupt: Bool { true }
    /// After power-down two are not right yet, as the kernel has it (st_magn_core.c: `bootime`).
    package var unsettledSamples: Int { 2 }
    package let bus: any I2CBus
    private let configuration: SensorConfiguration

    /// The chip on `bus`, which people call `busName`: 10 Hz, ±400 µT unless the settings say
    /// otherwise; what it does not have is refused. Nothing is sent yet.
    package init(
        bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings(), model: Model = .lis3mdl
    ) throws(SettingError) {
        self.bus = bus
        configuration = try SensorConfiguration(settings, chip: model.identity, options: model.options)
        place = ChipPlace(bus: busName, address: configuration.address, chip: model.identity)
        source = configuration.source(.magnetometer, at: place)
    }

    /// Writes every control register that matters, measuring last.
    package func setUp() throws(I2CError) { try write(settings) }

    /// All five control registers are as written.
    package func isSetUp() throws(I2CError) -> Bool {
        let read = try read(Register.CTRL_REG1 | Register.autoIncrement, count: 5)
        return read == [control1, control2, 0, 0x0C, 0x40]
    }

    /// Whether there is a new sample, and whether one was overwritten.
    package func waiting() throws(I2CError) -> FIFOStatus {
        Self.waiting(status: try byte(Register.STATUS_REG))
    }

    package func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.OUT_X_L | Register.autoIncrement, count: 6 * count, into: &bytes)
    }

    /// Low byte first.
    package func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { littleEndian(burst, at: 6 * index, axes: 3) }

    /// STATUS_REG: b7 ZYXOR (a sample was overwritten), b3 ZYXDA (a sample is there).
    static func waiting(status: UInt8) -> FIFOStatus {
        let isReady = status & 0x08 != 0
        return FIFOStatus(level: isReady ? 1 : 0, isOverrun: isReady && status & 0x80 != 0)
    }

    /// Ultra-high performance for X and Y (OM 3), rate; temperature, FAST_ODR and self-test off.
    private var control1: UInt8 { 3 << 5 | configuration.rateCode << 2 }
    private var control2: UInt8 { configuration.scale.code << 5 }

    /// Every control register, in the order of writing. Measuring stops first and begins last.
    private var settings: [(register: UInt8, value: UInt8)] {
        [
            (Register.CTRL_REG3, 0x03),  // MD 3: power-down
            (Register.CTRL_REG1, control1),
            (Register.CTRL_REG2, control2),  // FS; no reboot, no reset
            (Register.CTRL_REG4, 0x0C),  // OMZ 3, as X and Y; little-endian
            (Register.CTRL_REG5, 0x40),  // BDU
            (Register.INT_CFG, 0x00),
            (Register.CTRL_REG3, 0x00),  // MD 0: continuous
        ]
    }
}
