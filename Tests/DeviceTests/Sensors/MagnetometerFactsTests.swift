// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// What a count of a magnetometer is worth, as their makers' own code says: ST's lis3mdl_reg.c
/// (`lis3mdl_from_fs4_to_gauss` and its sisters: 6842, 3421, 2281 and 1711 to a gauss), ST's
/// lis2mdl_reg.c (`lis2mdl_from_lsb_to_mgauss`: 1.5 mG), SparkFun's library of the MMC5983MA (18
/// bits over ±8 gauss: 131 072 for 8 gauss). A gauss is 100 µT.
@Suite struct MagnetometerFactsTests {
    private static let facts: [(name: String, range: Double?, microtesla: Double)] = [
        ("LIS3MDL", 400, 100 / 6842), ("LIS3MDL", 800, 100 / 3421), ("LIS3MDL", 1200, 100 / 2281),
        ("LIS3MDL", 1600, 100 / 1711),
        ("LIS2MDL", nil, 0.15), ("MMC5983MA", nil, 800.0 / 131_072),
    ]

    @Test(arguments: 0..<6) func aCountIsWorthWhatItsMakerSays(_ index: Int) throws {
        let (name, range, microtesla) = Self.facts[index]
        let field = SIMD3(18.0, -5, 42)
        let surroundings = PhysicalInput(acceleration: { _ in .zero }, rotation: { _ in .zero }, field: { _ in field })
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let entry = try ChipCatalog.chip(named: name)
        var settings = ChipSettings()
        settings.range = range
        let rig = try Rig(
            [twin.make(entry.identity.addresses[0], surroundings, Specimen(rateError: 0), .zero)], sensor: name,
            settings: settings)
        rig.run(until: .zero + .seconds(3))
        let last = try #require(rig.frames.last)
        for (axis, channel) in rig.device.source.channels.enumerated() {
            #expect(abs(channel.scale / microtesla - 1) < 1e-3, "\(name) \(channel.scale)")
            #expect(abs(channel.value(last.values[axis]) - field[axis]) <= 2 * microtesla, "\(name) \(channel.name)")
        }
    }

    /// Of an axis that overflows both chips give −4096, and of a measurement −2048 to 2047 (Honeywell's datasheet,
    /// "Data Output Registers"), high byte first.
    @Test(arguments: ["HMC5883L", "LSM303DLHC-magn"], 0..<3)
    func oneAxisBeyondTheRangeIsEnough(_ name: String, _ axis: Int) throws {
        let bus = SimulatedI2CBus(chips: []) { .zero }
        let sensor = try ChipCatalog.chip(named: name).make(bus, "i2c-1", ChipSettings())
        let cases: [(bytes: [UInt8], isBeyond: Bool)] = [
            ([0xF0, 0x00], true), ([0xF0, 0x01], false), ([0xF8, 0x00], false), ([0x07, 0xFF], false),
        ]
        for (bytes, isBeyond) in cases {
            var burst: [UInt8] = [0, 1, 0, 2, 0, 3]
            burst.replaceSubrange(2 * axis..<2 * axis + 2, with: bytes)
            #expect(sensor.isBeyondRange(burst, at: 0) == isBeyond, "\(bytes)")
        }
    }

    private static let field = SIMD3(18.0, -5, 42)
    private static let surroundings = PhysicalInput(
        acceleration: { _ in .zero }, rotation: { _ in .zero }, field: { _ in field })

    private func rig(_ name: String, _ settings: ChipSettings = ChipSettings()) throws -> (Rig, UInt8) {
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let address = try ChipCatalog.chip(named: name).identity.addresses[0]
        let chip = twin.make(address, Self.surroundings, Specimen(rateError: 0), .zero)
        return (try Rig([chip], sensor: name, settings: settings), address)
    }

    /// Configuration register A of Honeywell's datasheet: b6 and b5 average eight measurements, b4 to b2 are 15 Hz. In
    /// ST's CRA_REG_M b6 and b5 must be 0.
    @Test(arguments: [("HMC5883L", 0x70), ("LSM303DLHC-magn", 0x10)] as [(String, UInt8)])
    func onlyTheChipThatCanAveragesItsMeasurements(_ name: String, _ control: UInt8) throws {
        let (rig, address) = try rig(name)
        rig.run(until: .zero + .seconds(1))
        #expect(try rig.bus.read(address, register: 0x00, count: 1) == [control])
    }

    private func error(_ frame: VectorFrame, _ rig: Rig) -> Double {
        rig.device.source.channels.enumerated().map { axis, channel in
            abs(channel.value(frame.values[axis]) - Self.field[axis])
        }.max() ?? 0
    }

