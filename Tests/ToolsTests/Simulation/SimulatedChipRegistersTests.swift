// SPDX-License-Identifier: Apache-2.0
import Base
import SimulatedWorld
import Testing

@testable import Simulation

extension SimulatedChip {
    fileprivate mutating func set(_ register: UInt8, _ value: UInt8) { write([register, value]) }
    fileprivate mutating func get(_ register: UInt8, _ count: Int = 1) -> [UInt8] {
        write([register])
        return read(count)
    }
}

/// The side effects that drivers depend on.
@Suite struct SimulatedChipRegistersTests {
    private let exact = Specimen(rateError: 0)

    @Test func anADXL345PopsASampleOnlyWhenAllSixRegistersWereRead() {
        var chip = SimulatedADXL345(acceleration: { SIMD3(Double($0.nanoseconds) / 1e9, 0, 0) }, specimen: exact)
        chip.set(0x31, 0x0B)
        chip.set(0x38, 0x80)
        chip.set(0x2D, 0x08)
        chip.advance(to: at(0.055))
        #expect(chip.get(0x39) == [5])
        _ = chip.get(0x32, 2)
        #expect(chip.get(0x39) == [5])
        #expect(chip.get(0x32, 6)[0] == 3 && chip.get(0x39) == [4])  // 0.01 g in 1/256
        chip.advance(to: at(1))
        #expect(chip.get(0x39) == [33] && chip.get(0x30)[0] & 1 == 1)
        _ = chip.get(0x32, 6)
        #expect(chip.get(0x30)[0] & 1 == 0)
    }

    /// INT_ENABLE (0x2E) b1 puts the watermark on INT1 unless INT_MAP (0x2F) b1 moves it to INT2, and INT_SOURCE
    /// (0x30) has it in b1 in any case; its b0 is an overrun (ADXL345 datasheet, Table 19). 100 samples a second.
    @Test(
        arguments: [
            (0x02, 0x00, 5, 4, false), (0x02, 0x00, 5, 5, true), (0x02, 0x00, 5, 6, true), (0x02, 0x02, 5, 5, false),
            (0x00, 0x00, 5, 5, false), (0x02, 0x00, 1, 0, false), (0x02, 0x00, 31, 30, false),
            (0x02, 0x00, 31, 31, true),
        ] as [(UInt8, UInt8, UInt8, Int, Bool)])
    func anADXL345RaisesItsPinAtTheWatermark(
        enabled: UInt8, map: UInt8, watermark: UInt8, samples: Int, isHigh: Bool
    ) {
        var chip = SimulatedADXL345(acceleration: { _ in SIMD3(0, 0, 1) }, specimen: exact)
        for (register, value) in [(0x38, 0x80 | watermark), (0x2E, enabled), (0x2F, map), (0x2D, 0x08)]
            as [(UInt8, UInt8)]
        {
            chip.set(register, value)
        }
        chip.advance(to: at((Double(samples) + 0.5) / 100))
        #expect((chip.pinHighSince != nil) == isHigh)
        #expect(chip.get(0x30)[0] & 0x03 == (samples >= Int(watermark) ? 0x02 : 0x00))
    }

    /// DRDY is b0 and DOR b2 of STATUS (QST's datasheet 1.0, §9.2.2): a sample that was not read
    /// before the next is told, and reading clears both. Data registers "are locked until last/unlock register is read.
    /// New data are not stored when locked and DRDY is not set" (betaflight's pull request 13467).
    @Test func aQMC5883LTellsOfASampleThatWasNotRead() {
        var chip = SimulatedQMC5883L(field: { _ in SIMD3(10, 0, 0) }, specimen: exact)
        chip.set(0x09, 0x01)
        chip.advance(to: at(0.15))
        #expect(chip.get(0x06)[0] & 7 == 1)
        chip.advance(to: at(0.25))
        #expect(chip.get(0x06)[0] & 7 == 5)
        _ = chip.get(0x00, 5)
        #expect(chip.get(0x06)[0] & 7 == 0)
        chip.advance(to: at(0.35))
        #expect(chip.get(0x06)[0] & 7 == 4, "the last byte is still to be read")
        _ = chip.get(0x00, 6)
        #expect(chip.get(0x06)[0] & 7 == 0)
        chip.advance(to: at(0.45))
        #expect(chip.get(0x06)[0] & 7 == 1)
    }

