// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// What every chip of the catalog must do, of whichever maker, on its simulated twin.
@Suite(.serialized) struct ChipContractTests {
    static let names = ChipCatalog.chips.map(\.name)

    /// A driver and its twin, which feels the same vector, in its unit, in all its sensors.
    private func rig(
        _ name: String, settings: ChipSettings = ChipSettings(), rateError: Double = 0,
        acceleration: @escaping Signal, rotation: @escaping Signal = { _ in .zero }
    ) throws -> Rig {
        let entry = try ChipCatalog.chip(named: name)
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let surroundings = PhysicalInput(acceleration: acceleration, rotation: rotation, field: acceleration)
        let chip = twin.make(entry.identity.addresses[0], surroundings, Specimen(rateError: rateError), .zero)
        return try Rig([chip]) { try entry.make($0, "i2c-1", settings) }
    }

    /// What a chip has for a setting, by asking for what none has.
    private func possible(_ name: String, _ impossible: ChipSettings) throws -> [Double] {
        let entry = try ChipCatalog.chip(named: name)
        let bus = SimulatedI2CBus(chips: []) { .zero }
        let error = #expect(throws: SettingError.self) { try entry.make(bus, "i2c-1", impossible) }
        return error?.possible.split(separator: ", ").compactMap { Double($0) } ?? []
    }

    @Test func everyChipHasATwinAndNoTwinIsWithoutADriver() {
        #expect(SimulatedCatalog.chips.map(\.name) == Self.names)
    }

    @Test(arguments: names) func identityIsReadBeforeAnythingIsWritten(_ name: String) throws {
        let rig = try rig(name, acceleration: wave(1))
        rig.run(until: at(0.15))  // awake by then
        let identity = try ChipCatalog.chip(named: name).identity
        #expect(rig.bus.log.first?.operations == [.write([identity.register]), .read(1)])
        #expect(rig.counters.setUps == 1 && rig.counters.errors == 0)
    }

    @Test(arguments: names) func strangersAreNeverWrittenTo(_ name: String) throws {
        let entry = try ChipCatalog.chip(named: name)
        let stranger = Stranger(address: entry.identity.addresses[0])
        let rig = try Rig([stranger]) { try entry.make($0, "i2c-1", ChipSettings()) }
        rig.run(until: at(3))
        #expect(rig.bus.log.first?.operations == [.write([entry.identity.register]), .read(1)])
        #expect(rig.bus.log.allSatisfy { $0.operations.count == 2 && $0.operations.first?.writesData == false })
        #expect(rig.frames.isEmpty && rig.counters.trouble?.fault.cause == .wrongIdentity(read: 0xA5))
    }

    /// A vector with axes of different size and sign finds wrong orders of axes and bytes, wrong
    /// signs and wrong scales.
    @Test(arguments: names) func valuesAreWithinHalfAStepAtEveryRange(_ name: String) throws {
        let isSixAxes = try ChipCatalog.chip(named: name).kinds.contains(.gyroscope)
        let rotationRanges = isSixAxes ? try possible(name, ChipSettings(rotationRange: -1)) : [0]
        let ranges = try possible(name, ChipSettings(range: -1))
        #expect(!ranges.isEmpty)
        for index in 0..<max(ranges.count, rotationRanges.count) {
            let range = ranges[index % ranges.count]
            let rotationRange = rotationRanges[index % rotationRanges.count]
            let truth = SIMD3(0.9, -0.53, 0.217) * usable(name, range)
            let turn = SIMD3(-0.81, 0.34, 0.9) * rotationRange
            let settings = ChipSettings(range: range, rotationRange: isSixAxes ? rotationRange : nil)
            let rig = try rig(name, settings: settings, acceleration: { _ in truth }, rotation: { _ in turn })
            rig.run(until: at(3))
            let channels = rig.device.source.channels
            let expected =
                isSixAxes ? [turn.x, turn.y, turn.z, truth.x, truth.y, truth.z] : [truth.x, truth.y, truth.z]
            #expect(channels.count == expected.count && rig.frames.count > 10)
            for frame in rig.frames {
                #expect(Int(frame.count) == channels.count)
                for (axis, channel) in channels.enumerated() {
                    let error = abs(channel.value(frame.values[axis]) - expected[axis])
                    #expect(error <= tolerance(name, channel), "\(name) ±\(range), \(channel.name)")
                }
            }
        }
    }

