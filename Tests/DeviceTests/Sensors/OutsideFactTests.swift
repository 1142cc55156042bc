// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Synchronization
import Testing

/// What makers, kernel drivers and users say of the chips, which the drivers must survive. Each
/// twin names its source.
@Suite struct OutsideFactTests {
    /// What a chip feels, moved by the test.
    private final class Strength: Sendable {
        private let value = Mutex(1.0)
        func set(_ new: Double) { value.withLock { $0 = new } }
        func callAsFunction() -> Double { value.withLock { $0 } }
    }

    /// i2cdevlib, issue 531: what is written to an MPU-6050 that sleeps is not set. A driver that
    /// writes at once would measure at ±2 g and take it for the range it asked for.
    @Test(arguments: ["MPU-6050", "MPU-6500", "MPU-9250", "ICM-20948"])
    func aChipThatSleepsIsWokenBeforeItIsSetUp(_ name: String) throws {
        let surroundings = PhysicalInput(
            acceleration: { _ in SIMD3(1, -0.5, 0.25) }, rotation: { _ in SIMD3(10, -20, 30) }, field: { _ in .zero })
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(0x68, surroundings, Specimen(), .zero)], sensor: name)
        rig.run(until: at(2))
        #expect(rig.counters.setUps == 1 && rig.counters.errors == 0 && rig.frames.count > 100)
        let channels = rig.device.source.channels
        let last = try #require(rig.frames.last)
        for (index, value) in [10, -20, 30, 1, -0.5, 0.25].enumerated() {
            #expect(abs(channels[index].value(last.values[index]) - value) <= channels[index].scale)
        }
    }

    /// The kernel's inv_mpu_core.c has the registers of an MPU-6500 for both, and inv_mpu_iio.h WHO_AM_I 0x71 and 0x73.
    @Test(
        arguments: [
            (SimulatedMPU6050.Kind.mpu9250, nil), (.mpu9255, nil), (.mpu6500, .wrongIdentity(read: 0x70)),
        ] as [(SimulatedMPU6050.Kind, SensorFault.Cause?)])
    func anMPU9255IsUsedAsAnMPU9250(_ kind: SimulatedMPU6050.Kind, _ fault: SensorFault.Cause?) throws {
        let rig = try Rig([SimulatedMPU6050(kind, acceleration: wave(1), rotation: wave(1))], sensor: "MPU-9250")
        rig.run(until: at(1))
        #expect(rig.counters.trouble?.fault.cause == fault)
        #expect(rig.counters.setUps == (fault == nil ? 1 : 0) && rig.frames.isEmpty == (fault != nil))
    }

    /// The kernel's inv_mpu6050 rests 5 to 10 ms; the twin hears nothing for 5 ms. Without the rest
    /// the set-up that is read back shows it, and nothing is recorded.
    @Test func aSetUpThatTheChipDidNotHearIsNoticed() throws {
        var chip = SimulatedMPU6050(acceleration: wave(1), rotation: wave(1))
        chip.write([0x6B, 0x01])
        chip.write([0x1C, 0x10])
        chip.write([0x1C])
        #expect(chip.read(1) == [0x00])
        chip.advance(to: at(0.006))
        chip.write([0x1C, 0x10])
        chip.write([0x1C])
        #expect(chip.read(1) == [0x10])
        let rig = try Rig([Deaf(address: 0x68, identity: (0x75, 0x68))], sensor: "MPU-6050")
        rig.run(until: at(1))
        #expect(rig.frames.isEmpty && rig.counters.setUps == 0)
        #expect(rig.counters.trouble?.fault.cause == .ignoresSetUp)
        #expect(rig.counters.trouble?.fault.description.contains("does not keep what is written") == true)
    }

    /// ArduPilot's AP_Compass_QMC5883L.cpp, `_check_whoami`: "must read registers 0x00 once or reset,after can read the ID
    /// registers reliably".
    @Test func aQMC5883LWhoseIdentityIsWrongAtFirstIsUsed() throws {
        let rig = try Rig([ShyQMC5883L()], sensor: "QMC5883L")
        #expect(try rig.bus.read(0x0D, register: 0x0D, count: 1) == [0x00])
        rig.run(until: at(3))
        #expect(rig.counters.setUps == 1 && rig.counters.errors == 0 && rig.frames.count > 20)
        let survey = BusSurvey(of: SimulatedI2CBus(chips: [ShyQMC5883L()]) { .zero }, named: "i2c-1")
        #expect(survey.finding(at: 0x0D)?.candidates == ["QMC5883L"], "\(survey)")
    }

    /// A magnet comes and goes: while the chip says that it is beyond its range there is no sample,
    /// and each is counted.
    @Test(arguments: [
        ("HMC5883L", 300.0), ("LSM303DLHC-magn", 300), ("QMC5883L", 400), ("AK8963", 3000), ("AK09916", 3000),
    ])
    func aFieldBeyondTheRangeIsACountedLoss(_ name: String, _ magnet: Double) throws {
        let strength = Strength()
        let field: Signal = { _ in SIMD3(18, -5, 42) * strength() }
        let surroundings = PhysicalInput(acceleration: { _ in .zero }, rotation: { _ in .zero }, field: field)
        let entry = try ChipCatalog.chip(named: name)
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let chip = twin.make(entry.identity.addresses[0], surroundings, Specimen(rateError: 0), .zero)
        let rig = try Rig([chip], sensor: name)
        rig.run(until: at(10))
        let before = rig.frames.count
        strength.set(magnet / 18)
        rig.run(until: at(20))
        strength.set(1)
        rig.run(until: at(30))
        let lost = rig.counters.lost(.outOfRange)
        #expect(abs(lost - before) <= 2 && rig.counters.lost == lost && rig.counters.errors == 0)
        #expect(rig.frames.filter { $0.reason == LossReason.outOfRange.rawValue }.map { Int($0.lostBefore) } == [lost])
        let channels = rig.device.source.channels
        for frame in rig.frames {
            let length = (0..<3).reduce(0.0) { sum, axis in
                let value = channels[axis].value(frame.values[axis])
                return sum + value * value
            }
            #expect(abs(length.squareRoot() - 45.97) < 0.7, "no wrong value is a sample")
        }
    }

    /// The kernel's inv_mpu_trigger.c (v6.1, inv_mpu6050_prepare_fifo) and, of both families, ArduPilot (_fifo_reset in
    /// AP_InertialSensor_Invensense.cpp and …v2.cpp) reset a FIFO only while no sensor writes into it: at each set-up and
    /// after each overflow.
    @Test(
        arguments: [
            ("MPU-6050", [[0x23, 0x00], [0x6A, 0x00], [0x6A, 0x04], [0x6A, 0x40], [0x23, 0x78]]),
            ("MPU-6500", [[0x23, 0x00], [0x6A, 0x00], [0x6A, 0x04], [0x6A, 0x40], [0x23, 0x78]]),
            ("ICM-20948", [[0x67, 0x00], [0x03, 0x00], [0x68, 0x1F], [0x68, 0x00], [0x03, 0x40], [0x67, 0x1E]]),
        ] as [(String, [[UInt8]])])
    func noSensorWritesIntoAFIFOThatIsReset(_ name: String, _ order: [[UInt8]]) throws {
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(1))
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(0x68, surroundings, Specimen(), .zero)], sensor: name)
        // Of bank 0, where a chip has banks.
        func written() -> [[UInt8]] {
            var bank: UInt8 = 0
            return rig.bus.log.compactMap { entry in
                guard case .write(let bytes)? = entry.operations.first, bytes.count == 2 else { return nil }
                if bytes[0] == 0x7F { bank = bytes[1] }
                return bank == 0 && order.contains { $0[0] == bytes[0] } ? bytes : nil
            }
        }
        rig.run(until: at(2))
        #expect(written() == order)
        rig.hand.now = at(5)
        rig.run(until: at(6))
        #expect(written() == order + order && rig.counters.setUps == 1 && rig.counters.lost(.chipOverrun) > 0)
    }

    /// The kernel's inv_mpu_ring.c (v6.1, inv_mpu6050_read_fifo) empties a FIFO with `fifo_count >= fifo_size - 3 *
    /// bytes_per_datum`: of 1024 bytes and of 512, by 12 bytes.
    @Test(arguments: [("MPU-6050", 82), ("MPU-6500", 39), ("MPU-9250", 39), ("ICM-20948", 39)])
    func aFIFOIsReadWithRoomForThreeMoreSamples(_ name: String, _ most: Int) throws {
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(1))
        let twin = try #require(SimulatedCatalog.chip(named: name))
        for level in [most, most + 1] {
            let hand = Rig.Hand()
            let bus = SimulatedI2CBus(
                chips: [twin.make(0x68, surroundings, Specimen(rateError: 0), .zero)]) { hand.now }
            let sensor = try ChipCatalog.chip(named: name).make(bus, "i2c-1", ChipSettings())
            try sensor.wakeUp()
            hand.now = at(0.1)
            try sensor.setUp()
            hand.now = at(0.1 + (Double(level) + 0.5) / sensor.source.nominalRate)
            let waiting = try sensor.waiting()
            #expect(waiting.isOverrun == (level > most) && waiting.level == (level > most ? 0 : most))
            #expect(try sensor.waiting().level == waiting.level)
        }
    }

    /// ST's own examples call lsm6dso_i3c_disable_set before they set a rate; so does the driver.
    @Test(arguments: ["LSM6DSO", "LSM6DSOX"]) func i3cIsOffBeforeASensorIsOn(_ name: String) throws {
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(10), field: wave(1))
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(0x6A, surroundings, Specimen(), .zero)], sensor: name)
        rig.run(until: at(0.05))
        let written = rig.bus.log.compactMap { entry -> [UInt8]? in
            guard case .write(let bytes) = entry.operations.first, bytes.count == 2 else { return nil }
            return bytes
        }
        let disabled = try #require(written.firstIndex { $0[0] == 0x18 && $0[1] & 0x02 != 0 })
        let switchedOn = try #require(written.firstIndex { ($0[0] == 0x10 || $0[0] == 0x11) && $0[1] != 0 })
        #expect(disabled < switchedOn)
        #expect(try rig.bus.read(0x6A, register: 0x18, count: 1) == [0xE2])
    }

    /// lsm6dso_reg.h (58h, INACT_EN: 12.5 Hz and a gyroscope that is off) and lsm9ds1_reg.h (04h, SLEEP_ON_INACT_EN and a
    /// threshold): what a former owner wrote outlives a restart of the computer.
    @Test(
        arguments: [("LSM6DSO", 0x58, 0xE0), ("LSM6DSOX", 0x58, 0x60), ("LSM9DS1-imu", 0x04, 0x81)]
            as [(String, UInt8, UInt8)])
    func aFormerOwnersRestWhileNothingMovesIsSwitchedOff(_ name: String, _ register: UInt8, _ left: UInt8) throws {
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(1))
        let address = try ChipCatalog.chip(named: name).identity.addresses[0]
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(address, surroundings, Specimen(), .zero)], sensor: name)
        try rig.bus.write(address, register: register, left)
        #expect(try rig.bus.read(address, register: register, count: 1) == [left])
        rig.run(until: at(1))
        #expect(try rig.bus.read(address, register: register, count: 1) == [0x00])
        #expect(rig.counters.setUps == 1 && rig.counters.errors == 0)
    }

    /// Calibrations write a gyroscope's offsets into the chip, where they are zero "upon device startup" (kriswiner/MPU6050 and
    /// MPU9250; the kernel's INV_MPU6050_REG_GYRO_OFFSET is 0x13, in SparkFun's ICM-20948 AGB2_REG_XG_OFFS_USRH is 3 of
    /// bank 2), and outlive a restart of the computer.
    @Test(
        arguments: [
            ("MPU-6050", [], 0x13), ("MPU-6500", [], 0x13), ("MPU-9250", [], 0x13), ("ICM-20948", [0x7F, 0x20], 0x03),
        ] as [(String, [UInt8], UInt8)])
    func aFormerOwnersGyroscopeOffsetsAreTakenBack(_ name: String, _ bank: [UInt8], _ first: UInt8) throws {
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(20))
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(0x68, surroundings, Specimen(), .zero)], sensor: name)
        let sensor = try ChipCatalog.chip(named: name).make(rig.bus, "i2c-1", ChipSettings())
        try sensor.wakeUp()
        rig.hand.now = at(0.2)
        if !bank.isEmpty { try rig.bus.write(0x68, register: bank[0], bank[1]) }
        for register in first..<(first + 6) { try rig.bus.write(0x68, register: register, 0x12) }
        #expect(try rig.bus.read(0x68, register: first, count: 6) == [UInt8](repeating: 0x12, count: 6))
        try sensor.setUp()
        #expect(try sensor.isSetUp())
        if !bank.isEmpty { try rig.bus.write(0x68, register: bank[0], bank[1]) }
        #expect(try rig.bus.read(0x68, register: first, count: 6) == [UInt8](repeating: 0, count: 6))
    }

    /// The kernel's st_lsm6dsx drops 12 samples at 104 Hz; the datasheet of the LSM9DS1 wants 3 discarded at
    /// 119 Hz.
    @Test(arguments: ["LSM6DSO", "LSM6DSOX", "LSM9DS1-imu"])
    func samplesOfFiltersThatSettleAreNone(_ name: String) throws {
        let surroundings = PhysicalInput(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in SIMD3(50, 0, 0) }, field: { _ in .zero })
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(0x6A, surroundings, Specimen(), .zero)], sensor: name)
        rig.run(until: at(3))
        rig.bus.inject(.powerLoss(address: 0x6A, at: at(3.5)))
        rig.run(until: at(8))
        let channels = rig.device.source.channels
        #expect(rig.counters.setUps == 2 && rig.frames.count > 500)
        #expect(rig.frames.allSatisfy { abs(channels[5].value($0.values[5]) - 1) < 0.001 })
        #expect(rig.frames.allSatisfy { abs(channels[0].value($0.values[0]) - 50) < 0.1 })
    }

    /// Datasheet of the LIS3DH (DocID17530 Rev 2, p. 16 and 17, tables 10 and 11): to 12 bits the turn-on time is
    /// 7/ODR. The kernel's st_accel_core.c has `bootime = 2` for the same registers.
    @Test(arguments: ["LIS3DH", "LIS2DH12", "LSM303AGR-accel", "LSM303DLHC-accel"], [true, false])
    func anAccelerometerThatHasNotTurnedOnGivesNoSample(_ name: String, _ usesFIFO: Bool) throws {
        let surroundings = PhysicalInput(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in .zero }, field: { _ in .zero })
        let address = try ChipCatalog.chip(named: name).identity.addresses[0]
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let chip = twin.make(address, surroundings, Specimen(rateError: 0), .zero)
        let rig = try Rig([chip], sensor: name, settings: ChipSettings(usesFIFO: usesFIFO))
        rig.run(until: at(3))
        #expect(rig.counters.lost == 0 && rig.frames.count > 250)
        rig.bus.inject(.powerLoss(address: address, at: at(3.5)))
        rig.run(until: at(8))
        let z = rig.device.source.channels[2]
        #expect(rig.counters.setUps == 2 && rig.frames.count > 500)
        #expect(rig.frames.allSatisfy { abs(z.value($0.values[2]) - 1) <= z.resolution })
    }

    /// Datasheet of the LSM9DS1 (DocID025715 Rev 2, p. 20 and 21), tables 11 and 12, samples to be discarded after
    /// power-down: with LPF1 only and the bandwidth that the rate selects the gyroscope's are never fewer.
    @Test(arguments: [(14.9, 2), (59.5, 3), (119, 3), (238, 4), (476, 5)])
    func anLSM9DS1IsGivenTheSamplesThatItsRateTakes(_ rate: Double, _ discarded: Int) throws {
        let chip = SimulatedLSM9DS1(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in SIMD3(50, 0, 0) }, specimen: Specimen(rateError: 0))
        let settings = ChipSettings(rate: rate)
        let rig = try Rig([chip], sensor: "LSM9DS1-imu", settings: settings)
        #expect(
            try ChipCatalog.chip(named: "LSM9DS1-imu").make(rig.bus, "i2c-1", settings).unsettledSamples == discarded)
        rig.run(until: at(6))
        let channels = rig.device.source.channels
        #expect(rig.frames.count % 20 == 20 - discarded && rig.counters.lost == 0)
        #expect(rig.frames.allSatisfy { abs(channels[5].value($0.values[5]) - 1) < 0.001 })
        #expect(rig.frames.allSatisfy { abs(channels[0].value($0.values[0]) - 50) < 0.1 })
    }

    /// An ADXL345's FIFO pops within 5 µs (datasheet Rev E, p. 21): addressing at 400 kHz takes 22
    /// µs. On a bus that is ten times too fast for the chip the twin gives the same sample again,
    /// so the fact has teeth.
    @Test(arguments: [(400_000, true), (4_000_000, false)])
    func anADXL345IsNotReadFasterThanItsFIFOPops(_ frequency: Int, _ isRead: Bool) throws {
        let hand = Rig.Hand()
        let chip = SimulatedADXL345(
            acceleration: { SIMD3(repeating: Double($0.nanoseconds) / 2e10) }, specimen: Specimen(rateError: 0))
        let bus = SimulatedI2CBus(chips: [chip], frequency: frequency) { hand.now }
        let sensor = try ChipCatalog.chip(named: "ADXL345").make(bus, "i2c-1", ChipSettings())
        try sensor.setUp()
        hand.now = at(0.205)
        var bytes: [UInt8] = []
        try sensor.burst(20, into: &bytes)
        let values = (0..<20).map { sensor.counts(bytes, at: $0)[0] }
        #expect((Set(values).count > 2) == isRead && zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
    }
}

