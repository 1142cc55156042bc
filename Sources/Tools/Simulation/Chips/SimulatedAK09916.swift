// SPDX-License-Identifier: Apache-2.0
import Base

/// An AK09916, the magnetometer in the housing of an ICM-20948, at register level, which `SimulatedCatalog`
/// puts onto simulated boards.
///
/// Modelled beside what all of AKM's twins have: its axes, of which Y and Z are opposite to the
/// housing's [M], the rates. Not modelled: the 100 µs between modes, self-test.
package struct SimulatedAK09916: SimulatedAKM {
    private let field: Signal
    let bypass: BypassSwitch?
    var core: ChipCore
    var isLocked = false

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

    /// WIA1, AKM's company id, and WIA2, the chip's.
    let powerOn: [UInt8: UInt8] = [0x00: 0x48, 0x01: 0x09]

    static let layout = AKMTwinLayout(status: 0x10, data: 0x11, end: 0x18, control: 0x31, reset: 0x32, modes: 0x1F)
    /// Hertz by CNTL2 mode; 1 is a single measurement, which takes about 9 ms.
    let rates = [1: 110.0, 2: 10, 4: 20, 6: 50, 8: 100]

    /// The field in µT in the chip's own axes, with noise.
    mutating func drawSample(at moment: MonotonicTime) -> SIMD3<Double> {
        let truth = field(moment) + core.oneNoise()
        return SIMD3(truth.x, -truth.y, -truth.z)
    }

    /// One count is 0.15 µT.
    func counts(_ own: SIMD3<Double>) -> SIMD3<Int32> { digits(own, perUnit: SIMD3(repeating: 1 / 0.15)) }
}