    @Test(arguments: names) func sixAxesAreTheGyroscopeThenTheAccelerometer(_ name: String) throws {
        let entry = try ChipCatalog.chip(named: name)
        let source = try entry.make(SimulatedI2CBus(chips: []) { .zero }, "i2c-1", ChipSettings()).source
        let names = source.channels.map(\.name)
        #expect(entry.kinds.first == source.kind)
        if entry.kinds.contains(.gyroscope) {
            #expect(names == ["gyro_x", "gyro_y", "gyro_z", "accel_x", "accel_y", "accel_z"])
        } else {
            #expect(names.count == 3)
        }
    }

    /// A value that only rises shows samples that come twice, out of order, or not at all.
    @Test(arguments: names) func batchesAreExactlyTheWatermarkAndInOrder(_ name: String) throws {
        let rig = try rig(name, acceleration: ramp(name), rotation: ramp(name))
        let rate = rig.device.source.nominalRate
        rig.run(until: at(400 / rate))
        let (watermark, unsettled) = (try watermark(name), try sensor(name).unsettledSamples)
        #expect(
            rig.frames.enumerated().allSatisfy {
                $0.element.isStamped == (($0.offset + unsettled) % watermark == watermark - 1)
            })
        #expect(
            (rig.frames.count + unsettled) % watermark == 0 && abs(rig.frames.count - 400) <= watermark + 8 + unsettled)
        #expect(rig.counters.lost == 0 && rig.counters.errors == 0)
        let last = rig.device.source.channels.count - 1
        for (one, next) in zip(rig.frames, rig.frames.dropFirst()) { #expect(next.values[last] > one.values[last]) }
    }

    @Test(arguments: names) func silenceIsCountedAndRecoveredFrom(_ name: String) throws {
        let rig = try rig(name, acceleration: ramp(name))
        let (rate, address) = (rig.device.source.nominalRate, try ChipCatalog.chip(named: name).identity.addresses[0])
        rig.run(until: at(100 / rate))
        rig.bus.inject(.noAcknowledge(address: address, during: at(100 / rate)..<at(700 / rate)))
        rig.run(until: at(700 / rate))
        #expect(rig.counters.errors > 1 && rig.counters.trouble?.fault.cause == .bus(.noAcknowledge(address: address)))
        rig.run(until: at(700 / rate + 10 + 200 / rate))
        try check(rig, name, seconds: 700 / rate + 10 + 200 / rate)
        #expect(rig.frames.contains { $0.lostBefore > 0 })
    }

    @Test(arguments: names) func powerLossIsNoticedAndTheChipSetUpAgain(_ name: String) throws {
        let rig = try rig(name, acceleration: ramp(name))
        let (rate, address) = (rig.device.source.nominalRate, try ChipCatalog.chip(named: name).identity.addresses[0])
        rig.bus.inject(.powerLoss(address: address, at: at(100.5 / rate)))
        rig.run(until: at(600 / rate))
        #expect(rig.counters.setUps == 2 && rig.counters.errors >= 1)
        let gaps = rig.frames.filter { $0.lostBefore > 0 }
        #expect(gaps.count == 1 && gaps.first?.reason == LossReason.deviceError.rawValue)
        try check(rig, name, seconds: 600 / rate)
    }

    @Test(arguments: names) func aThreadHeldUpIsACountedGap(_ name: String) throws {
        let rig = try rig(name, acceleration: ramp(name))
        let sensor = try ChipCatalog.chip(named: name).make(rig.bus, "i2c-1", ChipSettings())
        let rate = sensor.source.nominalRate
        rig.run(until: at(100 / rate))
        rig.hand.now = at((103.3 + 3 * Double(sensor.depth)) / rate)
        rig.run(until: at((400 + 3 * Double(sensor.depth)) / rate))
        let gaps = rig.frames.filter { $0.lostBefore > 0 }
        #expect(gaps.count == 1)
        if sensor.conversion == nil { #expect(gaps.first?.reason == LossReason.chipOverrun.rawValue) }
        try check(rig, name, seconds: (400 + 3 * Double(sensor.depth)) / rate)
    }

    /// A starved computer serves each look late: a chip that measures on command was seen to give
    /// 26.6 samples a second instead of 30, and no sample was counted as lost.
    @Test(arguments: names, [0.12, 0.4]) func aThreadThatIsAlwaysLateStillGivesTheRate(_ name: String, late: Double)
        throws
    {
        let rig = try rig(name, acceleration: ramp(name))
        let rate = rig.device.source.nominalRate
        rig.run(until: at(400 / rate), late: .seconds(late / rate))
        try check(rig, name, seconds: 400 / rate)
        if late < 0.2 { #expect(rig.counters.lost == 0) }
    }

    /// Read and lost together are what the time gives; and after every gap values go on rising.
    private func check(_ rig: Rig, _ name: String, seconds: Double) throws {
        let due = Int(seconds * rig.device.source.nominalRate)
        let sum = rig.frames.count + rig.lostInFrames
        #expect(rig.counters.trouble == nil && rig.counters.lost == rig.lostInFrames)
        #expect(abs(sum - due) <= (try watermark(name)) + 12, "\(sum) of \(due)")
        let last = rig.device.source.channels.count - 1
        let channel = rig.device.source.channels[last]
        let top = rig.device.source.fullScale - 2 * channel.resolution
        for (one, next) in zip(rig.frames, rig.frames.dropFirst())
        where next.values[last] <= one.values[last] && channel.value(one.values[last]) < top {
            Issue.record("\(name): \(next.values[last]) after \(one.values[last])")
            return
        }
    }

    private func watermark(_ name: String) throws -> Int { try sensor(name).watermark }

    private func sensor(_ name: String) throws -> any VectorSensor {
        try ChipCatalog.chip(named: name).make(SimulatedI2CBus(chips: []) { .zero }, "i2c-1", ChipSettings())
    }

    /// An AK8963's counts are finer than its steps, which its maker's adjustment stretches.
    private func step(_ name: String, _ channel: Channel) -> Double {
        name == "AK8963" ? 0.15 * 1.2 : channel.resolution
    }

    /// Half a step where values are rounded, and what is cut off where bits are.
    private func tolerance(_ name: String, _ channel: Channel) -> Double {
        max(step(name, channel) / 2, channel.resolution - channel.scale / 2) + 1e-9
    }

    /// The part of its range that an AKM chip has on every axis at once: they share 4912 µT.
    private func usable(_ name: String, _ range: Double) -> Double { name.hasPrefix("AK") ? range / 3.1 : range }

    /// A step and a half of the last channel per sample (where there are few steps hardly more than
    /// one), from the lower end of the range on.
    private func ramp(_ name: String) -> Signal {
        let bus = SimulatedI2CBus(chips: []) { .zero }
        let sensor = try? ChipCatalog.chip(named: name).make(bus, "i2c-1", ChipSettings())
        let source = sensor?.source
        let isCoarse = source?.channels.last.map { $0.resolution > $0.scale } ?? false
        let slope =
            (source?.channels.last.map { step(name, $0) } ?? 0) * (source?.nominalRate ?? 0) * (isCoarse ? 1.05 : 1.5)
        let begin = -usable(name, source?.fullScale ?? 0) * 0.98
        return { SIMD3(repeating: begin + slope * Double($0.nanoseconds) / 1e9) }
    }
}

/// What a set-up is known by, register by register, and the bits of it that are turned over here.
@Suite struct ForgottenSetUpTests {
    @Test(
        arguments: [
            (
                "LSM6DSO",
                [0x07: 0x01, 0x08: 0x01, 0x09: 0x10, 0x0A: 0x01, 0x10: 0x04, 0x11: 0x04, 0x12: 0x40, 0x18: 0x02]
            ),
            (
                "MPU-6050",
                [
                    0x19: 0x01, 0x1A: 0x01, 0x1B: 0x08, 0x1C: 0x08, 0x23: 0x08, 0x37: 0x02, 0x6A: 0x40, 0x6B: 0x01,
                    0x6C: 0x01,
                ]
            ),
            ("ICM-20948", [0x03: 0x10, 0x06: 0x08, 0x07: 0x01, 0x0F: 0x80, 0x67: 0x01, 0x7F: 0x20]),
        ] as [(String, [UInt8: UInt8])])
    func oneRegisterThatWasForgottenIsSeen(_ name: String, _ bits: [UInt8: UInt8]) throws {
        let entry = try ChipCatalog.chip(named: name)
        let address = entry.identity.addresses[0]
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(1))
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let rig = try Rig([twin.make(address, surroundings, Specimen(), .zero)], sensor: name)
        let sensor = try entry.make(rig.bus, "i2c-1", ChipSettings())
        try sensor.wakeUp()
        rig.hand.now = at(0.2)
        try sensor.setUp()
        #expect(try sensor.isSetUp())
        for (register, changed) in bits.sorted(by: { $0.key < $1.key }) {
            let value = try rig.bus.read(address, register: register, count: 1)[0]
            try rig.bus.write(address, register: register, value ^ changed)
            #expect(try !sensor.isSetUp(), "\(name) \(register)")
            try sensor.setUp()
            #expect(try sensor.isSetUp(), "\(name) \(register)")
        }
    }
}

