// SPDX-License-Identifier: Apache-2.0

/// An inertial sensor with a magnetometer of another maker in its housing, which is at 0x0C of the same bus
/// while the housing's bypass switch is closed. `AKMMagnetometer` and `BusSurvey` look for one.
///
/// The switch is a bit in a register of the host, lost when the host loses power; the magnetometer's
/// driver closes it (`registerFault(behind:)`). Facts from the kernel's inv_mpu6050 and SparkFun's
/// ICM-20948 registers. A host that sleeps is woken first, since the switch may not work in sleep.
struct BypassHost: Sendable, Hashable {
    let name: String
    /// The magnetometer's name.
    let guest: String
    let addresses: [UInt8]
    /// WHO_AM_I and the values that it may read.
    let identity: (register: UInt8, values: [UInt8])
    /// PWR_MGMT_1: b6 SLEEP, b2:0 clock.
    let powerRegister: UInt8
    /// USER_CTRL: b5 I2C_MST_EN, which excludes the bypass.
    let userControl: UInt8
    /// INT_PIN_CFG: b1 BYPASS_EN.
    let pinRegister: UInt8

    /// MPU-9250 and MPU-9255.
    static let mpu9250 = BypassHost(
        name: "MPU-9250", guest: "AK8963", addresses: [0x68, 0x69], identity: (0x75, [0x71, 0x73]), powerRegister: 0x6B,
        userControl: 0x6A, pinRegister: 0x37)
    /// Registers of bank 0, which power-on selects; in another bank its identity is not to be seen.
    static let icm20948 = BypassHost(
        name: "ICM-20948", guest: "AK09916", addresses: [0x68, 0x69], identity: (0x00, [0xEA]), powerRegister: 0x06,
        userControl: 0x03, pinRegister: 0x0F)
    static let all = [mpu9250, icm20948]

    static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Closes the switch of the host on this bus. False when no host answers, and when it had to be
    /// woken first: it takes no writes for some milliseconds, so that only a later call closes the
    /// switch. Nothing is written before the identity is found right; a host that measures goes on
    /// measuring.
    func closeSwitch(on bus: any I2CBus) throws(I2CError) -> Bool {
        for address in addresses where !bus.isTakenByKernel(address) {
            let read = try? bus.read(address, register: identity.register, count: 1)
            guard let value = read?.first, identity.values.contains(value) else { continue }
            return try closeSwitch(bus, address)
        }
        return false
    }

    private func closeSwitch(_ bus: any I2CBus, _ address: UInt8) throws(I2CError) -> Bool {
        let power = try bus.read(address, register: powerRegister, count: 1)
        guard power.first.map({ $0 & 0x40 == 0 }) ?? false else {
            try bus.write(address, register: powerRegister, 0x01)
            return false
        }
        let user = try bus.read(address, register: userControl, count: 1).first ?? 0
        if user & 0x20 != 0 { try bus.write(address, register: userControl, user & ~0x20) }
        let pin = try bus.read(address, register: pinRegister, count: 1).first ?? 0
        if pin & 0x02 == 0 { try bus.write(address, register: pinRegister, pin | 0x02) }
        return true
    }
}

extension VectorSensor {
    /// Reads the identity; without an answer, closes the switch of the housing's inertial sensor
    /// and reads again.
    func registerFault(behind host: BypassHost) -> SensorFault.Cause? {
        let cause = registerFault()
        guard case .bus(.noAcknowledge)? = cause else { return cause }
        do throws(I2CError) {
            return try host.closeSwitch(on: bus) ? registerFault() : cause
        } catch {
            return .bus(error)
        }
    }
}
