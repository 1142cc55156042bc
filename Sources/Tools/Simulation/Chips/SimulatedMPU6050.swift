// SPDX-License-Identifier: Apache-2.0
import Base

/// An MPU-6050, MPU-6500 or the same part of an MPU-9250 at register level, which `SimulatedCatalog` puts onto
/// simulated boards.
///
/// From other sources: a chip that sleeps keeps nothing that is written but its own power management
/// (i2cdevlib, issue 531: registers set before the sleep is ended are not set), and goes on so for
/// 5 ms after it was woken (the kernel's inv_mpu_iio.h, INV_MPU6050_REG_UP_TIME_MIN).
///
/// Registers: 19h SMPLRT_DIV, 1Ah CONFIG, 1Bh GYRO_CONFIG, 1Ch ACCEL_CONFIG, 23h FIFO_EN, 37h INT_PIN_CFG,
/// 3Ah INT_STATUS, 3Bh acceleration, 41h temperature, 43h rotation, 6Ah USER_CTRL, 6Bh PWR_MGMT_1, 72h FIFO_COUNT,
/// 74h FIFO_R_W, 75h WHO_AM_I.
///
/// Modelled: sleep, sample rate divider, ranges, the FIFO of bytes that is read at one address, its
/// count, enable bits of both sensors, reset and overflow (which overwrites bytes, so that records
/// lose their alignment), the flags of INT_STATUS that reading clears, device reset, the bypass
/// switch. Not modelled: temperature in the FIFO, auxiliary bus, filters, interrupts, the time a
/// reset takes. In a self-test each axis answers as the codes in the chip say.
package struct SimulatedMPU6050: RegisterChip {
    /// Which of the family, by what it reads and by its FIFO [M].
    package struct Kind: Sendable, Hashable {
        let identity: UInt8
        let fifoSize: Int
        package static let mpu6050 = Kind(identity: 0x68, fifoSize: 1024)
        package static let mpu6500 = Kind(identity: 0x70, fifoSize: 512)
        package static let mpu9250 = Kind(identity: 0x71, fifoSize: 512)
        package static let mpu9255 = Kind(identity: 0x73, fifoSize: 512)
    }

    package let address: UInt8
    private let kind: Kind
    private let acceleration: Signal
    private let rotation: Signal
    /// The way to the magnetometer in the same housing; nil where there is none.
    private let bypass: BypassSwitch?
    var core: ChipCore
    private var fifo: [UInt8] = []
    private var sleep = ChipSleep()

    package init(
        _ kind: Kind = .mpu6050, address: UInt8 = 0x68, bypass: BypassSwitch? = nil, acceleration: @escaping Signal,
        rotation: @escaping Signal, specimen: Specimen = Specimen(), start: MonotonicTime = .zero
    ) {
        self.kind = kind
        self.address = address
        self.acceleration = acceleration
        self.rotation = rotation
        self.bypass = bypass
        core = ChipCore(specimen, start: start)
        begin()
    }

    /// The maker's codes of the self-test: 16 for every axis of an MPU-6050, else 100 for the
    /// accelerometer, 150 for the gyroscope.
    var powerOn: [UInt8: UInt8] {
        let is6050 = kind == .mpu6050
        let (x, a): (UInt8, UInt8) = is6050 ? (0x90, 0) : (100, 100)
        let gyro: UInt8 = is6050 ? 0 : 150
        return [
            0x6B: 0x40, 0x75: kind.identity, 0x0D: x, 0x0E: x, 0x0F: x, 0x10: a, 0x00: gyro, 0x01: gyro, 0x02: gyro,
        ]
    }
    /// How the axes answer a self-test by those codes and the maker's formula, in deg/s and g: to be computed again
    /// where `powerOn` changes.
    private var answer: (turn: SIMD3<Double>, force: Double) {
        guard kind == .mpu6050 else { return (SIMD3(repeating: 88.1), 0.4282) }
        return (SIMD3(49.09, -49.09, 49.09), 0.5593)
    }

    mutating func forget() {
        fifo = []
        sleep = ChipSleep()
        setBypass()
    }

    private func setBypass() { bypass?.isClosed = core[0x37] & 0x02 != 0 && core[0x6A] & 0x20 == 0 }

    /// FIFO_R_W is read again and again: the pointer stays there.
    mutating func move() {
        if core.pointer != 0x74 { core.pointer &+= 1 }
    }

    mutating func store(_ value: UInt8) {
        if core.pointer == 0x6B {
            sleep.set(value & 0x40 != 0, at: core.now)
        } else if !sleep.listens(at: core.now) {
            return
        }
        switch core.pointer {
        case 0x6B where value & 0x80 != 0: powerCycle(at: core.now)
        case 0x19, 0x1A, 0x6B:
            if core.change(core.pointer, to: value) { core.run(rate: rate) }
        case 0x6A:
            if value & 0x04 != 0, value & 0x40 == 0 { fifo = [] }  // FIFO_RESET works only while it is disabled
            core[0x6A] = value & ~0x07  // resets clear themselves
            setBypass()
        case 0x13...0x18, 0x1B...0x38, 0x63...0x69, 0x6C:
            core[core.pointer] = value
            setBypass()
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x3A:
            defer { core[0x3A] = 0 }
            return core[0x3A]
        case 0x41: return UInt8(truncatingIfNeeded: temperature >> 8)
        case 0x42: return UInt8(truncatingIfNeeded: temperature)
        case 0x72: return UInt8(fifo.count >> 8)
        case 0x73: return UInt8(fifo.count & 0xFF)
        case 0x74: return fifo.isEmpty ? 0xFF : fifo.removeFirst()
        case let register: return core[register]
        }
    }

    /// By the register maps (RM-MPU-6000A 4.18: counts / 340 + 36.53; RM-MPU-6500A 4.23:
    /// counts / 333.87 + 21).
    private var temperature: UInt16 {
        kind == .mpu6050 ? core.thermometer(perDegree: 340, zero: 36.53) : core.thermometer(perDegree: 333.87, zero: 21)
    }

    /// 1 kHz with a filter, 8 kHz without, divided; 0 asleep.
    private var rate: Double {
        guard core[0x6B] & 0x40 == 0 else { return 0 }
        let filter = core[0x1A] & 7
        return (filter == 0 || filter == 7 ? 8000 : 1000) / Double(Int(core[0x19]) + 1)
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.noise()
        let perG = [16384.0, 8192, 4096, 2048][Int(core[0x1C] >> 3 & 3)]
        let perDegree = [131, 65.5, 32.8, 16.4][Int(core[0x1B] >> 3 & 3)]
        let force = core.selfTest(core[0x1C] >> 5, SIMD3(repeating: answer.force))
        let turn = core.selfTest(core[0x1B] >> 5, answer.turn)
        let accel = highFirst(digits(acceleration(moment) + noise.0 + force, perUnit: SIMD3(repeating: perG)))
        let gyro = highFirst(digits(rotation(moment) + noise.1 * 50 + turn, perUnit: SIMD3(repeating: perDegree)))
        core.show(accel, from: 0x3B)
        core.show(gyro, from: 0x43)
        core[0x3A] |= 0x01
        guard core[0x6A] & 0x40 != 0 else { return }
        if core[0x23] & 0x08 != 0 { fifo += accel }
        for (axis, bit) in [0x40, 0x20, 0x10].enumerated() where core[0x23] & UInt8(bit) != 0 {
            fifo += gyro[(2 * axis)..<(2 * axis + 2)]
        }
        guard fifo.count > kind.fifoSize else { return }
        fifo.removeFirst(fifo.count - kind.fifoSize)
        core[0x3A] |= 0x10
    }
}