/// ACCEL_CONFIG2 is a register of the MPU-6500's map (RM-MPU-6500A, 4.8) and not of the MPU-6050's (RM-MPU-6000A); its
/// code 3 is 44.8 Hz, below the half of 100 Hz.
@Test(arguments: [("MPU-6050", []), ("MPU-6500", [[0x1D, 3]]), ("MPU-9250", [[0x1D, 3]])] as [(String, [[UInt8]])])
func theAccelerometersFilterIsSetWhereThereIsOne(_ name: String, _ expected: [[UInt8]]) throws {
    let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(1))
    let twin = try #require(SimulatedCatalog.chip(named: name))
    let rig = try Rig([twin.make(0x68, surroundings, Specimen(), .zero)], sensor: name)
    rig.run(until: at(0.5))
    let written = rig.bus.log.compactMap { entry -> [UInt8]? in
        guard case .write(let bytes)? = entry.operations.first, bytes.count == 2, bytes[0] == 0x1D else { return nil }
        return bytes
    }
    #expect(written == expected && rig.counters.setUps == 1)
}

/// A word without a partner, as after an overrun, costs itself only.
@Test func anOrphanedWordOfAnLSM6DSOIsDropped() throws {
    let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(100), field: wave(1))
    let chip = try #require(SimulatedCatalog.chip(named: "LSM6DSO")).make(0x6A, surroundings, Specimen(), .zero)
    let rig = try Rig([chip], sensor: "LSM6DSO")
    rig.run(until: at(1))
    _ = try rig.bus.read(0x6A, register: 0x78, count: 7)  // somebody takes a word away
    rig.run(until: at(5))
    #expect(rig.counters.errors == 0 && rig.counters.setUps == 1)
    #expect(abs(rig.frames.count - Int(5 * 104 * 1.008)) <= 21)
}
