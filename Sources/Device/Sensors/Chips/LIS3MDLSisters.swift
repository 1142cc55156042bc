// SPDX-License-Identifier: Apache-2.0

/// Magnetometers with an LIS3MDL's registers and identity; a board file must name the
/// one that is fitted.
extension LIS3MDL.Model {
    /// The magnetometer of ST's LSM9DS1: 0.14, 0.29, 0.43 and 0.58 mG per count (ST's
    /// lsm9ds1_reg.c). Its X axis runs against the accelerometer's; values are kept as the
    /// chip gives them.
    package static let lsm9ds1 = LIS3MDL.Model("LSM9DS1-magn", pin: "SDO_M", microtesla: [0.014, 0.029, 0.043, 0.058])
}
