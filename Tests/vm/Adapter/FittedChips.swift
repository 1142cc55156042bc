// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation

/// Chips as a test names them, `LIS3DH@0x18`, made and wired: in one world, at one time.
struct FittedChips {
    /// What the motor of a DRV2605L does.
    let motor = SimulatedDRV2605L.Motor()
    private(set) var chips: [any SimulatedChip] = []
    private let surroundings: PhysicalInput
    private let start: MonotonicTime

    /// Throws with the words of a mistake.
    init(_ texts: [String], _ surroundings: PhysicalInput, _ start: MonotonicTime) throws(AdapterError) {
        self.surroundings = surroundings
        self.start = start
        var named: [(name: String, address: UInt8)] = []
        for text in texts { named.append(try Self.parse(text)) }
        let names = Set(named.map { $0.name.uppercased() })
        for (name, address) in named { chips.append(try chip(name, address, names)) }
    }

    private static func parse(_ text: String) throws(AdapterError) -> (name: String, address: UInt8) {
        let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
        guard parts.count == 2, let address = usb_i2c_adapter.parse(address: parts[1]) else {
            throw AdapterError("'\(text)' is no chip; write for instance LIS3DH@0x18")
        }
        return (parts[0], address)
    }

    private func chip(
        _ name: String, _ address: UInt8, _ names: Set<String>
    ) throws(AdapterError) -> any SimulatedChip {
        if name.uppercased() == "DRV2605L" { return SimulatedDRV2605L(motor: motor, start: start) }
        if let chip = housed(name.uppercased(), address, names) { return chip }
        guard let entry = SimulatedCatalog.chip(named: name) else {
            throw AdapterError(
                "no chip is called \(name); known: DRV2605L, \(SimulatedCatalog.chips.map(\.name).joined(separator: ", "))"
            )
        }
        return entry.make(address, surroundings, entry.isMagnetometer ? Self.magnetometer : Self.inertial, start)
    }

    /// A magnetometer in the housing of another chip, and that other chip: the one is on the bus
    /// while the other's switch is closed.
    private func housed(_ name: String, _ address: UInt8, _ names: Set<String>) -> (any SimulatedChip)? {
        switch name {
        case "MPU-9250":
            SimulatedMPU6050(
                .mpu9250, address: address, bypass: bypass, acceleration: surroundings.acceleration,
                rotation: surroundings.rotation, specimen: Self.inertial, start: start)
        case "ICM-20948":
            SimulatedICM20948(
                address: address, bypass: bypass, acceleration: surroundings.acceleration,
                rotation: surroundings.rotation,
                specimen: Self.inertial, start: start)
        case "AK8963" where names.contains("MPU-9250"):
            SimulatedAK8963(bypass: bypass, field: surroundings.field, specimen: Self.magnetometer, start: start)
        case "AK09916" where names.contains("ICM-20948"):
            SimulatedAK09916(bypass: bypass, field: surroundings.field, specimen: Self.magnetometer, start: start)
        default: nil
        }
    }

    private let bypass = BypassSwitch()
    /// Specimens as the simulated board has them: off their nominal rate, and not silent.
    private static let magnetometer = Specimen(rateError: -0.004, noise: 0.3, seed: 2)
    private static let inertial = Specimen(noise: 0.002)
}
