// SPDX-License-Identifier: Apache-2.0
import Base

/// The chips that have a simulated twin, by the name that board files use. `SimulatedBoard` makes a board's
/// chips from it.
package enum SimulatedCatalog {
    package struct Entry: Sendable {
        package let name: String
        /// It measures the magnetic field: then the noise of its specimen is in µT, else in g.
        package let isMagnetometer: Bool
        /// Makes one from address (ignored by chips that have only one), what it measures, its
        /// deviations, and the time at which it is switched on.
        package let make: @Sendable (UInt8, PhysicalInput, Specimen, MonotonicTime) -> any SimulatedChip

        package init(
            _ name: String, isMagnetometer: Bool = false,
            make: @escaping @Sendable (UInt8, PhysicalInput, Specimen, MonotonicTime) -> any SimulatedChip
        ) {
            self.name = name
            self.isMagnetometer = isMagnetometer
            self.make = make
        }
    }

    package static func chip(named name: String) -> Entry? { chips.first { $0.name.lowercased() == name.lowercased() } }

    /// In the order of the documentation. `$0` is the address, `$1` what is measured, `$2` the deviations, `$3` the
    /// time of switching on.
    package static let chips: [Entry] = [
        lis3dh("LIS3DH", .lis3dh), lis3dh("LIS2DH12", .lis3dh), lis3dh("LSM303AGR-accel", .lsm303agr),
        lis3dh("LSM303DLHC-accel", .lis3dh),
        Entry("ADXL345") { SimulatedADXL345(address: $0, acceleration: $1.acceleration, specimen: $2, start: $3) },
        lsm6dso("LSM6DSO"), lsm6dso("LSM6DSOX"),
        mpu6050("MPU-6050", .mpu6050), mpu6050("MPU-6500", .mpu6500), mpu6050("MPU-9250", .mpu9250),
        Entry("LSM9DS1-imu") {
            SimulatedLSM9DS1(address: $0, acceleration: $1.acceleration, rotation: $1.rotation, specimen: $2, start: $3)
        },
        Entry("ICM-20948") {
            SimulatedICM20948(
                address: $0, acceleration: $1.acceleration, rotation: $1.rotation, specimen: $2, start: $3)
        },
        Entry("LIS3MDL", isMagnetometer: true) {
            SimulatedLIS3MDL(address: $0, field: $1.field, specimen: $2, start: $3)
        },
        Entry("LSM9DS1-magn", isMagnetometer: true) {
            SimulatedLIS3MDL(address: $0, isLSM9DS1: true, field: $1.field, specimen: $2, start: $3)
        },
        Entry("LIS2MDL", isMagnetometer: true) { SimulatedLIS2MDL(field: $1.field, specimen: $2, start: $3) },
        Entry("LSM303AGR-magn", isMagnetometer: true) { SimulatedLIS2MDL(field: $1.field, specimen: $2, start: $3) },
        Entry("HMC5883L", isMagnetometer: true) { SimulatedHMC5883L(field: $1.field, specimen: $2, start: $3) },
        Entry("LSM303DLHC-magn", isMagnetometer: true) {
            SimulatedHMC5883L(isLSM303DLHC: true, field: $1.field, specimen: $2, start: $3)
        },
        Entry("QMC5883L", isMagnetometer: true) { SimulatedQMC5883L(field: $1.field, specimen: $2, start: $3) },
        Entry("MMC5983MA", isMagnetometer: true) { SimulatedMMC5983MA(field: $1.field, specimen: $2, start: $3) },
        Entry("AK8963", isMagnetometer: true) { SimulatedAK8963(field: $1.field, specimen: $2, start: $3) },
        Entry("AK09916", isMagnetometer: true) { SimulatedAK09916(field: $1.field, specimen: $2, start: $3) },
    ]

    private static func lis3dh(_ name: String, _ digits: SimulatedLIS3DH.Digits) -> Entry {
        Entry(name) {
            SimulatedLIS3DH(
                address: $0, digits: digits, hasTurnOnTime: true, acceleration: $1.acceleration,
                temperature: $1.temperature, specimen: $2, start: $3)
        }
    }

    private static func lsm6dso(_ name: String) -> Entry {
        Entry(name) {
            SimulatedLSM6DSO(address: $0, acceleration: $1.acceleration, rotation: $1.rotation, specimen: $2, start: $3)
        }
    }

    private static func mpu6050(_ name: String, _ kind: SimulatedMPU6050.Kind) -> Entry {
        Entry(name) {
            SimulatedMPU6050(
                kind, address: $0, acceleration: $1.acceleration, rotation: $1.rotation, specimen: $2, start: $3)
        }
    }
}
