// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Simulation

/// An MMA8452Q at register level. Written from the same facts as the driver: it finds mistakes of work, not of knowledge.
///
/// Modelled: rates, ranges, standby, STATUS, which reading the data clears. Not modelled: what is written while it measures, its interrupts.
struct SimulatedMMA8452Q: RegisterChip {
    let address: UInt8
    private let acceleration: Signal
    var core: ChipCore

    /// A chip at `address` that feels `acceleration` (in g), switched on at `start`.
    init(address: UInt8, acceleration: @escaping Signal, specimen: Specimen, start: MonotonicTime) {
        (self.address, self.acceleration) = (address, acceleration)
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x0D: 0x2A]

    mutating func store(_ value: UInt8) {
        guard core.change(core.pointer, to: value), core.pointer == 0x2A else { return }
        let rates = [800, 400, 200, 100, 50, 12.5, 6.25, 1.5625]
        core.run(rate: value & 0x01 != 0 ? rates[Int(value >> 3 & 7)] : 0)
    }

    mutating func fetch() -> UInt8 {
        if core.pointer == 0x06 { core[0x00] = 0 }
        return core[core.pointer]
    }

    mutating func measure(at moment: MonotonicTime) {
        let perG = Double(1024 >> Int(core[0x0E] & 3))
        let counts = digits(acceleration(moment) + core.noise().0, perUnit: SIMD3(repeating: perG), bits: 12)
        for (index, byte) in highFirst(counts &<< 4).enumerated() { core[UInt8(index + 1)] = byte }
        core[0x00] |= core[0x00] & 0x08 != 0 ? 0xFF : 0x0F
    }
}
