// SPDX-License-Identifier: Apache-2.0
import Base

/// The chips studyd knows. A new chip is one file and one line here.
package enum Catalog {
    /// In the order of the documentation.
    package static let chips: [ChipEntry] = [
        lis3dh(.lis3dh), lis3dh(.lis2dh12), lis3dh(.lsm303agr), lis3dh(.lsm303dlhc),
        ChipEntry(.accelerometer, identity: ADXL345.identity) {
            try ADXL345(bus: $0, busName: $1, settings: $2)
        },
        lsm6dso(.lsm6dso), lsm6dso(.lsm6dsox),
        mpu6050(.mpu6050), mpu6050(.mpu6500), mpu6050(.mpu9250),
        ChipEntry(.accelerometer, .gyroscope, identity: LSM9DS1.identity) {
            try LSM9DS1(bus: $0, busName: $1, settings: $2)
        },
        ChipEntry(.accelerometer, .gyroscope, identity: ICM20948.identity) {
            try ICM20948(bus: $0, busName: $1, settings: $2)
        },
        lis3mdl(.lis3mdl), lis3mdl(.lsm9ds1), lis2mdl(.lis2mdl), lis2mdl(.lsm303agr),
        hmc5883l(.hmc5883l), hmc5883l(.lsm303dlhc),
        ChipEntry(.magnetometer, identity: QMC5883L.identity) {
            try QMC5883L(bus: $0, busName: $1, settings: $2)
        },
        ChipEntry(.magnetometer, identity: MMC5983MA.identity) {
            try MMC5983MA(bus: $0, busName: $1, settings: $2)
        },
        ChipEntry(.magnetometer, identity: AK8963.identity) { try AK8963(bus: $0, busName: $1, settings: $2) },
        ChipEntry(.magnetometer, identity: AK09916.identity) { try AK09916(bus: $0, busName: $1, settings: $2) },
    ]

    private static func lis3dh(_ model: LIS3DH.Model) -> ChipEntry {
        ChipEntry(.accelerometer, identity: model.identity) {
            try LIS3DH(bus: $0, busName: $1, settings: $2, model: model)
        }
    }

    private static func lsm6dso(_ model: LSM6DSO.Model) -> ChipEntry {
        ChipEntry(.accelerometer, .gyroscope, identity: model.identity) {
            try LSM6DSO(bus: $0, busName: $1, settings: $2, model: model)
        }
    }

    private static func mpu6050(_ model: MPU6050.Model) -> ChipEntry {
        ChipEntry(.accelerometer, .gyroscope, identity: model.identity) {
            try MPU6050(bus: $0, busName: $1, settings: $2, model: model)
        }
    }

    private static func lis3mdl(_ model: LIS3MDL.Model) -> ChipEntry {
        ChipEntry(.magnetometer, identity: model.identity) {
            try LIS3MDL(bus: $0, busName: $1, settings: $2, model: model)
        }
    }

    private static func lis2mdl(_ model: LIS2MDL.Model) -> ChipEntry {
        ChipEntry(.magnetometer, identity: model.identity) {
            try LIS2MDL(bus: $0, busName: $1, settings: $2, model: model)
        }
    }

    private static func hmc5883l(_ model: HMC5883L.Model) -> ChipEntry {
        ChipEntry(.magnetometer, identity: model.identity) {
            try HMC5883L(bus: $0, busName: $1, settings: $2, model: model)
        }
    }

    /// The chip of that name, whatever its capitals.
    package static func chip(named name: String) throws(UnknownChip) -> ChipEntry {
        for chip in chips where chip.name.lowercased() == name.lowercased() { return chip }
        throw UnknownChip(name: name, known: chips.map(\.name))
    }
}

package struct ChipEntry: Sendable {
    /// Makes the driver of a chip on a bus of that name; throws `SettingError` for what the
    /// chip does not have.
    package typealias Make = @Sendable (any I2CBus, String, ChipSettings) throws -> any VectorSensor

    /// The maker's name, as in board files.
    package var name: String { identity.name }
    package let kinds: [MeasureKind]
    /// Where it can be and how it is recognised.
    package let identity: ChipIdentity
    /// Makes its driver; nothing is sent yet.
    package let make: Make

    /// A chip that measures these things, all of them into one stream of frames.
    package init(_ kinds: MeasureKind..., identity: ChipIdentity, make: @escaping Make) {
        self.kinds = kinds
        self.identity = identity
        self.make = make
    }
}

/// A board file names a chip that nobody here knows.
package struct UnknownChip: ExplainedError, Sendable, Hashable {
    package let name: String
    /// The names there are.
    private let known: [String]

    /// `name` is none of `known`.
    package init(name: String, known: [String]) {
        self.name = name
        self.known = known
    }

    /// The name, and those there are.
    package var explanation: Explanation {
        Explanation(cause: "unknown chip \"\(name)\"", remedy: "known: \(known.joined(separator: ", "))")
    }
}
