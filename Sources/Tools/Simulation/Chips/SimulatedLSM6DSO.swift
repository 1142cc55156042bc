// SPDX-License-Identifier: Apache-2.0
import Base

/// An LSM6DSO at register level, which `SimulatedCatalog` puts onto simulated boards.
///
/// From other sources: the first samples after a sensor was switched on are corrupted while its
/// filters settle (the kernel's st_lsm6dsx, samples_to_discard, reported for the LSM6DSM: 12 at
/// 104 Hz); here they are the truth plus half of it. And the interface also speaks I3C until
/// CTRL9_XL I3C_disable is set, which ST's own examples do before anything else: until then INT1
/// stays low here.
///
/// Registers: 07h–0Ah FIFO_CTRL1 to 4, 0Dh INT1_CTRL, 0Fh WHO_AM_I, 10h CTRL1_XL, 11h CTRL2_G, 12h CTRL3_C,
/// 14h CTRL5_C, 18h CTRL9_XL, 20h temperature, 22h rotation, 28h acceleration, 3Ah FIFO_STATUS1 and 2, 78h the FIFO's
/// tag and word.
///
/// Modelled: IF_INC, rates and ranges of both sensors, the FIFO of 512 tagged words with its
/// counter and parity, bypass, FIFO and continuous mode, level, watermark and overrun flags, the
/// wrap of a burst to the tag [M], software reset. An empty FIFO gives tag 0. Of interrupts: FIFO
/// threshold on INT1. Not modelled: embedded functions, filters, time stamps, compression, sensors
/// at different rates. The force of a self-test is 0.5 g and 400 deg/s, always positive.
package struct SimulatedLSM6DSO: RegisterChip {
    package let address: UInt8
    private let acceleration: Signal
    private let rotation: Signal
    var core: ChipCore
    private var fifo: [[UInt8]] = []
    /// The word that is being read: its tag, then six bytes.
    private var current = [UInt8](repeating: 0, count: 7)
    /// TAG_CNT: 0...3, the same for both words of one moment.
    private var tagCount: UInt8 = 0
    /// Samples that are still corrupted.
    private var unsettled = 0

    package init(
        address: UInt8 = 0x6A, acceleration: @escaping Signal, rotation: @escaping Signal,
        specimen: Specimen = Specimen(), start: MonotonicTime = .zero
    ) {
        self.address = address
        self.acceleration = acceleration
        self.rotation = rotation
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x0F: 0x6C, 0x12: 0x04, 0x18: 0xE0]

    mutating func forget() { fifo = [] }

    /// INT1_CTRL b3 lets INT1 follow the threshold.
    var isPinHigh: Bool { core[0x18] & 0x02 != 0 && core[0x0D] & 0x08 != 0 && !fifo.isEmpty && fifo.count >= watermark }

    private var watermark: Int { Int(core[0x08] & 1) << 8 | Int(core[0x07]) }

    mutating func move() {
        guard core[0x12] & 0x04 != 0 else { return }
        core.pointer = core.pointer == 0x7E ? 0x78 : core.pointer &+ 1
    }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x10, 0x11:
            if core.change(core.pointer, to: value, bits: 0xF0) {
                core.run(rate: rate)
                unsettled = [0, 2, 5, 7, 12, 20, 36][min(6, Int(value >> 4))]
            }
        case 0x12 where value & 0x01 != 0: powerCycle(at: core.now)
        case 0x0A:
            core[0x0A] = value
            if value & 7 == 0 {
                fifo = []
                core[0x3B] = 0
            }
        case 0x01, 0x02, 0x07...0x0E, 0x12...0x19, 0x56...0x5F, 0x73...0x75: core[core.pointer] = value
        default: break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x20: return UInt8(truncatingIfNeeded: core.thermometer(perDegree: 256, zero: 25))
        case 0x21: return UInt8(truncatingIfNeeded: core.thermometer(perDegree: 256, zero: 25) >> 8)
        case 0x3A: return UInt8(fifo.count & 0xFF)
        case 0x3B:
            let flags = core[0x3B] | (fifo.count >= watermark ? 0x80 : 0) | (fifo.count == 512 ? 0x20 : 0)
            core[0x3B] &= ~0x08  // the latch goes by reading
            return flags | UInt8(fifo.count >> 8)
        case 0x78:
            current = fifo.isEmpty ? [UInt8](repeating: 0, count: 7) : fifo.removeFirst()
            core[0x3B] &= ~0x40
            return current[0]
        case 0x79...0x7E: return current[Int(core.pointer - 0x78)]
        case let register: return core[register]
        }
    }

    /// The accelerometer's rate, or the gyroscope's where that is off.
    private var rate: Double {
        let code = Int(max(core[0x10], core[0x11]) >> 4)
        return code < 11 ? [0, 12.5, 26, 52, 104, 208, 417, 833, 1667, 3333, 6667][code] : 0
    }

    mutating func measure(at moment: MonotonicTime) {
        let noise = core.noise()
        let error = unsettled > 0 ? 1.5 : 1
        unsettled = max(0, unsettled - 1)
        let milliG = [0.061, 0.488, 0.122, 0.244][Int(core[0x10] >> 2 & 3)]
        let milliDegrees = [8.75, 17.5, 35, 70][Int(core[0x11] >> 2 & 3)]
        let force = core[0x14] & 0x03 != 0 ? 0.5 * core.specimen.response : 0
        let turn = core[0x14] & 0x0C != 0 ? 400 * core.specimen.response : 0
        let gyro = lowFirst(
            digits((rotation(moment) + noise.1 * 50 + turn) * error, perUnit: SIMD3(repeating: 1000 / milliDegrees)))
        let accel = lowFirst(
            digits((acceleration(moment) + noise.0 + force) * error, perUnit: SIMD3(repeating: 1000 / milliG)))
        core.show(gyro + accel, from: 0x22)
        if core[0x11] >> 4 != 0, core[0x09] >> 4 != 0 { batch(tag: 1, gyro) }
        if core[0x10] >> 4 != 0, core[0x09] & 0x0F != 0 { batch(tag: 2, accel) }
        tagCount = (tagCount + 1) & 3
    }

    private mutating func batch(tag: UInt8, _ data: [UInt8]) {
        let mode = core[0x0A] & 7
        guard mode != 0 else { return }
        if fifo.count == 512 {
            if mode == 1 { return }  // FIFO mode stops when full
            fifo.removeFirst()
            core[0x3B] |= 0x48
        }
        let head = tag << 3 | tagCount << 1
        fifo.append([head | UInt8(head.nonzeroBitCount & 1)] + data)
    }
}
