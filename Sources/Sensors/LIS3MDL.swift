// SPDX-License-Identifier: Apache-2.0
import Hardware
import Samples

/// ST LIS3MDL 3-axis magnetometer, 16 bits, without a FIFO: each sample is fetched by itself.
///
/// Facts from ST's lis3mdl_reg.h and the kernel's st_magn_core.c. An LSM9DS1's magnetometer reads the same identity with
/// a slightly different scale: only the board file can tell them apart.
public struct LIS3MDL: VectorSensor {
    /// How the chip is used. Values that it does not have are refused.
    public struct Configuration: Sendable, Hashable {
        /// 0x1C with SA1 low, 0x1E with SA1 high.
        public let address: UInt8
        /// Samples per second.
        public let rate: Double
        /// Full scale in µT: 400, 800, 1200, 1600.
        public let range: Double
        /// Which sister it is.
        public let model: Model
        fileprivate let rateCode: UInt8
        fileprivate let scale: RangeScale

        /// 10 Hz, ±400 µT unless said otherwise.
        public init(_ settings: ChipSettings = ChipSettings(), model: Model = .lis3mdl) throws(SettingError) {
            self.model = model
            address = try settings.checkedAddress(model.identity)
            rate = settings.rate ?? 10
            range = settings.range ?? 400
            rateCode = try choose(rate, of: LIS3MDL.rates, as: "rate", chip: model.identity.name, spell: plain)
            scale = try choose(range, of: model.ranges, as: "range", chip: model.identity.name, spell: plain)
            try settings.refuseWatermark(model.identity)
        }
    }

    /// A range's code and its µT per count.
    struct RangeScale: Sendable, Hashable {
        let code: UInt8
        let microtesla: Double
    }

    /// A chip with these registers.
    public struct Model: Sendable, Hashable {
        /// Its name and where it can be; the value of the identity register is common to the family.
        public let identity: ChipIdentity
        /// CTRL_REG2 FS[1:0] by range in µT; 1 gauss is 100 µT.
        let ranges: [(Double, RangeScale)]

        /// A sister of these µT per count at ±4, 8, 12 and 16 gauss.
        init(_ name: String, pin: String, microtesla: [Double]) {
            identity = ChipIdentity(
                name: name, addresses: [0x1C, 0x1E], register: Register.WHO_AM_I, value: 0x3D, addressPin: pin)
            ranges = zip([400, 800, 1200, 1600], microtesla.enumerated()).map { range, scale in
                (range, RangeScale(code: UInt8(scale.offset), microtesla: scale.element))
            }
        }

        public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }
        public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

        /// 6842, 3421, 2281 and 1711 counts per gauss.
        public static let lis3mdl = Model(
            "LIS3MDL", pin: "SA1", microtesla: [100 / 6842.0, 100 / 3421.0, 100 / 2281.0, 100 / 1711.0])
    }

    /// The identity of the LIS3MDL itself.
    public static var identity: ChipIdentity { Model.lis3mdl.identity }

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

    /// CTRL_REG1 DO[2:0].
    static let rates: [(Double, UInt8)] = [
        (0.625, 0), (1.25, 1), (2.5, 2), (5, 3), (10, 4), (20, 5), (40, 6), (80, 7),
    ]

    public let source: SourceDescription
    public let place: ChipPlace
    public let depth = 1
    public let watermark = 1
    public let bus: any I2CBus
    private let configuration: Configuration

    /// The chip on `bus`, which people call `busName`. Nothing is sent yet.
    public init(bus: any I2CBus, busName: String, configuration: Configuration) {
        self.bus = bus
        self.configuration = configuration
        place = ChipPlace(bus: busName, address: configuration.address, chip: configuration.model.identity)
        source = SourceDescription(
            kind: .magnetometer, device: configuration.model.identity.name, location: place.location,
            channels: Channel.magneticField(scale: configuration.scale.microtesla),
            nominalRate: configuration.rate, fullScale: configuration.range)
    }

    public func setUp() throws(I2CError) { try write(settings) }

    public func isSetUp() throws(I2CError) -> Bool {
        let read = try read(Register.CTRL_REG1 | Register.autoIncrement, count: 5)
        return read == [control1, control2, 0, 0x0C, 0x40]
    }

    public func waiting() throws(I2CError) -> WaitingSamples {
        Self.waiting(status: try byte(Register.STATUS_REG))
    }

    public func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError) {
        try read(Register.OUT_X_L | Register.autoIncrement, count: 6 * count, into: &bytes)
    }

    public func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32> { Self.counts(burst, at: 6 * index) }

    /// STATUS_REG: b7 ZYXOR (a sample was overwritten), b3 ZYXDA (a sample is there).
    static func waiting(status: UInt8) -> WaitingSamples {
        let isReady = status & 0x08 != 0
        return WaitingSamples(level: isReady ? 1 : 0, isOverrun: isReady && status & 0x80 != 0)
    }

    /// X, Y, Z of the six bytes at `offset`: 16 bits little-endian.
    static func counts(_ bytes: [UInt8], at offset: Int) -> SIMD8<Int32> {
        var counts = SIMD8<Int32>()
        for axis in 0..<3 {
            let low = UInt16(bytes[offset + 2 * axis])
            let high = UInt16(bytes[offset + 2 * axis + 1])
            counts[axis] = Int32(Int16(bitPattern: high << 8 | low))
        }
        return counts
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
