// SPDX-License-Identifier: Apache-2.0
import Base

/// An AK8963, the magnetometer in the housing of an MPU-9250, at register level, which `SimulatedCatalog` puts
/// onto simulated boards.
///
/// Registers: 00h WIA, 02h ST1, 03h–08h data, 09h ST2, 0Ah CNTL1, 0Bh CNTL2, 0Ch ASTC, 10h–12h ASAX to ASAZ.
///
/// Modelled beside what all of AKM's twins have: its axes, which are not those of the housing, the
/// fuse mode in which alone the adjustments can be read, the errors that they take away, 8 and 100
/// Hz, 14 and 16 bits. Not modelled: the 100 µs between modes, self-test, the I2C disable register.
package struct SimulatedAK8963: SimulatedAKM {
    private let field: Signal
    let bypass: BypassSwitch?
    var core: ChipCore
    var isLocked = false

    /// The maker's sensitivity adjustments of X, Y, Z, which are fused into the chip.
    static let fuses: [UInt8] = [175, 179, 168]

    /// `field` is in the axes of the accelerometer in the same housing.
    package init(
        bypass: BypassSwitch? = nil, field: @escaping Signal, specimen: Specimen = Specimen(),
        start: MonotonicTime = .zero
    ) {
        self.bypass = bypass
        self.field = field
        core = ChipCore(specimen, start: start)
        begin()
    }

    let powerOn: [UInt8: UInt8] = [0x00: 0x48, 0x01: 0x9A]

    static let layout = AKMTwinLayout(status: 0x02, data: 0x03, end: 0x09, control: 0x0A, reset: 0x0B, modes: 0x0F)
    let rates = [1: 110.0, 2: 8, 6: 100]

    private var is16Bits: Bool { core[0x0A] & 0x10 != 0 }
    var endBits: UInt8 { is16Bits ? 0x10 : 0 }

    mutating func store(_ value: UInt8) {
        if core.pointer == 0x0C { core[0x0C] = value & 0x40 } else { storeMode(value) }
    }

    mutating func fetch() -> UInt8 {
        guard 0x10...0x12 ~= core.pointer else { return fetchOutput() }
        return core[0x0A] & 0x0F == 0x0F ? Self.fuses[Int(core.pointer) - 0x10] : 0
    }

    mutating func drawSample(at moment: MonotonicTime) -> SIMD3<Double> {
        let truth = field(moment) + core.oneNoise()
        return SIMD3(truth.y, truth.x, -truth.z)
    }

    func counts(_ own: SIMD3<Double>) -> SIMD3<Int32> {
        var perUnit = SIMD3<Double>()
        for axis in 0..<3 { perUnit[axis] = 256 / (Double(Self.fuses[axis]) + 128) / (is16Bits ? 0.15 : 0.6) }
        return digits(own, perUnit: perUnit, bits: is16Bits ? 16 : 14)
    }
}
