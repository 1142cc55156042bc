// SPDX-License-Identifier: Apache-2.0
import Base

/// An ICM-20948 at register level, which `SimulatedCatalog` puts onto simulated boards.
///
/// The order in the FIFO was not checked in a source again.
///
/// From other sources: as an MPU-6050 of the same maker, it keeps nothing that is written while it
/// sleeps, but the bank and its own power management, nor for 5 ms after it was woken (the kernel's
/// inv_mpu_iio.h; SparkFun's and Adafruit's libraries rest 20 ms and more).
///
/// Registers of bank 0: 00h WHO_AM_I, 03h USER_CTRL, 06h PWR_MGMT_1, 0Fh INT_PIN_CFG, 1Ah INT_STATUS_1,
/// 1Bh INT_STATUS_2, 2Dh acceleration, 33h rotation, 39h temperature, 66h FIFO_EN_1, 67h FIFO_EN_2, 68h FIFO_RST,
/// 69h FIFO_MODE, 70h FIFO_COUNT, 72h FIFO_R_W; of every bank: 7Fh REG_BANK_SEL; of bank 2: 00h GYRO_SMPLRT_DIV,
/// 01h GYRO_CONFIG_1, 02h GYRO_CONFIG_2, 14h ACCEL_CONFIG, 15h ACCEL_CONFIG_2.
///
/// Modelled: four banks, of which WHO_AM_I is in the first only, sleep, the rate divided from 1125
/// Hz or 9000 Hz without the filter (the gyroscope's, as ODR_ALIGN_EN makes it), ranges, the FIFO
/// of 512 bytes that is read at one address, its enable bits, count, reset and overflow (which in
/// stream mode overwrites bytes, so that records lose their alignment, and in snapshot mode stops),
/// the bypass switch, device reset. Not modelled: temperature in the FIFO, the auxiliary bus, the
/// motion processor, duty cycles, filters, interrupts, the time a reset takes. In a self-test each
/// axis answers as the codes in bank 1 say: 88.1 deg/s and 0.428 g.
package struct SimulatedICM20948: RegisterChip {
    package let address: UInt8
    private let acceleration: Signal
    private let rotation: Signal
    /// The way to the magnetometer in the same housing; nil where there is none.
    private let bypass: BypassSwitch?
    var core: ChipCore
    /// Banks 1 to 3; bank 0 is the core's.
    private var banks = [[UInt8]](repeating: [UInt8](repeating: 0, count: 128), count: 4)
    private var fifo: [UInt8] = []
    private var sleep = ChipSleep()

    private static let fifoSize = 512

    package init(
        address: UInt8 = 0x68, bypass: BypassSwitch? = nil, acceleration: @escaping Signal, rotation: @escaping Signal,
        specimen: Specimen = Specimen(), start: MonotonicTime = .zero
    ) {
        self.address = address
        self.bypass = bypass
        self.acceleration = acceleration
        self.rotation = rotation
        core = ChipCore(specimen, start: start)
        begin()
        forget()
    }

    let powerOn: [UInt8: UInt8] = [0x00: 0xEA, 0x06: 0x41]

    mutating func forget() {
        banks = [[UInt8]](repeating: [UInt8](repeating: 0, count: 128), count: 4)
        banks[2][0x01] = 0x01
        banks[2][0x14] = 0x01
        for axis in 0..<3 {
            banks[1][0x02 + axis] = 150
            banks[1][0x0E + axis] = 100
        }
        fifo = []
        sleep = ChipSleep()
        setBypass()
    }

    private var bank: Int { Int(core[0x7F] >> 4 & 3) }

    /// The address stays at the FIFO, and has seven bits.
    mutating func move() {
        if bank != 0 || core.pointer != 0x72 { core.pointer = (core.pointer + 1) & 0x7F }
    }

    mutating func store(_ value: UInt8) {
        let isPower = bank == 0 && core.pointer == 0x06
        if isPower { sleep.set(value & 0x40 != 0, at: core.now) }
        if core.pointer == 0x7F {
            core[0x7F] = value & 0x30
        } else if !isPower, !sleep.listens(at: core.now) {
            return
        } else if bank == 0 {
            storeInFirst(value)
        } else if core.pointer < 0x7F {
            banks[bank][Int(core.pointer)] = value
            if bank == 2, core.pointer <= 0x01 { core.run(rate: rate) }
        }
    }

    private mutating func storeInFirst(_ value: UInt8) {
        switch core.pointer {
        case 0x06 where value & 0x80 != 0: powerCycle(at: core.now)
        case 0x06:
            if core.change(0x06, to: value) { core.run(rate: rate) }
        case 0x68:
            core[0x68] = value & 0x1F
            if value & 0x1F != 0 { fifo = [] }
        case 0x03, 0x05, 0x07, 0x0F...0x13, 0x66, 0x67, 0x69, 0x76:
            core[core.pointer] = value
            setBypass()
        default: break  // read-only or reserved
        }
    }

    private func setBypass() { bypass?.isClosed = core[0x0F] & 0x02 != 0 && core[0x03] & 0x20 == 0 }

    mutating func fetch() -> UInt8 {
        guard core.pointer != 0x7F else { return core[0x7F] }
        guard bank == 0 else { return banks[bank][Int(core.pointer & 0x7F)] }
        switch core.pointer {
        case 0x1A, 0x1B:
            defer { core[core.pointer] = 0 }
            return core[core.pointer]
        case 0x39: return UInt8(truncatingIfNeeded: core.thermometer(perDegree: 333.87, zero: 21) >> 8)
        case 0x3A: return UInt8(truncatingIfNeeded: core.thermometer(perDegree: 333.87, zero: 21))
        case 0x70: return UInt8(fifo.count >> 8)
        case 0x71: return UInt8(fifo.count & 0xFF)
        case 0x72: return fifo.isEmpty ? 0xFF : fifo.removeFirst()
        case let register: return core[register]
        }
    }

    /// 0 asleep.
    private var rate: Double {
        guard core[0x06] & 0x40 == 0 else { return 0 }
        guard banks[2][0x01] & 0x01 != 0 else { return 9000 }
        return 1125 / (Double(banks[2][0x00]) + 1)
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.noise()
        let perG = [16384.0, 8192, 4096, 2048][Int(banks[2][0x14] >> 1 & 3)]
        let perDegree = [131, 65.5, 32.8, 16.4][Int(banks[2][0x01] >> 1 & 3)]
        let force = core.selfTest(banks[2][0x15] >> 2, SIMD3(repeating: 0.4282))
        let turn = core.selfTest(banks[2][0x02] >> 3, SIMD3(repeating: 88.1))
        let accel = highFirst(digits(acceleration(moment) + noise.0 + force, perUnit: SIMD3(repeating: perG)))
        let gyro = highFirst(digits(rotation(moment) + noise.1 * 50 + turn, perUnit: SIMD3(repeating: perDegree)))
        core.show(accel + gyro, from: 0x2D)
        core[0x1A] |= 0x01
        if core[0x03] & 0x40 != 0, core[0x68] == 0 { batch(accel, gyro) }
    }

    private mutating func batch(_ accel: [UInt8], _ gyro: [UInt8]) {
        var record: [UInt8] = []
        if core[0x67] & 0x10 != 0 { record += accel }
        for (axis, bit) in [0x02, 0x04, 0x08].enumerated() where core[0x67] & UInt8(bit) != 0 {
            record += gyro[(2 * axis)..<(2 * axis + 2)]
        }
        let isFull = fifo.count + record.count > Self.fifoSize
        if isFull { core[0x1B] |= 0x01 }
        if isFull && core[0x69] & 0x1F != 0 { return }  // snapshot
        fifo += record
        fifo.removeFirst(max(0, fifo.count - Self.fifoSize))
    }
}