    /// CTRL_REG3 of the LIS3DH (ST's lis3dh_reg.h): I1_WTM b2 lets INT1 follow the watermark of a
    /// FIFO that is on, I1_ZYXDA b4 a new sample; each alone.
    @Test(
        arguments: [
            (0x04, true, true), (0x04, false, false), (0x10, false, true), (0x10, true, true), (0x00, true, false),
            (0x00, false, false),
        ] as [(UInt8, Bool, Bool)])
    func aLIS3DHRaisesItsPinForWhatIsAskedFor(control: UInt8, hasFIFO: Bool, isHigh: Bool) {
        var chip = SimulatedLIS3DH(acceleration: { _ in SIMD3(0, 0, 1) }, specimen: exact)
        chip.set(0x22, control)
        if hasFIFO {
            chip.set(0x24, 0x40)
            chip.set(0x2E, 0x85)
        }
        chip.set(0x20, 0x57)
        chip.advance(to: at(0.1))
        #expect((chip.pinHighSince != nil) == isHigh)
        // A threshold that is not reached, and a FIFO that is emptied, take it away at once.
        guard isHigh, control == 0x04 else { return }
        for (mode, isStillHigh) in [(0x9F, false), (0x85, true), (0x05, false)] as [(UInt8, Bool)] {
            chip.set(0x2E, mode)
            #expect((chip.pinHighSince != nil) == isStillHigh)
        }
    }

    /// ODR is b7 to b4 of CTRL_REG1, LPen its b3 (ST's lis3dh_reg.h). STATUS_REG (0x27) has ZYXDA in b3.
    @Test(
        arguments: [
            (0x17, 1), (0x27, 10), (0x37, 25), (0x47, 50), (0x57, 100), (0x5F, 100), (0x67, 200), (0x77, 400),
            (0x8F, 1620), (0x97, 1344), (0x9F, 5376),
        ] as [(UInt8, Double)])
    func aLIS3DHHasTheRateOfItsMode(control: UInt8, rate: Double) {
        var chip = SimulatedLIS3DH(acceleration: { _ in .zero }, specimen: exact)
        chip.set(0x20, control)
        chip.advance(to: at(0.99 / rate))
        #expect(chip.get(0x27)[0] & 0x08 == 0)
        chip.advance(to: at(1.01 / rate))
        #expect(chip.get(0x27)[0] & 0x08 != 0)
    }

    /// TEMP_CFG_REG (0x1F) of the LIS3DH: b7 the converter, b6 the thermometer (ST's lis3dh_reg.c). 256 to a degree
    /// above 25 °C.
    @Test(arguments: [(0x00, 0), (0x40, 0), (0x80, 0), (0xC0, 5), (0xFF, 5)] as [(UInt8, UInt8)])
    func aLIS3DHMeasuresItsTemperatureWhereBothAreOn(switches: UInt8, degrees: UInt8) {
        var chip = SimulatedLIS3DH(acceleration: { _ in .zero }, temperature: { _ in 30 }, specimen: exact)
        chip.set(0x1F, switches)
        #expect(chip.get(0x0C) == [0] && chip.get(0x0D) == [degrees])
    }