    /// The kernel's st_magn_core.c has `bootime = 2` for all of these, which st_sensors.h explains:
    /// "samples to discard when sensor passing from power-down to power-up". At the start and after
    /// a loss of power none of them is a sample.
    @Test(arguments: ["LIS3MDL", "LSM9DS1-magn", "LIS2MDL", "LSM303AGR-magn"])
    func theFirstTwoSamplesAfterPowerDownAreNone(_ name: String) throws {
        let (rig, address) = try rig(name)
        rig.run(until: .zero + .seconds(4))
        rig.bus.inject(.powerLoss(address: address, at: .zero + .milliseconds(4500)))
        rig.run(until: .zero + .seconds(12))
        #expect(rig.counters.setUps == 2 && rig.frames.count > 60)
        #expect(rig.frames.allSatisfy { error($0, rig) < 0.6 }, "\(rig.frames.map { error($0, rig) }.max() ?? 0)")
        // About three seconds until it was found stalled or seen reset, and two samples more.
        let lost = rig.frames.filter { $0.reason == LossReason.deviceError.rawValue }.map { Int($0.lostBefore) }
        #expect(lost.count == 1 && lost[0] >= 2 && abs(rig.frames.count + lost[0] - 118) <= 2, "\(lost)")
    }

    /// Honeywell's datasheet of the HMC5883L, p. 13: "Note that the very first measurement after a gain
    /// change maintains the same gain as the previous setting." Power-on is ±1.3 gauss (130 µT).
    @Test(arguments: ["HMC5883L", "LSM303DLHC-magn"], [130.0, 250, 810])
    func theFirstMeasurementAfterAChangeOfGainIsNone(_ name: String, _ range: Double) throws {
        let (rig, address) = try rig(name, ChipSettings(range: range))
        rig.run(until: .zero + .seconds(4))
        #expect(rig.counters.lost == 0)
        rig.bus.inject(.powerLoss(address: address, at: .zero + .milliseconds(4500)))
        rig.run(until: .zero + .seconds(12))
        #expect(rig.counters.setUps == 2 && rig.frames.count > 60)
        let step = rig.device.source.channels[2].scale
        #expect(rig.frames.allSatisfy { error($0, rig) <= step }, "\(rig.frames.map { error($0, rig) }.max() ?? 0)")
    }

    /// A reading that ends before the last register locks the data of these chips: betaflight's pull request 13467 of the
    /// QMC5883L ("On bus error, read may finish early (not reading unlock register) and thus cause driver lockup"),
    /// AKM's datasheet of the AK8963, 6.4.3.2 ("By reading ST2 register, this protection is released"; 6.4.3: a mode that
    /// is set again initializes none of these registers), TDK's of the ICM-20948, 13.4. Once a former owner's reading,
    /// once the driver's own has ended so.
    @Test(
        arguments: [("QMC5883L", 0x09, 0x01, 0x00), ("AK8963", 0x0A, 0x12, 0x03), ("AK09916", 0x31, 0x02, 0x11)]
            as [(String, UInt8, UInt8, UInt8)])
    func aReadingThatBrokeOffLocksTheDataUntilTheNextSetUp(
        _ name: String, _ control: UInt8, _ mode: UInt8, _ data: UInt8
    ) throws {
        let (rig, address) = try rig(name)
        try rig.bus.write(address, register: control, mode)
        rig.hand.now = at(0.3)
        _ = try rig.bus.read(address, register: data, count: 2)
        rig.run(until: at(3))
        #expect(rig.counters.setUps == 1 && rig.counters.errors == 0 && rig.frames.count > 15)
        _ = try rig.bus.read(address, register: data, count: 2)
        rig.run(until: at(8))
        #expect(rig.counters.setUps == 2 && rig.counters.trouble == nil)
        #expect(rig.frames.allSatisfy { error($0, rig) < 0.2 })
        let last = try #require(rig.frames.last)
        #expect(last.time > at(7.5))
    }

    /// A former owner has measured at ±8 gauss (CONTROL1 RNG of the QMC5883L: 30 counts to a µT) or with 14 bits (CNTL1
    /// BIT of the AK8963: 0.6 µT a count), and its last sample was not fetched. ST's chips must not take it for one of the
    /// two that are none.
    @Test(
        arguments: [
            ("QMC5883L", 0x09, 0x11), ("AK8963", 0x0A, 0x02), ("LIS3MDL", 0x22, 0x00), ("LIS2MDL", 0x60, 0x80),
        ] as [(String, UInt8, UInt8)])
    func aFormerOwnersLastSampleIsNone(_ name: String, _ control: UInt8, _ mode: UInt8) throws {
        let (rig, address) = try rig(name)
        try rig.bus.write(address, register: control, mode)
        rig.hand.now = at(0.3)
        rig.run(until: at(3))
        #expect(rig.counters.setUps == 1 && rig.counters.lost == 0 && rig.frames.count > 15)
        #expect(rig.frames.allSatisfy { error($0, rig) < 0.2 }, "\(rig.frames.map { error($0, rig) }.max() ?? 0)")
    }

