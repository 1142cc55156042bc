// SPDX-License-Identifier: Apache-2.0
import Times

/// An LIS3MDL at register level, written from its datasheet.
///
/// Modelled: auto-increment, rates including FAST_ODR, ranges, the operating modes of CTRL_REG3, soft reset, both byte
/// orders, BDU, status bits. Not modelled: temperature, interrupt generator, offset registers. The
/// force of a self-test is 200 µT, 50 µT on Z.
public struct SimulatedLIS3MDL: SimulatedChip {
    public let address: UInt8
    private let field: Signal
    private let specimen: Specimen
    /// Counts per gauss at ±4, 8, 12 and 16 gauss.
    private let countsPerGauss: [Double]
    private var registers: [UInt8]
    private var pointer: UInt8 = 0
    private var increments = false
    private var latest = SIMD3<Int16>()
    private var held: [UInt8?] = [nil, nil, nil]
    private var timer: SampleTimer
    private var now: MonotonicTime
    private var samples = 0
    /// DRDY, which follows ZYXDA.
    public private(set) var pinHighSince: MonotonicTime?

    /// A chip at `address` that feels `field` (in µT), switched on at `start`.
    public init(
        address: UInt8 = 0x1C, isLSM9DS1: Bool = false, field: @escaping Signal, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        // The magnetometer of an LSM9DS1 has these registers and 0.14, 0.29, 0.43, 0.58 mG per count.
        countsPerGauss =
            isLSM9DS1 ? [0.14, 0.29, 0.43, 0.58].map { 1000 / $0 } : [6842, 3421, 2281, 1711]
        self.address = address
        self.field = field
        self.specimen = specimen
        registers = Self.powerOn
        timer = SampleTimer(at: start)
        now = start
    }

    /// Register contents after power-on: identity, 10 Hz, powered down.
    private static let powerOn: [UInt8] = {
        var registers = [UInt8](repeating: 0, count: 0x40)
        registers[0x0F] = 0x3D
        registers[0x20] = 0x10
        registers[0x22] = 0x03
        registers[0x30] = 0xE8
        return registers
    }()

    public mutating func powerCycle(at time: MonotonicTime) {
        registers = Self.powerOn
        latest = .zero
        pinHighSince = nil
        held = [nil, nil, nil]
        timer = SampleTimer(at: time)
        now = time
    }

    public mutating func advance(to time: MonotonicTime) {
        while let moment = timer.next(by: time) { take(at: moment) }
        now = max(now, time)
    }

    public mutating func write(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        pointer = first & 0x7F
        increments = first & 0x80 != 0
        for byte in bytes.dropFirst() {
            store(byte)
            move()
        }
    }

    public mutating func read(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            let byte = fetch()
            move()
            return byte
        }
    }

    /// A burst over the outputs begins again at 0x28.
    private mutating func move() {
        guard increments else { return }
        pointer = pointer == 0x2D ? 0x28 : (pointer + 1) & 0x7F
    }

    private mutating func store(_ value: UInt8) {
        switch pointer {
        case 0x21 where value & 0x04 != 0:
            powerCycle(at: now)  // SOFT_RST; the pointer stays
        case 0x21:
            registers[0x21] = value & 0x60  // REBOOT clears itself
        case 0x20, 0x22:
            let isNew = registers[Int(pointer)] != value
            registers[Int(pointer)] = value
            if isNew { timer.restart(rate: rate * (1 + specimen.rateError), at: now) }
        case 0x05...0x0A, 0x23, 0x24, 0x30, 0x32, 0x33:
            registers[Int(pointer)] = value
        default:
            break  // read-only or reserved
        }
    }

    private mutating func fetch() -> UInt8 {
        switch pointer {
        case 0x28...0x2D: output(axis: Int(pointer - 0x28) / 2, isSecond: pointer & 1 == 1)
        case 0x00..<0x40: registers[Int(pointer)]
        default: 0
        }
    }

    private mutating func output(axis: Int, isSecond: Bool) -> UInt8 {
        let value = UInt16(bitPattern: latest[axis])
        let ordered = registers[0x23] & 0x02 != 0 ? value.byteSwapped : value
        let second = UInt8(ordered >> 8)
        guard isSecond else {
            held[axis] = registers[0x24] & 0x40 != 0 ? second : nil
            return UInt8(ordered & 0xFF)
        }
        registers[0x27] &= ~(0x11 << UInt8(axis))
        if registers[0x27] & 0x07 == 0 {
            registers[0x27] &= ~0x88
            pinHighSince = nil
        }
        defer { held[axis] = nil }
        return held[axis] ?? second
    }

    /// Samples per second; FAST_ODR is as fast as the mode of X and Y allows. 0 unless measuring.
    private var rate: Double {
        guard registers[0x22] & 0x03 <= 1 else { return 0 }
        if registers[0x20] & 0x02 != 0 { return [1000, 560, 300, 155][Int(registers[0x20] >> 5 & 3)] }
        return [0.625, 1.25, 2.5, 5, 10, 20, 40, 80][Int(registers[0x20] >> 2 & 7)]
    }

    private mutating func take(at moment: MonotonicTime) {
        samples += 1
        let noise = specimen.noise == 0 ? .zero : SeededNoise(seed: specimen.seed).vector(samples) * specimen.noise
        let force = registers[0x20] & 0x01 != 0 ? SIMD3(200, 200, 50) * specimen.response : .zero
        latest = quantised(field(moment) + noise + force)
        registers[0x27] |= registers[0x27] & 0x08 != 0 ? 0xFF : 0x0F
        pinHighSince = pinHighSince ?? moment
        if registers[0x22] & 0x03 == 1 {  // single conversion, then idle
            registers[0x22] |= 0x03
            timer.restart(rate: 0, at: moment)
        }
    }

    /// Counts of the range that is set, saturated at its full scale.
    private func quantised(_ value: SIMD3<Double>) -> SIMD3<Int16> {
        let range = Int(registers[0x21] >> 5 & 3)
        let perGauss = countsPerGauss[range]
        let end = min([4.0, 8, 12, 16][range] * perGauss, 32_767)
        var counts = SIMD3<Int16>()
        for axis in 0..<3 {
            counts[axis] = Int16(min(max((value[axis] / 100 * perGauss).rounded(), -end), end))
        }
        return counts
    }
}
