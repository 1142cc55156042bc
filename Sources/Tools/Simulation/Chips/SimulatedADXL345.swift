// SPDX-License-Identifier: Apache-2.0
import Base

/// An ADXL345 at register level, which `SimulatedCatalog` puts onto simulated boards.
///
/// From other sources: 5 µs must pass from the end of reading a sample to the start of the next, or
/// the FIFO has not popped (datasheet Rev E, p. 21, and that of the sibling ADXL313, Rev C, p.
/// 16): what is read sooner is the sample before. Addressing at 400 kHz, the fastest the chip
/// can, takes longer. 33 entries at most: 32 of the FIFO and one in the output filter (datasheet, "Entries Bits").
///
/// Registers: 00h DEVID, 2Ch BW_RATE, 2Dh POWER_CTL, 2Eh INT_ENABLE, 2Fh INT_MAP, 30h INT_SOURCE, 31h DATA_FORMAT,
/// 32h–37h data, 38h FIFO_CTL, 39h FIFO_STATUS.
///
/// Modelled: the FIFO's bypass, FIFO and stream modes, one sample popped when all six data
/// registers were read, entries, watermark and overrun flags, rates, ranges with and without
/// FULL_RES. Not modelled: the effect of offsets, trigger mode, taps, activity, left justification. The
/// force of a self-test is 1, −1 and 1.5 g.
package struct SimulatedADXL345: RegisterChip {
    package let address: UInt8
    private let acceleration: Signal
    var core: ChipCore
    private var fifo = Self.blank
    private static let blank = SampleFIFO(blank: [UInt8](repeating: 0, count: 6), capacity: 33)
    /// Bus time since a sample was popped: less than `popTime`, and `popped` is read once more.
    private var sincePop = Duration.seconds(1)
    private var popped = [UInt8](repeating: 0, count: 6)
    private static let popTime = Duration.microseconds(5)

    package init(
        address: UInt8 = 0x53, acceleration: @escaping Signal, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        self.address = address
        self.acceleration = acceleration
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x00: 0xE5, 0x2C: 0x0A, 0x30: 0x02]

    mutating func forget() {
        fifo = Self.blank
        sincePop = .seconds(1)
    }

    /// Time in which the FIFO pops.
    package mutating func workDuringAddressing(_ time: Duration) { sincePop += time }

    /// INT_ENABLE b1 puts the watermark on INT1, unless INT_MAP b1 puts it on INT2.
    var isPinHigh: Bool {
        core[0x2E] & 0x02 != 0 && core[0x2F] & 0x02 == 0 && !fifo.isEmpty && fifo.count >= Int(core[0x38] & 0x1F)
    }

    mutating func store(_ value: UInt8) {
        switch core.pointer {
        case 0x2C, 0x2D:
            guard core.change(core.pointer, to: value) else { return }
            let isMeasuring = core[0x2D] & 0x08 != 0
            core.run(rate: isMeasuring ? 3200 / Double(1 << (15 - Int(core[0x2C] & 15))) : 0)
        case 0x38:
            core[0x38] = value
            if value >> 6 == 0 { fifo.empty() }
        case 0x1D...0x2A, 0x2E, 0x2F, 0x31:
            core[core.pointer] = value
        default:
            break  // read-only or reserved
        }
    }

    mutating func fetch() -> UInt8 {
        switch core.pointer {
        case 0x30:
            let watermark = Int(core[0x38] & 0x1F)
            return core[0x30] & 0x81 | (fifo.count >= watermark ? 0x02 : 0)
        case 0x32...0x37:
            let isEarly = sincePop < Self.popTime
            let byte = (isEarly ? popped : fifo.front)[Int(core.pointer - 0x32)]
            core[0x30] &= ~0x81  // reading data clears DATA_READY and OVERRUN
            if core.pointer == 0x37, !isEarly {
                popped = fifo.front
                sincePop = .zero
                fifo.removeFront()
            }
            return byte
        case 0x39: return UInt8(fifo.count)
        case let register: return core[register]
        }
    }

    mutating func measure(at moment: MonotonicTime) {
        let range = Int(core[0x31] & 3)
        let isFull = core[0x31] & 0x08 != 0
        let perG = isFull ? 256.0 : 256.0 / Double(1 << range)
        let force = core[0x31] & 0x80 != 0 ? SIMD3(1, -1, 1.5) * core.specimen.response : .zero
        let value = acceleration(moment) + core.oneNoise() + force
        let sample = lowFirst(digits(value, perUnit: SIMD3(repeating: perG), bits: isFull ? 10 + range : 10))
        core[0x30] |= 0x80
        let mode = core[0x38] >> 6
        if !fifo.push(sample, mode == 0 ? .bypass : mode == 1 ? .stopping : .streaming) { core[0x30] |= 0x01 }
    }
}
