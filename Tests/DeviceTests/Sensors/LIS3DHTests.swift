// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Device

/// ST's application note AN3308 §4.2.3 prints these bytes (BLE = 0, ±2 g, high
/// resolution). It takes 1 g as 1024 digits there, though its sensitivity says 1000; 350
/// mg is given in digits of 1 mg.
@Test(
    arguments: [
        ([0x00, 0x00], 0), ([0xE0, 0x15], 350), ([0x00, 0x40], 1024), ([0x20, 0xEA], -350), ([0x00, 0xC0], -1024),
    ] as [([UInt8], Int32)])
func lis3dhBytesOfTheApplicationNoteDecode(_ bytes: [UInt8], _ digits: Int32) {
    let counts = LIS3DH.counts([0, 0] + bytes + [0x10, 0x00], at: 0)
    #expect(counts[0] == 0 && counts[1] == digits && counts[2] == 1)
}

/// ST's lis3dh_reg.c (`from_fs*_hr_to_mg`) divides by 16 and multiplies by 1, 2, 4 and 12; the
/// kernel's table agrees.
@Test(arguments: [(2.0, 0.001), (4, 0.002), (8, 0.004), (16, 0.012)])
func lis3dhScaleIsTheMakers(_ range: Double, _ scale: Double) throws {
    let bus = SimulatedI2CBus(chips: []) { .zero }
    let chip = try LIS3DH(bus: bus, busName: "i2c-1", settings: ChipSettings(range: range))
    #expect(chip.source.channels.map(\.scale) == [scale, scale, scale])
    #expect(chip.source.fullScale == range && chip.source.location == "i2c-1 0x18")
}

@Test(arguments: [
    (ChipSettings(rate: 60), "LIS3DH has no rate 60; possible: 1, 10, 25, 50, 100, 200, 400, 1344"),
    (ChipSettings(range: 6), "LIS3DH has no range 6; possible: 2, 4, 8, 16"),
    (ChipSettings(address: 0x1A), "LIS3DH has no address 0x1A; possible: 0x18, 0x19"),
    (ChipSettings(watermark: 32), "LIS3DH has no watermark 32; possible: 1 to 31"),
])
func lis3dhRefusesWhatItDoesNotHave(_ settings: ChipSettings, _ message: String) {
    let error = #expect(throws: SettingError.self) {
        _ = try LIS3DH(bus: SimulatedI2CBus(chips: []) { .zero }, busName: "i2c-1", settings: settings)
    }
    #expect(error?.description == message)
}

@Test(
    arguments: [
        (0x20, 0, false), (0x05, 5, false), (0x94, 20, false), (0x9F, 31, false), (0xDF, 32, true),
    ] as [(UInt8, Int, Bool)])
func lis3dhStatusOfTheFIFOIsRead(_ source: UInt8, _ level: Int, _ isOverrun: Bool) {
    #expect(LIS3DH.waiting(source: source) == FIFOStatus(level: level, isOverrun: isOverrun))
}

/// ST's lis2dh12_read_fifo.c (STMems_Standard_C_drivers 98b62f0e:153) sets `FIFO_WATERMARK - 1`, as do Zephyr's
/// lis2dh_fifo.c (3e2f9757, `lis2dh_fifo_start`) and openmovement's Accel-LIS3DH.c (5df5c912:312): a threshold N is
/// told of with sample N + 1 (datasheet, 5.1.3).
@Test(arguments: [(1, 0x80), (20, 0x93), (31, 0x9E)] as [(Int, UInt8)])
func lis3dhThresholdIsOneBelowTheWatermark(_ watermark: Int, _ control: UInt8) throws {
    let rig = try Rig(
        [SimulatedLIS3DH(acceleration: wave(1))], sensor: "LIS3DH", settings: ChipSettings(watermark: watermark))
    rig.run(until: at(0.05))
    #expect(try rig.bus.read(0x18, register: 0x2E, count: 1) == [control])
}

/// The FIFO cuts two bits off: a value is at most a step of those ten bits too low.
@Test(arguments: [2.0, 4, 8, 16], [true, false])
func lis3dhValuesAreWithinAStep(_ range: Double, _ usesFIFO: Bool) throws {
    let truth = wave(range * 0.9)
    let chip = SimulatedLIS3DH(acceleration: truth, specimen: Specimen(rateError: 0))
    let rig = try Rig([chip], sensor: "LIS3DH", settings: ChipSettings(range: range, usesFIFO: usesFIFO))
    rig.run(until: at(10))
    let channels = rig.device.source.channels
    #expect(rig.frames.count >= 973)
    // The chip was set up at 0.1 ms, when the first visit took place: sample k is taken
    // k periods later. Seven are dropped.
    for (index, frame) in rig.frames.enumerated() {
        let expected = truth(at(0.0001 + Double(index + 8) / 100))
        for axis in 0..<3 {
            let error = abs(channels[axis].value(frame.values[axis]) - expected[axis])
            guard error > channels[axis].resolution - channels[axis].scale / 2 + 1e-9 else { continue }
            Issue.record("axis \(axis) of sample \(index) is \(error) g off")
            return
        }
    }
}

