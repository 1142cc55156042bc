// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// Chips' thermometers, by ST's drivers (lis3dh_reg.c, lsm6dso_reg.c, lsm9ds1_reg.c: lsb / 256 +
/// 25, lsb / 16 + 25), InvenSense's register maps (counts / 340 + 36.53, counts / 333.87 + 21) and
/// the kernel's inv_mpu_iio.h; the twins have the one, the drivers the other.
@Suite struct TemperatureTests {
    private static let still: Signal = { _ in SIMD3(0, 0, 1) }
    private static let chips: [(name: String, make: @Sendable (Specimen) -> any SimulatedChip, step: Double)] = [
        ("LIS3DH", { SimulatedLIS3DH(acceleration: still, specimen: $0) }, 0.25),
        ("LSM6DSO", { SimulatedLSM6DSO(acceleration: still, rotation: still, specimen: $0) }, 0.01),
        ("LSM9DS1-imu", { SimulatedLSM9DS1(acceleration: still, rotation: still, specimen: $0) }, 0.07),
        ("MPU-6050", { SimulatedMPU6050(acceleration: still, rotation: still, specimen: $0) }, 0.02),
        ("MPU-6500", { SimulatedMPU6050(.mpu6500, acceleration: still, rotation: still, specimen: $0) }, 0.02),
        ("ICM-20948", { SimulatedICM20948(acceleration: still, rotation: still, specimen: $0) }, 0.02),
    ]

    @Test(arguments: 0..<6, [31.5, -7.25, 60]) func itIsReadOnceAMinuteWithTheSamples(chip: Int, degrees: Double) throws
    {
        let (name, make, step) = Self.chips[chip]
        var specimen = Specimen()
        specimen.temperature = degrees
        let rig = try Rig([make(specimen)], sensor: name)
        #expect(rig.device.source.temperature != .none)
        rig.run(until: .zero + .seconds(150))
        let readings = rig.frames.compactMap(\.temperature)
        #expect(readings.count == 3 && rig.frames.first?.temperature != nil, "\(readings)")
        #expect(readings.allSatisfy { abs($0 - degrees) <= step }, "\(name): \(readings)")
    }

    @Test func aChipWithoutAThermometerGivesNone() throws {
        let rig = try Rig([SimulatedADXL345(acceleration: Self.still)], sensor: "ADXL345")
        rig.run(until: .zero + .seconds(5))
        #expect(rig.device.source.temperature == .none && !rig.frames.isEmpty)
        #expect(rig.frames.allSatisfy { $0.temperature == nil })
    }

    /// Its room is that which the alignment of the values leaves.
    @Test func aFrameIsAsLargeAsBefore() { #expect(MemoryLayout<VectorFrame>.stride == 64) }
}
