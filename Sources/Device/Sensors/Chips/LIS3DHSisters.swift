// SPDX-License-Identifier: Apache-2.0

/// Accelerometers with an LIS3DH's registers. All read the same identity, and what differs is the
/// value of a digit: a board file must name the chip that is fitted.
extension LIS3DH.Model {
    /// ST LIS2DH12. Source: ST's lis2dh12_reg.h.
    package static let lis2dh12 = LIS3DH.Model("LIS2DH12", addresses: [0x18, 0x19], pin: "SA0", milliG: [1, 2, 4, 12])
    /// The accelerometer of ST's LSM303AGR. Source: ST's lsm303agr_reg.c.
    package static let lsm303agr = LIS3DH.Model("LSM303AGR-accel", addresses: [0x19], milliG: [0.98, 1.95, 3.9, 11.72])
    /// The accelerometer of ST's LSM303DLHC, whose identity register no document names. Registers
    /// below CTRL_REG1 are reserved in it and not written [M]. Source: the kernel's
    /// st_accel_core.c.
    package static let lsm303dlhc = LIS3DH.Model(
        "LSM303DLHC-accel", addresses: [0x19], milliG: [1, 2, 4, 12], hasConverter: false)
}
