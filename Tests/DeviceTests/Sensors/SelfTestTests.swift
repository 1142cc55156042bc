// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Device

@Suite struct SelfTestTests {
    static let names = [
        "LIS3DH", "LIS2DH12", "LSM303AGR-accel", "ADXL345", "LSM6DSO", "LSM6DSOX", "MPU-6050", "MPU-6500", "MPU-9250",
        "ICM-20948",
        "LSM9DS1-imu", "LIS3MDL", "LSM9DS1-magn", "LIS2MDL", "LSM303AGR-magn", "HMC5883L",
    ]

    /// A chip at rest in the field of Europe; its elements follow a self-test by `response`.
    private func rig(_ name: String, response: Double) throws -> (Rig, any VectorSensor) {
        let entry = try ChipCatalog.chip(named: name)
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let surroundings = PhysicalInput(
            acceleration: { _ in SIMD3(0.1, -0.2, 0.97) }, rotation: { _ in SIMD3(1, -2, 0.5) },
            field: { _ in SIMD3(18, -5, 42) })
        let chip = twin.make(
            entry.identity.addresses[0], surroundings, Specimen(rateError: 0.03, response: response), .zero)
        let rig = try Rig([chip]) { try entry.make($0, "i2c-1", ChipSettings()) }
        return (rig, try entry.make(rig.bus, "i2c-1", ChipSettings()))
    }

    private func pause(_ rig: Rig) -> (Duration) -> Void { { rig.hand.now = rig.hand.now + $0 } }