/// A chip that says who it is and keeps nothing.
private struct Deaf: SimulatedChip {
    let address: UInt8
    let identity: (register: UInt8, value: UInt8)
    private var pointer: UInt8 = 0

    init(address: UInt8, identity: (register: UInt8, value: UInt8)) {
        self.address = address
        self.identity = identity
    }

    mutating func advance(to now: MonotonicTime) {}
    mutating func write(_ bytes: [UInt8]) { pointer = bytes.first ?? pointer }
    mutating func read(_ count: Int) -> [UInt8] {
        (0..<count).map { pointer &+ UInt8($0) == identity.register ? identity.value : 0 }
    }
    mutating func powerCycle(at now: MonotonicTime) {}
}

/// A QMC5883L whose identity cannot be read until a data register was.
private struct ShyQMC5883L: SimulatedChip {
    private var chip = SimulatedQMC5883L(field: { _ in SIMD3(18, -5, 42) }, specimen: Specimen(rateError: 0))
    private var pointer: UInt8 = 0
    private var isShy = true

    let address: UInt8 = 0x0D
    mutating func advance(to now: MonotonicTime) { chip.advance(to: now) }
    mutating func write(_ bytes: [UInt8]) {
        pointer = bytes.first ?? pointer
        chip.write(bytes)
    }
    mutating func read(_ count: Int) -> [UInt8] {
        let bytes = chip.read(count)
        if pointer == 0x00 { isShy = false }
        return pointer == 0x0D && isShy ? [UInt8](repeating: 0, count: count) : bytes
    }
    mutating func powerCycle(at now: MonotonicTime) {
        isShy = true
        chip.powerCycle(at: now)
    }
}