    /// What was in a FIFO is gone with the power, and nothing is measured until a chip is asked to.
    @Test func aChipThatLostItsPowerHasNothing() {
        var first = SimulatedADXL345(acceleration: { _ in SIMD3(0, 0, 1) }, specimen: exact)
        first.set(0x38, 0x80)
        first.set(0x2D, 0x08)
        first.advance(to: at(0.055))
        #expect(first.get(0x39) == [5])
        first.powerCycle(at: at(0.055))
        first.advance(to: at(1))
        #expect(first.get(0x39) == [0] && first.get(0x2D) == [0])
        var second = SimulatedLSM6DSO(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in .zero }, specimen: exact)
        for (register, value) in [(0x09, 0x44), (0x0A, 6), (0x11, 0x4C), (0x10, 0x40)] as [(UInt8, UInt8)] {
            second.set(register, value)
        }
        second.advance(to: at(0.02))
        #expect(second.get(0x3A, 2)[0] == 4)
        second.powerCycle(at: at(0.02))
        second.advance(to: at(1))
        #expect(second.get(0x3A, 2)[0] == 0)
    }

    /// The ends of the runs of registers that are read and written in the data sheets' register maps, and what is beside
    /// them.
    @Test func aChipTakesWhatIsWrittenToItsSettingsAlone() {
        let chips: [(chip: any SimulatedChip, settings: [UInt8], others: [UInt8])] = [
            (
                SimulatedADXL345(acceleration: { _ in .zero }, specimen: exact), [0x1D, 0x2A, 0x2E, 0x2F, 0x31],
                [0x1C, 0x2B]
            ),
            (
                SimulatedLIS3DH(acceleration: { _ in .zero }, specimen: exact),
                [0x1E, 0x23, 0x25, 0x26, 0x30, 0x32, 0x34, 0x36, 0x38, 0x3A, 0x3F],
                [0x1D, 0x27, 0x31, 0x35, 0x39, 0x40]
            ),
            (
                SimulatedLIS3MDL(field: { _ in .zero }, specimen: exact),
                [0x05, 0x0A, 0x23, 0x24, 0x30, 0x32, 0x33], [0x04, 0x0B, 0x25, 0x31, 0x34]
            ),
            (
                SimulatedLIS2MDL(field: { _ in .zero }, specimen: exact),
                [0x45, 0x4A, 0x61, 0x63, 0x65, 0x66], [0x44, 0x4B, 0x5F, 0x64, 0x67]
            ),
            (
                SimulatedLSM6DSO(acceleration: { _ in .zero }, rotation: { _ in .zero }, specimen: exact),
                [0x01, 0x02, 0x07, 0x0E, 0x12, 0x19, 0x56, 0x5F, 0x73, 0x75],
                [0x00, 0x03, 0x06, 0x0F, 0x1A, 0x55, 0x60, 0x72, 0x76]
            ),
            (
                SimulatedLSM9DS1(acceleration: { _ in .zero }, rotation: { _ in .zero }, specimen: exact),
                [0x04, 0x0D, 0x11, 0x13, 0x1E, 0x22, 0x24, 0x30, 0x37], [0x03, 0x0E, 0x14, 0x1D, 0x25, 0x2F, 0x38]
            ),
        ]
        for (new, settings, others) in chips {
            var chip = new
            for register in settings + others {
                let before = chip.get(register)
                chip.set(register, 0x20)
                let isSetting = settings.contains(register)
                #expect(chip.get(register) == (isSetting ? [0x20] : before), "\(type(of: new)) \(register)")
            }
        }
    }

    /// Two bytes of one axis a hundred times a second from 5 ms on: 512 after 256 samples, which is no overflow.
    @Test func anMPU6050OverflowsWithTheFirstByteThatHasNoRoom() {
        var chip = SimulatedMPU6050(.mpu6500, acceleration: { _ in .zero }, rotation: { _ in .zero }, specimen: exact)
        chip.set(0x6B, 1)
        chip.advance(to: at(0.005))
        for (register, value) in [(0x1A, 3), (0x19, 9), (0x23, 0x40), (0x6A, 0x40)] as [(UInt8, UInt8)] {
            chip.set(register, value)
        }
        for (seconds, bytes, isOver) in [(2.56, [1, 254], 0), (2.57, [2, 0], 0), (2.58, [2, 0], 0x10)]
            as [(Double, [UInt8], UInt8)]
        {
            chip.advance(to: at(seconds))
            #expect(chip.get(0x72, 2) == bytes && chip.get(0x3A)[0] & 0x10 == isOver, "\(seconds)")
        }
    }

    @Test func anMPU6050LosesItsAlignmentWhenItsFIFOOverflows() {
        var chip = SimulatedMPU6050(
            .mpu6500, acceleration: { _ in SIMD3(1, 0, 0) }, rotation: { _ in .zero }, specimen: exact)
        #expect(chip.get(0x6B) == [0x40])  // asleep
        chip.set(0x6B, 1)
        chip.advance(to: at(0.005))  // until then it hears nothing
        for (register, value) in [(0x1A, 3), (0x19, 9), (0x23, 0x78), (0x6A, 0x40)] as [(UInt8, UInt8)] {
            chip.set(register, value)
        }
        chip.advance(to: at(0.105))
        #expect(chip.get(0x72, 2) == [0, 120])
        #expect(chip.get(0x74, 12).prefix(2) == [0x40, 0x00])
        chip.advance(to: at(2))
        #expect(chip.get(0x72, 2) == [2, 0] && chip.get(0x3A)[0] & 0x10 != 0 && chip.get(0x3A)[0] & 0x10 == 0)
        #expect(chip.get(0x74, 12).prefix(2) != [0x40, 0x00])  // 512 is no multiple of 12
        chip.set(0x6A, 0x44)
        #expect(chip.get(0x72, 2) != [0, 0])  // no reset while enabled
        chip.set(0x6A, 0x04)
        #expect(chip.get(0x72, 2) == [0, 0])
    }

    /// INT_PIN_CFG (0x37) b1 is BYPASS_EN, USER_CTRL (0x6A) b5 its own I2C master, which excludes the bypass.
    @Test(
        arguments: [(0x00, 0x00, false), (0x02, 0x00, true), (0x02, 0x20, false), (0x00, 0x20, false)]
            as [(UInt8, UInt8, Bool)])
    func anMPU9250ClosesItsBypassWhileItsOwnMasterIsOff(pins: UInt8, user: UInt8, isClosed: Bool) {
        let bypass = BypassSwitch()
        var chip = SimulatedMPU6050(
            .mpu9250, bypass: bypass, acceleration: { _ in .zero }, rotation: { _ in .zero }, specimen: exact)
        chip.set(0x6B, 1)
        chip.advance(to: at(0.005))  // until then it hears nothing
        chip.set(0x37, pins)
        chip.set(0x6A, user)
        #expect(bypass.isClosed == isClosed)
        chip.powerCycle(at: at(0.005))
        #expect(!bypass.isClosed)
    }

    @Test func anLSM6DSOBurstWrapsToTheTagAndItsWordsAreCounted() {
        var chip = SimulatedLSM6DSO(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in SIMD3(7, 0, 0) }, specimen: exact)
        for (register, value) in [(0x09, 0x44), (0x0A, 6), (0x11, 0x4C), (0x10, 0x40)] as [(UInt8, UInt8)] {
            chip.set(register, value)
        }
        chip.advance(to: at(0.02))
        #expect(chip.get(0x3A, 2)[0] == 4)
        let words = chip.get(0x78, 28)
        #expect([0, 7, 14, 21].map { words[$0] >> 3 } == [1, 2, 1, 2])
        #expect([0, 7, 14, 21].map { words[$0] >> 1 & 3 } == [0, 0, 1, 1])
        #expect([0, 7, 14, 21].allSatisfy { words[$0].nonzeroBitCount % 2 == 0 })
        // Half as much again as the truth while the filters settle.
        #expect(words[1] == 150 && chip.get(0x78) == [0])
        chip.set(0x12, 0x00)  // without IF_INC the same register comes again and again
        #expect(chip.get(0x0F, 3) == [0x6C, 0x6C, 0x6C])
    }

    /// The kernel's st_lsm6dsx, samples_to_discard of the LSM6DSM's gyroscope from 12.5 Hz on.
    @Test(
        arguments: [
            (0x1, 12.5, 2), (0x2, 26, 5), (0x3, 52, 7), (0x4, 104, 12), (0x5, 208, 20), (0x6, 416, 36),
        ] as [(UInt8, Double, Int)])
    func anLSM6DSOSpoilsAsManySamplesAsTheKernelDiscards(code: UInt8, rate: Double, count: Int) {
        var chip = SimulatedLSM6DSO(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in SIMD3(7, 0, 0) }, specimen: exact)
        for (register, value) in [(0x09, 0x44), (0x0A, 6), (0x11, code << 4 | 0x0C), (0x10, code << 4)]
            as [(UInt8, UInt8)]
        {
            chip.set(register, value)
        }
        chip.advance(to: at((Double(count) + 1.5) / rate))
        let words = chip.get(0x78, 14 * (count + 1))
        // At 0.07 deg/s to a digit 7 deg/s are 100.
        let turns = (0...count).map { words[14 * $0 + 1] }
        #expect(turns == Array(repeating: 150, count: count) + [100])
    }

    /// FIFO_CTRL4 (0x0A): mode 1 stops when full, mode 6 drops the oldest. FIFO_STATUS2 (0x3B): b7 watermark, b6 overrun,
    /// b5 full, b3 overrun since the last reading, b1 and b0 of the count (LSM6DSO datasheet, 9.9 and 9.48). Two words
    /// to a sample, with the sample's number modulo 4 in b2 and b1 of the tag.
    @Test(arguments: [(1, 0xA2, 0), (6, 0xEA, 2)] as [(UInt8, UInt8, UInt8)])
    func anLSM6DSOThatIsFullStopsOrDropsTheOldest(mode: UInt8, status: UInt8, first: UInt8) {
        var chip = SimulatedLSM6DSO(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in .zero }, specimen: exact)
        for (register, value) in [(0x09, 0x44), (0x0A, mode), (0x11, 0x4C), (0x10, 0x40)] as [(UInt8, UInt8)] {
            chip.set(register, value)
        }
        func fill(_ samples: Double) { chip.advance(to: at((samples + 0.5) / 104)) }
        fill(255)
        #expect(chip.get(0x3A, 2) == [0xFE, 0x81])
        fill(256)
        #expect(chip.get(0x3A, 2) == [0x00, 0xA2])
        fill(258)
        #expect(chip.get(0x3A, 2) == [0x00, status])
        #expect(chip.get(0x78)[0] >> 1 & 3 == first)
    }

    /// Mode 0 of FIFO_CTRL4 is bypass: the FIFO is empty, with its flags, and takes nothing until it is on again.
    @Test func anLSM6DSOInBypassHoldsNothing() {
        var chip = SimulatedLSM6DSO(
            acceleration: { _ in SIMD3(0, 0, 1) }, rotation: { _ in .zero }, specimen: exact)
        for (register, value) in [(0x09, 0x44), (0x07, 4), (0x0A, 6), (0x11, 0x4C), (0x10, 0x40)] as [(UInt8, UInt8)] {
            chip.set(register, value)
        }
        chip.advance(to: at(1.5 / 104))
        #expect(chip.get(0x3A, 2) == [2, 0x00])
        chip.advance(to: at(300.5 / 104))
        #expect(chip.get(0x3A, 2) == [0x00, 0xEA])
        chip.set(0x0A, 0)
        #expect(chip.get(0x3A, 2) == [0, 0] && chip.get(0x78) == [0])
        chip.advance(to: at(310.5 / 104))
        #expect(chip.get(0x3A, 2) == [0, 0])
        chip.set(0x0A, 6)
        #expect(chip.get(0x3A, 2) == [0, 0])
        chip.advance(to: at(312.5 / 104))
        #expect(chip.get(0x3A, 2) == [4, 0x80])
    }

    @Test func anHMC5883LMeasuresOnceAndKeepsItsFlag() {
        var chip = SimulatedHMC5883L(field: { _ in SIMD3(100, 50, 500) }, specimen: exact)
        chip.set(0x02, 0x01)
        #expect(chip.get(0x09)[0] & 1 == 0)
        chip.advance(to: at(1))
        #expect(chip.get(0x03, 6) == [0x04, 0x42, 0xF0, 0x00, 0x02, 0x21])  // Z is beyond the range: −4096
        #expect(chip.get(0x09)[0] == 1)
        _ = chip.get(0x03, 2)
        #expect(chip.get(0x09)[0] & 2 == 2)  // half read: locked
    }

    /// Single measurement mode ends in idle (Honeywell's datasheet, Table 12).
    @Test func anHMC5883LMeasuresNothingUnasked() {
        var chip = SimulatedHMC5883L(field: { SIMD3(10 * ($0 - .zero).seconds, 0, 0) }, specimen: exact)
        chip.set(0x02, 0x01)
        chip.advance(to: at(1))
        let first = chip.get(0x03, 6)
        #expect(chip.get(0x02)[0] & 3 == 3)
        chip.advance(to: at(2))
        #expect(chip.get(0x03, 6) == first)
        #expect(chip.get(0x09)[0] & 1 == 1)
        chip.set(0x02, 0x01)
        #expect(chip.get(0x09)[0] & 1 == 0)
        chip.advance(to: at(3))
        #expect(chip.get(0x03, 6) != first)
    }

    /// A field above 10 gauss leaves 12 µT until the next SET (CONTROL0 b3), and a sample is wrong by 40 where CONTROL0
    /// was written while the chip measures. AUTO_SR (b5) takes the bridge's own offset away.
    @Test(arguments: [(1001, [112, 152, 112, 140, 100]), (1000, [100, 140, 100, 140, 100])] as [(Double, [Int])])
    func anMMC5983MARemembersAStrongFieldUntilItIsSet(strong: Double, seen: [Int]) {
        var chip = SimulatedMMC5983MA(
            field: { SIMD3($0 < at(0.015) ? strong : 100, 0, 0) }, specimen: exact)
        chip.set(0x09, 0x20)
        chip.set(0x0B, 0x0D)
        chip.advance(to: at(0.012))
        let found = ([nil, 0x20, nil, 0x28, nil] as [UInt8?]).enumerated().map { place, control in
            if let control { chip.set(0x09, control) }
            chip.advance(to: at(0.025 + 0.01 * Double(place)))
            return Int(Self.x(chip.get(0x00, 7)).rounded())
        }
        #expect(found == seen)
    }

    /// The bridge, turned over until the first SET, shows -100 and its offset of 12.
    @Test(arguments: [false, true]) func anMMC5983MAThatLostItsPowerSpoilsNoSample(isReset: Bool) {
        var chip = SimulatedMMC5983MA(field: { _ in SIMD3(100, 0, 0) }, specimen: exact)
        chip.set(0x0B, 0x0D)
        chip.set(0x09, 0x00)
        if isReset { chip.set(0x0A, 0x80) } else { chip.powerCycle(at: at(0)) }
        chip.set(0x0B, 0x0D)
        chip.advance(to: at(0.015))
        #expect(Int(Self.x(chip.get(0x00, 7)).rounded()) == -88)
    }

    /// In µT.
    private static func x(_ bytes: [UInt8]) -> Double {
        Double((Int(bytes[0]) << 10 | Int(bytes[1]) << 2 | Int(bytes[6] >> 6)) - 131_072) / 163.84
    }

    @Test func anMMC5983MAHidesWhatIsWrittenAndItsBridgeHasAnOffset() {
        var chip = SimulatedMMC5983MA(field: { _ in SIMD3(100, 0, 0) }, specimen: exact)
        chip.set(0x0B, 0x0D)
        #expect(chip.get(0x0B) == [0])
        chip.set(0x09, 0x08)
        chip.advance(to: at(0.02))
        let set = Self.x(chip.get(0x00, 7))
        chip.set(0x09, 0x10)
        chip.advance(to: at(0.04))
        let reset = Self.x(chip.get(0x00, 7))
        #expect(abs((set - reset) / 2 - 100) < 0.01 && abs((set + reset) / 2) > 1)
        #expect(chip.get(0x08) == [1] && chip.get(0x08) == [1])
        chip.set(0x08, 0x01)
        #expect(chip.get(0x08) == [0])
        chip.set(0x09, 0x20)
        chip.advance(to: at(0.06))
        #expect(abs(Self.x(chip.get(0x00, 7)) - 100) < 0.01)
    }

    @Test func anICM20948HasFourBanksAndItsIdentityInOneOfThem() {
        let bypass = BypassSwitch()
        var chip = SimulatedICM20948(
            bypass: bypass, acceleration: { _ in SIMD3(1, 0, 0) }, rotation: { _ in .zero }, specimen: exact)
        #expect(chip.get(0x00) == [0xEA] && chip.get(0x06) == [0x41])  // asleep
        chip.set(0x06, 1)
        chip.advance(to: at(0.005))  // until then it hears nothing
        for (register, value) in [(0x67, 0x1E), (0x03, 0x40), (0x7F, 0x20), (0x00, 10), (0x01, 0x19)]
            as [(UInt8, UInt8)]
        {
            chip.set(register, value)
        }
        #expect(chip.get(0x00) == [10] && chip.get(0x7F) == [0x20])
        chip.advance(to: at(0.105))
        #expect(chip.get(0x70, 2) == [0, 0])  // another register in this bank
        chip.set(0x7F, 0x10)
        #expect(chip.get(0x00) == [0])
        chip.set(0x7F, 0x00)
        #expect(chip.get(0x70, 2) == [0, 120])  // ten records at 102.3 Hz
        #expect(chip.get(0x72, 12).prefix(2) == [0x40, 0x00] && chip.get(0x70, 2) == [0, 108])
        chip.advance(to: at(2))
        #expect(chip.get(0x70, 2) == [2, 0] && chip.get(0x1B) == [1] && chip.get(0x1B) == [0])
        #expect(chip.get(0x72, 12).prefix(2) != [0x40, 0x00])  // 512 is no multiple of 12
        chip.set(0x68, 0x1F)
        #expect(chip.get(0x70, 2) == [0, 0])
        #expect(!bypass.isClosed)
        chip.set(0x0F, 0x02)
        #expect(bypass.isClosed)
        chip.set(0x03, 0x60)  // its own I2C master excludes the bypass
        #expect(!bypass.isClosed)
        chip.set(0x06, 0x80)
        #expect(chip.get(0x06) == [0x41])
    }

    @Test func anAK8963GivesItsFusesInFuseModeOnlyAndLocksUntilST2() {
        var chip = SimulatedAK8963(field: { SIMD3(Double($0.nanoseconds) / 1e9, 0, 0) }, specimen: exact)
        #expect(chip.get(0x10, 3) == [0, 0, 0])
        chip.set(0x0A, 0x0F)
        #expect(chip.get(0x10, 3) == SimulatedAK8963.fuses)
        chip.set(0x0A, 0x16)  // not from one mode to another
        #expect(chip.get(0x0A) == [0x0F])
        chip.set(0x0A, 0x00)
        chip.set(0x0A, 0x16)
        chip.advance(to: at(10))
        #expect(chip.get(0x02) == [3])  // a new sample, others skipped
        let first = chip.get(0x03, 6)
        chip.advance(to: at(20))
        #expect(chip.get(0x03, 6) == first)  // ST2 was not read
        #expect(chip.get(0x09) == [0x10])
        chip.advance(to: at(20.02))
        #expect(chip.get(0x02)[0] & 1 == 1 && chip.get(0x03, 6) != first)
        #expect(first[0...1] == [0, 0] && first[2] > 0)  // the housing's X is its Y
    }

    @Test func anAK09916LocksUntilST2AndIsTurnedOver() {
        var chip = SimulatedAK09916(field: { _ in SIMD3(15, 30, -45) }, specimen: exact)
        chip.set(0x31, 0x08)
        chip.advance(to: at(0.015))
        #expect(chip.get(0x10) == [1] && chip.get(0x11, 6) == [100, 0, 0x38, 0xFF, 0x2C, 0x01])
        chip.advance(to: at(0.025))
        #expect(chip.get(0x10) == [2] && chip.get(0x18) == [0])
        chip.advance(to: at(0.035))
        #expect(chip.get(0x10)[0] & 1 == 1)
        chip.set(0x32, 0x01)
        #expect(chip.get(0x31) == [0])
    }

    @Test func theWorldTurnsAsFastAsItsTiltChanges() throws {
        let world = try World(script: "turn 10s")
        #expect(world.angularRate(at: at(3)) == SIMD3(36, 0, 0))
    }
}
