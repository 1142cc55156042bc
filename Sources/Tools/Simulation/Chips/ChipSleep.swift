// SPDX-License-Identifier: Apache-2.0
import Base

/// The sleep in which InvenSense's chips (`SimulatedMPU6050`, `SimulatedICM20948`) begin, and in which they
/// ignore most writes.
///
/// Source: the kernel's drivers/iio/imu/inv_mpu6050/inv_mpu_iio.h, by which the
/// driver waits INV_MPU6050_REG_UP_TIME_MIN (5 ms) to _MAX (10 ms) between ending the sleep and
/// the next register.
struct ChipSleep: Sendable {
    private static let upTime = Duration.milliseconds(5)
    /// From this time on it takes writes; nil while it sleeps.
    private var listening: MonotonicTime?

    /// PWR_MGMT_1 was written, with SLEEP set or not. A chip that is awake does not wake up again.
    mutating func set(_ isAsleep: Bool, at now: MonotonicTime) {
        listening = isAsleep ? nil : listening ?? now + Self.upTime
    }

    /// Whether a register keeps what is written now.
    func listens(at now: MonotonicTime) -> Bool { listening.map { $0 <= now } ?? false }
}