    /// `magOffset` of SparkFun's library of the LSM9DS1 (18d3181, SparkFunLSM9DS1.cpp:447) leaves what its calibration has
    /// found in OFFSET_X_REG_L_M (05h) and the five after it, which are subtracted from each sample (DocID025715 Rev 2,
    /// 8.1 to 8.3). Of an LIS3MDL they are reserved, and are not touched.
    @Test(arguments: [("LSM9DS1-magn", true), ("LIS3MDL", false)])
    func aFormerOwnersOffsetsAreTakenBack(_ name: String, _ hasOffsets: Bool) throws {
        let (rig, address) = try rig(name)
        for register: UInt8 in 0x05...0x0A { try rig.bus.write(address, register: register, 0x01) }
        rig.run(until: at(3))
        #expect(rig.frames.count > 20 && rig.frames.allSatisfy { error($0, rig) < 0.2 })
        let left: [UInt8] = try rig.bus.read(address, register: 0x05 | 0x80, count: 6)
        #expect(left == [UInt8](repeating: hasOffsets ? 0 : 1, count: 6))
        // The twin has them, else this would show nothing: 256 counts of 0.014 µT.
        try rig.bus.write(address, register: 0x06, 0x01)
        rig.run(until: at(4))
        let last = try #require(rig.frames.last)
        #expect((error(last, rig) > 3) == hasOffsets)
    }

    /// ST's AN5080 (quoted in betaflight's pull request 14176): without offset cancellation the
    /// sensor's own offset is in every value.
    @Test func theOwnOffsetOfAnLIS2MDLIsCancelled() throws {
        let (rig, address) = try rig("LIS2MDL")
        rig.run(until: .zero + .seconds(3))
        #expect(rig.frames.count > 20 && rig.frames.allSatisfy { error($0, rig) < 0.2 })
        // The twin has it, else this would show nothing.
        try rig.bus.write(address, register: 0x61, 0x00)
        rig.run(until: .zero + .seconds(4))
        let last = try #require(rig.frames.last)
        #expect(error(last, rig) > 8)
    }

    /// SparkFun's library of the MMC5983MA, issue 9: who writes CONTROL0 again and again while the
    /// chip measures gets wrong values. The driver writes it before continuous measuring begins,
    /// and never after.
    @Test func anMMC5983MAIsLeftAloneWhileItMeasures() throws {
        let (rig, address) = try rig("MMC5983MA")
        rig.run(until: .zero + .seconds(10))
        #expect(rig.frames.count > 90 && rig.frames.allSatisfy { error($0, rig) < 0.1 })
        let written = rig.bus.log.compactMap { entry -> UInt8? in
            guard case .write(let bytes)? = entry.operations.first, bytes.count == 2 else { return nil }
            return bytes[0]
        }
        let started = try #require(written.lastIndex(of: 0x0B))
        #expect(!written[started...].contains(0x09) && written[..<started].contains(0x09))
        // The twin minds, else this would show nothing.
        try rig.bus.write(address, register: 0x09, 0x24)
        rig.run(until: .zero + .milliseconds(10_150))
        #expect(rig.frames.suffix(2).contains { error($0, rig) > 30 })
    }

    /// SparkFun's library of the MMC5983MA: periodic SET, with AUTO_SR and continuous measuring, removes the effects of
    /// a field above 10 gauss; kriswiner/MMC5983MA: AUTO_SR alone has too little current for that.
    @Test func aStrongFieldLeavesNoOffsetInAnMMC5983MA() throws {
        let (begin, end) = (at(1), at(2))
        let surroundings = PhysicalInput(
            acceleration: { _ in .zero }, rotation: { _ in .zero },
            field: { $0 > begin && $0 < end ? SIMD3(2000, 0, 0) : Self.field })
        let twin = try #require(SimulatedCatalog.chip(named: "MMC5983MA"))
        let rig = try Rig([twin.make(0x30, surroundings, Specimen(rateError: 0), .zero)], sensor: "MMC5983MA")
        rig.run(until: at(12))
        let last = try #require(rig.frames.last)
        #expect(last.time > at(11) && error(last, rig) < 0.1)
        // The twin keeps it until the hundredth sample, else this would show nothing.
        #expect(rig.frames.contains { $0.time > at(3) && error($0, rig) > 5 })
    }
}
