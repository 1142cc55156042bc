// SPDX-License-Identifier: Apache-2.0
import Base

/// The chips studyd knows. A new chip is one file and one word here. The board file's `chip` tables and
/// `studyd check`'s survey of buses go by it.
package enum ChipCatalog {
    /// In the order of the documentation.
    private static let drivers: [any ChipDriver.Type] = [
        LIS3DH.self, ADXL345.self, LSM6DSO.self, MPU6050.self, LSM9DS1.self, ICM20948.self,
        LIS3MDL.self, LIS2MDL.self, HMC5883L.self, QMC5883L.self, MMC5983MA.self, AK8963.self, AK09916.self,
    ]
    package static let chips = drivers.flatMap { driver in driver.models.map { ChipEntry(driver, $0) } }

    package static func chip(named name: String) throws(UnknownChip) -> ChipEntry {
        for chip in chips where chip.name.lowercased() == name.lowercased() { return chip }
        throw UnknownChip(name: name, known: chips.map(\.name))
    }
}

/// A chip of the catalog: what board files and surveys have to know of it, and how its driver is made.
package struct ChipEntry: Sendable {
    /// Makes the driver of a chip on a bus of that name; throws `SettingError` for what the
    /// chip does not have.
    package typealias Make = @Sendable (any I2CBus, String, ChipSettings) throws -> any VectorSensor

    /// The maker's name, as in board files.
    package var name: String { identity.name }
    package let kinds: [MeasureKind]
    /// Its axes form a left-handed system, so that its mounting has to mirror one of them.
    package let isLeftHanded: Bool
    package let identity: ChipIdentity
    package let make: Make

    /// A model of a driver, which puts everything that the chip measures into one stream of frames.
    init(_ driver: any ChipDriver.Type, _ model: ChipModel) {
        kinds = model.kinds
        isLeftHanded = model.isLeftHanded
        identity = model.identity
        make = { driver.init(chip: try ChipContext(bus: $0, busName: $1, settings: $2, model: model)) }
    }
}

/// A board file names a chip that is not in the catalog.
package struct UnknownChip: ExplainedError, Sendable, Hashable {
    package let name: String
    let known: [String]

    package var explanation: Explanation {
        Explanation(cause: "unknown chip \"\(name)\"", remedy: "known: \(known.joined(separator: ", "))")
    }
}