@Test func lis3dhSaturatesAtItsDigitsNotByWrapping() throws {
    let chip = SimulatedLIS3DH(acceleration: { _ in SIMD3(5, -5, 0) })
    let rig = try Rig([chip], sensor: "LIS3DH", settings: ChipSettings(range: 2))
    rig.run(until: at(1))
    #expect(rig.frames.allSatisfy { $0.values[0] == 2044 && $0.values[1] == -2048 && $0.values[2] == 0 })
}

/// GGIR takes less than 13 mg of movement for not worn (`g.getmeta`, criterion `sdcriter = 0.013`):
/// what comes from the FIFO unless the settings say otherwise must be finer, and where it is not
/// the description says so.
@Test func lis3dhStepsAreBelowWhatGGIRTakesForNotWorn() throws {
    func step(_ settings: ChipSettings) throws -> Double {
        let source = try ChipCatalog.chip(named: "LIS3DH").make(SimulatedI2CBus(chips: []) { .zero }, "i2c-1", settings)
            .source
        return try #require(source.channels.first).resolution
    }
    #expect(try step(ChipSettings()) == 0.008)
    #expect(try step(ChipSettings(range: 8)) == 0.016)
    #expect(try step(ChipSettings(range: 8, usesFIFO: false)) == 0.004)
    #expect(try step(ChipSettings(range: 2)) == 0.004, "multiples of 4 mg, as in the logs of a LIS2DH12")
}

@Test func aFIFOThatKeepsEveryBitIsNotDoneWithout() throws {
    let error = #expect(throws: SettingError.self) {
        try ChipCatalog.chip(named: "ADXL345").make(
            SimulatedI2CBus(chips: []) { .zero }, "i2c-1", ChipSettings(usesFIFO: false))
    }
    #expect(error?.setting == "fifo")
}

@Test func lis3dhIdentityIsReadBeforeAnythingIsWritten() throws {
    let rig = try Rig([SimulatedLIS3DH(acceleration: wave(1))], sensor: "LIS3DH")
    rig.run(until: at(0.05))
    #expect(rig.bus.log.first?.operations == [.write([0x0F]), .read(1)])
    let written = rig.bus.log.compactMap { entry -> UInt8? in
        guard entry.operations.count == 1, case .write(let bytes) = entry.operations[0] else { return nil }
        return bytes[0]
    }
    // Every control register is written, with measuring off first and on last.
    #expect(Set(written) == [0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x2E, 0x30, 0x34, 0x38, 0x3E])
    #expect(written.first == 0x20 && written.last == 0x20)
}

/// "Sleep-to-wake, return-to-sleep" (datasheet, ACT_THS; lis3dh_reg.h and lis2dh12_reg.h: 3Eh), which an LSM303DLHC
/// does not have, as it has no TEMP_CFG_REG.
@Test(arguments: [
    ("LIS3DH", true), ("LIS2DH12", true), ("LSM303AGR-accel", true), ("LSM303DLHC-accel", false),
])
func aFormerOwnersSleepIsSwitchedOff(_ name: String, _ hasSleep: Bool) throws {
    let entry = try ChipCatalog.chip(named: name)
    let rig = try Rig(
        [SimulatedLIS3DH(address: entry.identity.addresses[0], acceleration: wave(1))], sensor: name)
    rig.run(until: at(0.05))
    let written = rig.bus.log.flatMap(\.operations)
    for register: UInt8 in [0x1F, 0x3E] {
        let isWritten = written.contains { operation in
            if case .write(let bytes) = operation { bytes.count == 2 && bytes[0] == register } else { false }
        }
        #expect(isWritten == hasSleep, "\(register)")
    }
}

@Test func aStrangerIsNeverWrittenTo() throws {
    let stranger = SimulatedLIS3MDL(address: 0x18, field: wave(1))
    let rig = try Rig([stranger], sensor: "LIS3DH")
    rig.run(until: at(3))
    #expect(rig.bus.log.allSatisfy { $0.operations == [.write([0x0F]), .read(1)] })
    #expect(rig.frames.isEmpty && rig.counters.read == 0 && rig.counters.errors > 1)
    #expect(rig.counters.trouble?.fault.cause == .wrongIdentity(read: 0x3D))
}

@Test func burstsReadExactlyTheWatermark() throws {
    let rig = try Rig(
        [SimulatedLIS3DH(acceleration: wave(1))], sensor: "LIS3DH", settings: ChipSettings(watermark: 25))
    rig.run(until: at(20))
    let bursts = rig.bus.log.filter { $0.operations.first == .write([0xA8]) }
    #expect(bursts.allSatisfy { $0.operations == [.write([0xA8]), .read(150)] })
    #expect(bursts.count * 25 == rig.frames.count + 7)  // those before it has turned on
    // One stamp per burst, on its last frame; one visit per burst once the rate is known.
    #expect(rig.frames.enumerated().allSatisfy { $0.element.isStamped == (($0.offset + 7) % 25 == 24) })
    #expect(rig.serves <= bursts.count + 3)
}