    @Test(arguments: names) func aSoundChipPasses(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 1)
        let report = try #require(try sensor.selfTest(pause: pause(rig)))
        #expect(report.hasPassed && report.axes.map(\.name) == sensor.source.channels.map(\.name), "\(report)")
        #expect(report.description == "\(sensor.place.location): \(name) passed its self-test")
        #expect(rig.hand.now < at(2))
    }

    @Test(arguments: names) func aStuckElementIsFoundAndNamed(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 0.01)
        let report = try #require(try sensor.selfTest(pause: pause(rig)))
        #expect(report.axes.allSatisfy { !$0.hasPassed }, "\(report)")
        #expect(report.description.contains("\(report.axes[0].name) changed by"))
    }

    /// An MPU-6050 may differ from its factory trim by 14 % (its product specification, 6.1 and 6.2); InvenSense's
    /// driver of the later chips wants half of the maker's answer at least, and of the accelerometer one and a half
    /// times at most. An element that moves the other way is none that follows.
    @Test(
        arguments: ["MPU-6050", "MPU-6500", "MPU-9250", "ICM-20948"],
        [-1, 0.49, 0.51, 0.85, 0.87, 1.13, 1.15, 1.49, 1.51])
    func anAnswerIsHeldAgainstTheMakers(_ name: String, response: Double) throws {
        let (rig, sensor) = try rig(name, response: response)
        let report = try #require(try sensor.selfTest(pause: pause(rig)))
        let isFirst = name == "MPU-6050"
        let passes: (gyro: Bool, accel: Bool) =
            isFirst
            ? ((0.86...1.14).contains(response), (0.86...1.14).contains(response))
            : (response >= 0.5, (0.5...1.5).contains(response))
        for axis in report.axes {
            #expect(axis.hasPassed == (axis.name.hasPrefix("gyro") ? passes.gyro : passes.accel), "\(axis)")
        }
        #expect(report.axes.count == 6 && report.hasPassed == (passes.gyro && passes.accel))
    }

    /// ST's limits are of the size alone; those of the other two say which way an element moves.
    @Test(arguments: [
        ("ADXL345", false), ("HMC5883L", false), ("LIS3DH", true), ("LSM6DSO", true), ("LIS2MDL", true),
    ])
    func anElementThatMovesTheOtherWayPassesWhereItsMakerNamesASize(_ name: String, passes: Bool) throws {
        let (rig, sensor) = try rig(name, response: -1)
        let report = try #require(try sensor.selfTest(pause: pause(rig)))
        #expect(report.axes.allSatisfy { $0.hasPassed == passes }, "\(report)")
    }

    /// InvenSense's AN-MPU-9250A-03, section 3: code 2 in registers 1Ah and 1Dh, of which an MPU-6050 has the first. Its
    /// set-up for 100 Hz has code 3.
    @Test(arguments: [("MPU-6050", []), ("MPU-6500", [2, 3]), ("MPU-9250", [2, 3])] as [(String, [UInt8])])
    func theAccelerometerIsFilteredAsInTheMakersTest(_ name: String, _ codes: [UInt8]) throws {
        let (rig, sensor) = try rig(name, response: 1)
        _ = try sensor.selfTest(pause: pause(rig))
        func written(_ register: UInt8) -> [UInt8] {
            rig.bus.log.compactMap { entry in
                guard case .write(let bytes)? = entry.operations.first, bytes.count == 2, bytes[0] == register else {
                    return nil
                }
                return bytes[1]
            }
        }
        #expect(written(0x1A) == [2, 3] && written(0x1D) == codes)
    }

    /// 68 to 1440 mg: ST's lis3dh_self_test.c, lis2dh12_self_test.c and lsm303agr_self_test.c
    /// (STMems_Standard_C_drivers, 98b62f0e).
    @Test(arguments: ["LIS3DH", "LIS2DH12", "LSM303AGR-accel"])
    func theLimitsOfAnAccelerometerAreItsMakers(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 1)
        let report = try #require(try sensor.selfTest(pause: pause(rig)))
        #expect(report.axes.map(\.allowed) == [0.068...1.44, 0.068...1.44, 0.068...1.44])
    }

    /// A check that is killed in the middle of a test leaves the force on. InvenSense's Icm20948SelfTest.c
    /// (`inv_setup_selftest`) writes GYRO_CONFIG_2 and ACCEL_CONFIG_2 before it measures without.
    @Test(arguments: names) func aTestThatWasCutOffDoesNotSpoilTheNext(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 1)
        let recipe = try #require((sensor as? any SelfTesting)?.selfTestRecipe)
        try sensor.wakeUp()
        rig.hand.now = at(0.1)
        try sensor.write((recipe.quiet ?? []) + recipe.excited)
        rig.hand.now = at(0.2)
        let report = try #require(try sensor.selfTest(pause: pause(rig)))
        #expect(report.hasPassed, "\(report)")
    }

    /// Afterwards it measures as if nothing had been.
    @Test(arguments: names) func theChipIsSetUpAgain(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 1)
        _ = try sensor.selfTest(pause: pause(rig))
        #expect(try sensor.isSetUp())
        rig.hand.now = rig.hand.now + .seconds(1)
        rig.run(until: rig.hand.now + .seconds(3))
        let plausible = Plausibility.check(rig.frames, of: sensor.source)
        #expect(plausible.count == 1 && plausible[0].isPlausible, "\(plausible)")
        #expect(rig.counters.errors == 0)
    }

    /// And then a period before each sample, of which the first is thrown away.
    @Test(arguments: names) func theOutputSettlesBeforeEachHalfOfTheTest(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 1)
        let chip = try #require(sensor as? any SelfTesting)
        let recipe = try #require(chip.selfTestRecipe)
        var pauses: [Duration] = []
        _ = try sensor.selfTest { time in
            pauses.append(time)
            rig.hand.now = rig.hand.now + time
        }
        let half = [recipe.settling] + [Duration](repeating: recipe.period, count: recipe.samples + 1)
        let wakeUp = sensor.wakeUpTime.map { [$0] } ?? []
        #expect(recipe.settling > .zero && pauses == wakeUp + (recipe.quiet == nil ? half : half + half))
    }

    @Test(arguments: names) func aFailureInTheMiddleStillSetsTheChipUp(_ name: String) throws {
        let (rig, sensor) = try rig(name, response: 1)
        let address = try ChipCatalog.chip(named: name).identity.addresses[0]
        var pauses = 0
        let fault = #expect(throws: SensorFault.self) {
            try sensor.selfTest { time in
                pauses += 1
                if pauses == 3 {
                    rig.bus.inject(
                        .noAcknowledge(
                            address: address, during: rig.hand.now + time..<rig.hand.now + time + .nanoseconds(1)))
                }
                rig.hand.now = rig.hand.now + time
            }
        }
        #expect(fault?.cause == .bus(.noAcknowledge(address: address)))
        rig.hand.now = rig.hand.now + .seconds(1)
        _ = try sensor.selfTest(pause: pause(rig))
        #expect(try sensor.isSetUp())
    }

    @Test(arguments: names) func aStrangerIsNotTested(_ name: String) throws {
        let entry = try ChipCatalog.chip(named: name)
        let bus = SimulatedI2CBus(chips: [Stranger(address: entry.identity.addresses[0])], keepsLog: true) { .zero }
        let sensor = try entry.make(bus, "i2c-1", ChipSettings())
        #expect(throws: SensorFault.self) { try sensor.selfTest { _ in } }
        #expect(!bus.log.isEmpty && bus.log.allSatisfy { $0.operations.allSatisfy { !$0.writesData } })
    }

    @Test func chipsWithoutATestSaySo() throws {
        let bus = SimulatedI2CBus(chips: []) { .zero }
        for entry in ChipCatalog.chips {
            let sensor = try entry.make(bus, "i2c-1", ChipSettings())
            let hasSelfTest = (sensor as? any SelfTesting)?.selfTestRecipe != nil
            #expect(hasSelfTest == Self.names.contains(entry.name), "\(entry.name)")
            if !hasSelfTest { #expect(try sensor.selfTest { _ in } == nil) }
        }
    }
}
