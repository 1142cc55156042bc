// SPDX-License-Identifier: Apache-2.0

/// The self-test of the MPU family: the maker measured each chip's response to the force and wrote it
/// into the chip, as a code.
extension MPU6050: SelfTesting {
    /// Bits 7:5 of GYRO_CONFIG and ACCEL_CONFIG, at ±250 deg/s and the range for which the response
    /// was measured: ±8 g for an MPU-6050, else ±2 g. 1 kHz, both sensors filtered to 94 Hz (an MPU-9250's
    /// note AN-MPU-9250A-03, section 3).
    var selfTestRecipe: SelfTestRecipe? {
        let accelerometer: UInt8 = isMPU6050 ? 0x10 : 0x00
        let quiet: RegisterWrites = [
            (Register.PWR_MGMT_1, 0x01), (Register.PWR_MGMT_2, 0x00), (Register.FIFO_EN, 0x00),
            (Register.SMPLRT_DIV, 0), (Register.CONFIG, 2), (Register.ACCEL_CONFIG2, 2),
            (Register.GYRO_CONFIG, 0x00), (Register.ACCEL_CONFIG, accelerometer),
        ]
        return SelfTestRecipe(
            quiet: quiet.filter { !isMPU6050 || $0.register != Register.ACCEL_CONFIG2 },
            excited: [(Register.GYRO_CONFIG, 0xE0), (Register.ACCEL_CONFIG, 0xE0 | accelerometer)],
            settling: .milliseconds(100), period: .milliseconds(2), samples: 50,
            outputs: [(Register.GYRO_XOUT_H, 6), (Register.ACCEL_XOUT_H, 6)],
            channels: Channel.rotation(scale: 1 / 131.0)
                + Channel.acceleration(scale: isMPU6050 ? 1 / 4096.0 : 1 / 16384.0),
            comparesSize: false
        ) { bigEndian($0, at: 0, axes: 6) }
    }

    func selfTestLimits() throws(I2CError) -> [ClosedRange<Double>] {
        isMPU6050 ? try mpu6050Limits() : try mpu6500Limits()
    }

    /// Within 14 % of the factory's response: 25·1.046^(n−1) deg/s, Y negative, and
    /// 0.34·(0.92/0.34)^((n−1)/30) g [M]. Without a code (n = 0) whatever any code allows.
    private func mpu6050Limits() throws(I2CError) -> [ClosedRange<Double>] {
        let codes = try read(Register.SELF_TEST_X, count: 4)
        let gyroscope = (0..<3).map { axis in
            let limits = allowedChange(codes[axis] & 0x1F, base: 25, factor: 1.046, most: 31, tolerance: 0.14...0.14)
            return axis == 1 ? -limits.upperBound...(-limits.lowerBound) : limits
        }
        let accelerometer = (0..<3).map { axis in
            let code = codes[axis] >> 3 & 0x1C | codes[3] >> UInt8(4 - 2 * axis) & 0x03
            return allowedChange(code, base: 0.34, factor: 1.033_738, most: 31, tolerance: 0.14...0.14)
        }
        return gyroscope + accelerometer
    }

    private func mpu6500Limits() throws(I2CError) -> [ClosedRange<Double>] {
        factoryLimits(
            gyroscope: try read(Register.SELF_TEST_X_GYRO, count: 3),
            accelerometer: try read(Register.SELF_TEST_X, count: 3))
    }
}

/// The self-test of the ICM-20948, with codes as an MPU-6500's, in bank 1 [M].
extension ICM20948: SelfTesting {
    /// GYRO_CONFIG_2 b5:3 and ACCEL_CONFIG_2 b4:2 of bank 2, at ±250 deg/s and ±2 g; 1125 Hz,
    /// filtered to about 110 Hz.
    var selfTestRecipe: SelfTestRecipe? {
        let bank = Register.REG_BANK_SEL
        return SelfTestRecipe(
            quiet: [
                (bank, 0x00), (Register.PWR_MGMT_1, 0x01), (Register.PWR_MGMT_2, 0x00), (Register.USER_CTRL, 0x00),
                (bank, 0x20), (Bank2.GYRO_SMPLRT_DIV, 0), (Bank2.GYRO_CONFIG_1, 0x11), (Bank2.ACCEL_SMPLRT_DIV_1, 0),
                (Bank2.ACCEL_SMPLRT_DIV_2, 0), (Bank2.ACCEL_CONFIG, 0x11), (Bank2.GYRO_CONFIG_2, 0x00),
                (Bank2.ACCEL_CONFIG_2, 0x00), (bank, 0x00),
            ],
            excited: [(bank, 0x20), (Bank2.GYRO_CONFIG_2, 0x38), (Bank2.ACCEL_CONFIG_2, 0x1C), (bank, 0x00)],
            settling: .milliseconds(100), period: .milliseconds(2), samples: 50,
            outputs: [(Register.GYRO_XOUT_H, 6), (Register.ACCEL_XOUT_H, 6)],
            channels: Channel.rotation(scale: 1 / 131.0) + Channel.acceleration(scale: 1 / 16384.0), comparesSize: false
        ) { bigEndian($0, at: 0, axes: 6) }
    }

    func selfTestLimits() throws(I2CError) -> [ClosedRange<Double>] {
        try write([(Register.REG_BANK_SEL, 0x10)])
        let gyroscope = try read(Bank1.SELF_TEST_X_GYRO, count: 3)
        let accelerometer = try read(Bank1.SELF_TEST_X_ACCEL, count: 3)
        try write([(Register.REG_BANK_SEL, 0x00)])
        return factoryLimits(gyroscope: gyroscope, accelerometer: accelerometer)
    }
}

/// Half to three times the factory's response, 2620·1.01^(n−1) counts at ±250 deg/s and ±2 g, for
/// the gyroscope; half to one and a half times for the accelerometer. Without a code (n = 0) 60
/// deg/s at least, and 0.225 to 0.675 g. As in InvenSense's driver; the upper ends for the
/// gyroscope are ours.
private func factoryLimits(gyroscope: [UInt8], accelerometer: [UInt8]) -> [ClosedRange<Double>] {
    gyroscope.map { $0 == 0 ? 60...240 : allowedChange($0, base: 20, factor: 1.01, most: 255, tolerance: 0.5...2) }
        + accelerometer.map {
            $0 == 0
                ? 0.225...0.675 : allowedChange($0, base: 2620 / 16384.0, factor: 1.01, most: 255, tolerance: 0.5...0.5)
        }
}

/// base·factor^(code−1), less and plus these parts of it; for code 0 from the limits of code 1 to those of
/// code `most`.
private func allowedChange(
    _ code: UInt8, base: Double, factor: Double, most: UInt8, tolerance: ClosedRange<Double>
) -> ClosedRange<Double> {
    func response(_ code: UInt8) -> Double { (1..<max(1, code)).reduce(base) { value, _ in value * factor } }
    let (low, high) = code == 0 ? (response(1), response(most)) : (response(code), response(code))
    return low * (1 - tolerance.lowerBound)...high * (1 + tolerance.upperBound)
}
