// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

@testable import Device

/// ST's lis3mdl_reg.c (`from_fs*_to_gauss`) divides by 6842, 3421, 2281 and 1711; 1
/// gauss is 100 µT.
@Test(arguments: [(400.0, 6842.0), (800, 3421), (1200, 2281), (1600, 1711)])
func lis3mdlScaleIsTheMakers(_ range: Double, _ perGauss: Double) throws {
    let bus = SimulatedI2CBus(chips: []) { .zero }
    let chip = try LIS3MDL(bus: bus, busName: "i2c-1", settings: ChipSettings(range: range))
    #expect(abs(chip.source.channels[0].value(Int32(perGauss)) - 100) < 1e-9)
}

@Test(arguments: [
    (ChipSettings(rate: 15), "LIS3MDL has no rate 15; possible: 0.625, 1.25, 2.5, 5, 10, 20, 40, 80"),
    (ChipSettings(range: 4), "LIS3MDL has no range 4; possible: 400, 800, 1200, 1600"),
    (ChipSettings(address: 0x1D), "LIS3MDL has no address 0x1D; possible: 0x1C, 0x1E"),
    (ChipSettings(watermark: 8), "LIS3MDL has no watermark 8; possible: 1, for it has no FIFO"),
])
func lis3mdlRefusesWhatItDoesNotHave(_ settings: ChipSettings, _ message: String) {
    let error = #expect(throws: SettingError.self) {
        _ = try LIS3MDL(bus: SimulatedI2CBus(chips: []) { .zero }, busName: "i2c-1", settings: settings)
    }
    #expect(error?.description == message)
}

@Test(arguments: [(0x00, 0, false), (0x0F, 1, false), (0xFF, 1, true), (0x80, 0, false)] as [(UInt8, Int, Bool)])
func lis3mdlStatusIsRead(_ status: UInt8, _ level: Int, _ isOverrun: Bool) {
    #expect(LIS3MDL.waiting(status: status) == FIFOStatus(level: level, isOverrun: isOverrun))
}

@Test(arguments: [10.0, 80])
func lis3mdlGivesEachSampleOnceWithinHalfAStep(_ rate: Double) throws {
    let truth = wave(60)
    let chip = SimulatedLIS3MDL(field: truth, specimen: Specimen(rateError: 0.05))
    let rig = try Rig([chip], sensor: "LIS3MDL", settings: ChipSettings(rate: rate))
    rig.run(until: at(20))
    let step = rig.device.source.channels[0].scale
    for (place, frame) in rig.frames.enumerated() {
        let index = place + 2  // the first two after power-down are none
        let time = at(0.0001 + Double(index + 1) / (rate * 1.05))
        for axis in 0..<3 {
            let value = rig.device.source.channels[axis].value(frame.values[axis])
            #expect(abs(value - truth(time)[axis]) <= step / 2 + 1e-4)
        }
        // Its stamp is never early, and once the moment of a sample has been sought good to a
        // seventh of a period.
        let late = (frame.time - time).seconds * rate
        #expect(frame.isStamped && late >= 0 && late < (index < 20 ? 1 : 0.2))
    }
    #expect(abs(rig.frames.count + 2 - Int(20 * rate * 1.05)) <= 2 && rig.counters.lost == 0)
}

@Test func lis3mdlOverrunIsCounted() throws {
    let chip = SimulatedLIS3MDL(field: wave(60), specimen: Specimen(rateError: 0))
    let rig = try Rig([chip], sensor: "LIS3MDL")
    rig.run(until: at(5))
    rig.hand.now = at(6.04)  // the thread was held up for a second: about ten samples at 10 Hz, one of them is left
    rig.run(until: at(10))
    let gap = rig.frames.filter { $0.lostBefore > 0 }
    #expect(gap.count == 1 && gap.first?.reason == LossReason.chipOverrun.rawValue)
    #expect(abs(rig.frames.count + 2 + rig.lostInFrames - 99) <= 1)
    #expect(rig.counters.lost(.chipOverrun) == rig.lostInFrames)
}
