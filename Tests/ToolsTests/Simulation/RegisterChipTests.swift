// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Simulation

/// What all chips have in common, and what each sensor shows in its registers by its datasheet.
@Suite struct RegisterChipTests {
    private static let exact = Specimen(rateError: 0)
    private static let ramp: Signal = { SIMD3(($0 - .zero).seconds, 0.2, -0.3) }
    private static let field: Signal = { SIMD3(100 * ($0 - .zero).seconds, 20, -30) }

    /// A chip that measures steadily by `settings`, after `wake` and 10 ms where it sleeps at first.
    private struct Sample: Sendable {
        /// By what it feels: a force or a field, and a turn.
        let make: @Sendable (@escaping Signal, @escaping Signal) -> any SimulatedChip
        var wake: [UInt8]?
        var settings: [[UInt8]]

        func begun(
            _ first: @escaping Signal = RegisterChipTests.ramp, _ second: @escaping Signal = RegisterChipTests.field
        ) -> any SimulatedChip {
            var chip = make(first, second)
            if let wake {
                chip.write(wake)
                chip.advance(to: at(0.01))
            }
            for setting in settings { chip.write(setting) }
            return chip
        }
    }

    private static let samples: [Sample] = [
        Sample(
            make: { force, _ in SimulatedADXL345(acceleration: force, specimen: exact) },
            settings: [[0x31, 0x0B], [0x38, 0x80], [0x2E, 0x02], [0x2D, 0x08]]),
        Sample(
            make: { force, _ in SimulatedLIS3DH(acceleration: force, specimen: exact) },
            settings: [[0x22, 0x04], [0x24, 0x40], [0x2E, 0x85], [0x20, 0x57]]),
        Sample(make: { field, _ in SimulatedLIS3MDL(field: field, specimen: exact) }, settings: [[0x22, 0x00]]),
        Sample(
            make: { field, _ in SimulatedLIS2MDL(field: field, specimen: exact) },
            settings: [[0x62, 0x01], [0x60, 0x00]]),
        Sample(make: { field, _ in SimulatedQMC5883L(field: field, specimen: exact) }, settings: [[0x09, 0x01]]),
        Sample(make: { field, _ in SimulatedMMC5983MA(field: field, specimen: exact) }, settings: [[0x0B, 0x0D]]),
        Sample(
            make: { force, turn in SimulatedLSM6DSO(acceleration: force, rotation: turn, specimen: exact) },
            settings: [[0x18, 0xE2], [0x0D, 0x08], [0x09, 0x44], [0x0A, 6], [0x11, 0x4C], [0x10, 0x40]]),
        Sample(
            make: { force, turn in SimulatedLSM9DS1(acceleration: force, rotation: turn, specimen: exact) },
            settings: [[0x0C, 0x08], [0x23, 0x02], [0x2E, 0xC3], [0x10, 0x60]]),
        Sample(
            make: { force, turn in SimulatedMPU6050(.mpu6500, acceleration: force, rotation: turn, specimen: exact) },
            wake: [0x6B, 1], settings: [[0x6B, 1], [0x1A, 3], [0x19, 9], [0x23, 0x78], [0x6A, 0x40]]),
        Sample(
            make: { force, turn in SimulatedICM20948(acceleration: force, rotation: turn, specimen: exact) },
            wake: [0x06, 1],
            settings: [
                [0x06, 1], [0x67, 0x1E], [0x03, 0x40], [0x7F, 0x20], [0x00, 10], [0x01, 0x19], [0x7F, 0x00],
            ]),
        Sample(make: { field, _ in SimulatedAK8963(field: field, specimen: exact) }, settings: [[0x0A, 0x16]]),
        Sample(make: { field, _ in SimulatedAK09916(field: field, specimen: exact) }, settings: [[0x31, 0x08]]),
    ]

    private static func registers(_ chip: inout any SimulatedChip) -> [UInt8] {
        (UInt8(0)..<0x80).map { chip.read(register: $0, count: 1)[0] }
    }

    @Test(arguments: samples.indices) func aChipThatLostItsPowerIsAsNew(_ index: Int) {
        let sample = Self.samples[index]
        var (new, chip) = (sample.make(Self.ramp, Self.field), sample.begun())
        let blank = Self.registers(&new)
        chip.advance(to: at(1))
        #expect(Self.registers(&chip) != blank)
        chip.advance(to: at(1.2))
        chip.powerCycle(at: at(1.2))
        #expect(chip.pinHighSince == nil)
        #expect(Self.registers(&chip) == blank)
        chip.advance(to: at(3))
        #expect(Self.registers(&chip) == blank, "it measures only when it is asked to")
    }

    /// But for the second bank of an ICM-20948.
    @Test(arguments: samples.indices) func writingWhatIsThereAlreadyChangesNothing(_ index: Int) {
        let sample = Self.samples[index]
        var (chip, other) = (sample.begun(), sample.begun())
        other.advance(to: at(0.5037))
        for setting in sample.settings.prefix(index == 9 ? 3 : .max) { other.write(setting) }
        chip.advance(to: at(1))
        other.advance(to: at(1))
        #expect(chip.pinHighSince == other.pinHighSince)
        let (expected, found) = (Self.registers(&chip), Self.registers(&other))
        #expect(found == expected)
    }

    private static func numbers(_ bytes: [UInt8], isBigEndian: Bool) -> [Int] {
        stride(from: 0, to: bytes.count, by: 2).map { start in
            let (high, low) = isBigEndian ? (bytes[start], bytes[start + 1]) : (bytes[start + 1], bytes[start])
            return Int(Int16(bitPattern: UInt16(high) << 8 | UInt16(low)))
        }
    }

    /// At ±2 g and the narrowest range of turns, 16 384 digits are a g and 131 a deg/s (InvenSense), or a digit is
    /// 0.061 mg and 8.75 mdps (ST). InvenSense's FIFO has the accelerometer before the gyroscope.
    @Test(arguments: [6, 7, 8, 9]) func bothSensorsAreInTheirRegisters(_ index: Int) {
        var sample = Self.samples[index]
        sample.settings = sample.settings.map { $0 == [0x11, 0x4C] ? [0x11, 0x40] : $0 }
        let isInvenSense = index > 7
        let (perG, perDegree) = isInvenSense ? (16_384.0, 131.0) : (1000 / 0.061, 1000 / 8.75)
        let (accel, gyro) = ([0x28, 0x28, 0x3B, 0x2D] as [UInt8], [0x22, 0x18, 0x43, 0x33] as [UInt8])
        var chip = sample.begun({ _ in SIMD3(0.5, -0.25, 1) }, { _ in SIMD3(10, -20, 30) })
        chip.advance(to: at(0.35))
        let (turns, forces) = (
            chip.read(register: gyro[index - 6], count: 6), chip.read(register: accel[index - 6], count: 6)
        )
        #expect(
            Self.numbers(turns, isBigEndian: isInvenSense) == [10, -20, 30].map { Int(($0 * perDegree).rounded()) })
        #expect(
            Self.numbers(forces, isBigEndian: isInvenSense) == [0.5, -0.25, 1].map { Int(($0 * perG).rounded()) })
        if isInvenSense {
            #expect(chip.read(register: index == 8 ? 0x74 : 0x72, count: 12) == forces + turns)
        }
    }

    /// FIFO_EN (0x23) of an MPU-6500 has XG, YG, ZG and ACCEL in b6 to b3, FIFO_EN_2 (0x67) of an ICM-20948 ACCEL, ZG,
    /// YG and XG in b4 to b1. Five samples.
    @Test(
        arguments: [
            (8, 0x00, 0), (8, 0x08, 6), (8, 0x10, 2), (8, 0x20, 2), (8, 0x40, 2), (8, 0x70, 6), (8, 0x78, 12),
            (9, 0x00, 0),
            (9, 0x02, 2), (9, 0x04, 2), (9, 0x08, 2), (9, 0x0E, 6), (9, 0x10, 6), (9, 0x1E, 12),
        ] as [(Int, UInt8, Int)])
    func aFIFOHoldsWhatItIsAskedFor(_ index: Int, _ enabled: UInt8, _ size: Int) {
        var sample = Self.samples[index]
        let register: UInt8 = index == 8 ? 0x23 : 0x67
        sample.settings = sample.settings.map { $0[0] == register ? [register, enabled] : $0 }
        var chip = sample.begun()
        chip.advance(to: at(0.065))
        #expect(chip.read(register: index == 8 ? 0x72 : 0x70, count: 2) == [0, UInt8(5 * size)])
    }

    /// Table 1 of the ADXL345's datasheet: 256, 128, 64 and 32 digits to a g in 10 bits, with FULL_RES (b3 of
    /// DATA_FORMAT) always 256 in 10 to 13.
    @Test(
        arguments: [
            (0x00, 1, 256), (0x00, 3, 511), (0x00, -3, -512), (0x01, 3, 384), (0x02, 3, 192), (0x03, 3, 96),
            (0x03, 20, 511),
            (0x08, 3, 511), (0x09, 3, 768), (0x09, 5, 1023), (0x0A, 5, 1280), (0x0B, 10, 2560), (0x0B, 20, 4095),
            (0x0B, -20, -4096),
        ] as [(UInt8, Double, Int)])
    func anADXL345SaturatesInItsFormat(_ format: UInt8, _ force: Double, _ digits: Int) {
        var chip = SimulatedADXL345(acceleration: { _ in SIMD3(repeating: force) }, specimen: Self.exact)
        chip.write([0x31, format])
        chip.write([0x2D, 0x08])
        chip.advance(to: at(0.1))
        let bytes = chip.read(register: 0x32, count: 6)
        #expect(Self.numbers(bytes, isBigEndian: false) == [digits, digits, digits])
    }

    /// FIFO_SRC (2Fh) of an LSM9DS1: b7 at the threshold, b6 overrun, then how many. The first sample is half too large.
    @Test func anLSM9DS1SaysHowFullItsFIFOIs() {
        var chip = SimulatedLSM9DS1(
            acceleration: { _ in SIMD3(0.5, 0, 0) }, rotation: { _ in .zero }, specimen: Self.exact)
        for setting in [[0x23, 0x02], [0x2E, 0xC3], [0x10, 0x60]] as [[UInt8]] { chip.write(setting) }
        for (samples, source) in [(2.5, 0x02), (3.5, 0x83), (32.5, 0xA0), (33.5, 0xE0)] as [(Double, UInt8)] {
            chip.advance(to: at(samples / 119))
            #expect(chip.read(register: 0x2F, count: 1) == [source], "\(samples)")
        }
        _ = chip.read(register: 0x28, count: 6)
        #expect(chip.read(register: 0x2F, count: 1) == [0x9F])
        chip.write([0x2E, 0x00])
        #expect(chip.read(register: 0x2F, count: 1) == [0x00])
        chip.write([0x2E, 0xC0])
        chip.advance(to: at(35.5 / 119))
        let first = chip.read(register: 0x28, count: 6)
        let second = chip.read(register: 0x28, count: 6)
        #expect(Self.numbers(first, isBigEndian: false)[0] == 12_295)
        #expect(Self.numbers(second, isBigEndian: false)[0] == 8_197)
    }

    /// SW_RESET, b0 of CTRL_REG8 (22h): nothing is left of a FIFO that had run over.
    @Test func anLSM9DS1ThatIsResetHasLostNothing() {
        var chip = SimulatedLSM9DS1(
            acceleration: { _ in SIMD3(0.5, 0, 0) }, rotation: { _ in .zero }, specimen: Self.exact)
        let settings: [[UInt8]] = [[0x23, 0x02], [0x2E, 0xC3], [0x10, 0x60]]
        for setting in settings { chip.write(setting) }
        chip.advance(to: at(40.5 / 119))
        #expect(chip.read(register: 0x2F, count: 1) == [0xE0])
        chip.write([0x22, 0x05])
        #expect(chip.read(register: 0x2F, count: 1) == [0x00])
        for setting in settings { chip.write(setting) }
        chip.advance(to: at(42.6 / 119))
        #expect(chip.read(register: 0x2F, count: 1)[0] & 0x40 == 0)
    }

    /// FIFO_CTRL (2Eh) of an LSM9DS1: b7:5 mode, b4:0 threshold, and b1 of CTRL_REG9 (23h) switches it on. FIFO mode
    /// keeps the first 32 of 40 samples, of which three are half too large (datasheet, table 12), continuous mode the
    /// last; without it, what is read is the last one.
    @Test(
        arguments: [
            (0x02, 0x23, 0xA0, 12_295), (0x02, 0xC3, 0xA0, 8_197), (0x02, 0x00, 0x00, 8_197), (0x02, 0x10, 0x00, 8_197),
            (0x02, 0x1F, 0x00, 8_197), (0x00, 0xC3, 0x00, 8_197),
        ] as [(UInt8, UInt8, UInt8, Int)])
    func anLSM9DS1KeepsWhatItsModeSays(switching: UInt8, control: UInt8, source: UInt8, oldest: Int) {
        var chip = SimulatedLSM9DS1(
            acceleration: { _ in SIMD3(0.5, 0, 0) }, rotation: { _ in .zero }, specimen: Self.exact)
        for setting in [[0x23, switching], [0x2E, control], [0x10, 0x60]] as [[UInt8]] { chip.write(setting) }
        chip.advance(to: at(40.5 / 119))
        // Without b6: that some were lost.
        #expect(chip.read(register: 0x2F, count: 1).map { $0 & 0xBF } == [source])
        let four = (0..<4).map { _ in Self.numbers(chip.read(register: 0x28, count: 6), isBigEndian: false)[0] }
        #expect(four == [oldest, oldest, oldest, 8_197])
    }

    /// 1 gauss at 6842 digits, and 100 µT at 0.15 µT to a digit.
    @Test(arguments: [true, false]) func twoSamplesAfterIdleAreHalfOfWhatTheyShouldBe(isLIS3MDL: Bool) {
        var chip: any SimulatedChip =
            isLIS3MDL
            ? SimulatedLIS3MDL(field: { _ in SIMD3(repeating: 100) }, specimen: Self.exact)
            : SimulatedLIS2MDL(field: { _ in SIMD3(repeating: 100) }, specimen: Self.exact)
        let (control, data): (UInt8, UInt8) = isLIS3MDL ? (0x22, 0xA8) : (0x60, 0x68)
        if !isLIS3MDL { chip.write([0x61, 0x02]) }
        for start in [0.0, 1] {
            chip.write([control, 0x00])
            let seen = [0.15, 0.25, 0.35].map { time in
                chip.advance(to: at(start + time))
                return Self.numbers(chip.read(register: data, count: 2), isBigEndian: false)[0]
            }
            #expect(seen == (isLIS3MDL ? [3421, 3421, 6842] : [333, 333, 667]))
            chip.write([control, 0x03])
            chip.advance(to: at(start + 1))
        }
    }

    /// LIS2MDL (ST's DS12144, table 23): offsets in 45h to 4Ah, CFG_REG_B, CFG_REG_C and INT_CRTL in 61h to 63h, the
    /// threshold in 65h and 66h. Identity, flags and outputs are for reading only.
    @Test(
        arguments: [
            (0x44, false), (0x45, true), (0x4A, true), (0x4B, false), (0x4F, false), (0x61, true), (0x62, true),
            (0x63, true), (0x64, false), (0x65, true), (0x66, true), (0x67, false), (0x68, false), (0x6D, false),
        ] as [(UInt8, Bool)])
    func anLIS2MDLTakesWhatIsForWriting(register: UInt8, isWritable: Bool) {
        var chip: any SimulatedChip = SimulatedLIS2MDL(field: Self.field, specimen: Self.exact)
        check(&chip, register, isWritable)
    }

    /// LSM9DS1 (ST's DocID025715, table 21): identity, flags and outputs are for reading only. CTRL_REG8 (22h) has the
    /// reset.
    @Test(
        arguments: [
            (0x03, false), (0x04, true), (0x0D, true), (0x0E, false), (0x0F, false), (0x10, true), (0x11, true),
            (0x13, true), (0x14, false), (0x15, false), (0x18, false), (0x1D, false), (0x1E, true), (0x1F, true),
            (0x20, true), (0x21, true), (0x23, true), (0x24, true), (0x25, false), (0x27, false), (0x28, false),
            (0x2D, false), (0x2E, true), (0x2F, false), (0x30, true), (0x37, true), (0x38, false),
        ] as [(UInt8, Bool)])
    func anLSM9DS1TakesWhatIsForWriting(register: UInt8, isWritable: Bool) {
        var chip: any SimulatedChip = SimulatedLSM9DS1(
            acceleration: Self.ramp, rotation: Self.field, specimen: Self.exact)
        check(&chip, register, isWritable)
    }

    /// ADXL345 (datasheet, table 19): what is below 1Dh but the identity is reserved; flags and outputs are for reading
    /// only.
    @Test(
        arguments: [
            (0x00, false), (0x1C, false), (0x1D, true), (0x2A, true), (0x2B, false), (0x2E, true), (0x2F, true),
            (0x30, false), (0x31, true), (0x32, false), (0x37, false), (0x39, false),
        ] as [(UInt8, Bool)])
    func anADXL345TakesWhatIsForWriting(register: UInt8, isWritable: Bool) {
        var chip: any SimulatedChip = SimulatedADXL345(acceleration: Self.ramp, specimen: Self.exact)
        check(&chip, register, isWritable)
    }

    /// Bank 0 of an ICM-20948 (InvenSense's DS-000189, §7.1), awake.
    @Test(
        arguments: [
            (0x00, false), (0x02, false), (0x03, true), (0x04, false), (0x05, true), (0x07, true),
            (0x08, false), (0x0E, false), (0x0F, true), (0x10, true), (0x11, true), (0x12, true), (0x13, true),
            (0x14, false), (0x1B, false), (0x2D, false), (0x32, false), (0x33, false), (0x38, false), (0x39, false),
            (0x65, false), (0x66, true), (0x67, true), (0x69, true), (0x6A, false), (0x70, false), (0x71, false),
            (0x74, false), (0x75, false), (0x76, true), (0x77, false),
        ] as [(UInt8, Bool)])
    func anICM20948TakesWhatIsForWriting(register: UInt8, isWritable: Bool) {
        var chip: any SimulatedChip = SimulatedICM20948(
            acceleration: Self.ramp, rotation: Self.field, specimen: Self.exact)
        chip.write([0x06, 1])
        chip.advance(to: at(0.01))
        check(&chip, register, isWritable)
    }

    private func check(_ chip: inout any SimulatedChip, _ register: UInt8, _ isWritable: Bool) {
        let before = chip.read(register: register, count: 1)
        let other = before.map { ~$0 }
        chip.write([register] + other)
        #expect(chip.read(register: register, count: 1) == (isWritable ? other : before))
    }

    /// INT1_CTRL (0Ch) b3 of an LSM9DS1 lets INT1 follow the threshold in b4:0 of FIFO_CTRL (2Eh), which b1 of
    /// CTRL_REG9 (23h) switches on and b7:5 give a mode, 0 for none. 119 samples a second.
    @Test(
        arguments: [
            (0x08, 0x02, 0xC3, 2, false), (0x08, 0x02, 0xC3, 3, true), (0x08, 0x02, 0xC3, 4, true),
            (0x08, 0x02, 0x23, 3, true), (0x00, 0x02, 0xC3, 3, false), (0xF7, 0x02, 0xC3, 3, false),
            (0x08, 0x00, 0xC3, 3, false), (0x08, 0xFD, 0xC3, 3, false), (0x08, 0x02, 0x03, 3, false),
            (0x08, 0x02, 0xC0, 0, false), (0x08, 0x02, 0xC0, 1, true), (0x08, 0x02, 0xDF, 30, false),
            (0x08, 0x02, 0xDF, 31, true),
        ] as [(UInt8, UInt8, UInt8, Int, Bool)])
    func anLSM9DS1RaisesItsPinAtTheThreshold(
        enabled: UInt8, switching: UInt8, control: UInt8, samples: Int, isHigh: Bool
    ) {
        var chip = SimulatedLSM9DS1(
            acceleration: { _ in SIMD3(0.5, 0, 0) }, rotation: { _ in .zero }, specimen: Self.exact)
        for setting in [[0x0C, enabled], [0x23, switching], [0x2E, control], [0x10, 0x60]] as [[UInt8]] {
            chip.write(setting)
        }
        chip.advance(to: at((Double(samples) + 0.5) / 119))
        #expect((chip.pinHighSince != nil) == isHigh)
        guard isHigh, samples <= max(1, Int(control & 0x1F)) else { return }
        _ = chip.read(register: 0x28, count: 6)
        #expect(chip.pinHighSince == nil)
    }

    /// STATUS_REG (67h) of an LIS2MDL (ST's DS12144, §8.15): b2:0 an axis is new, b3 all are, b6:4 and b7 one or more
    /// were overwritten. Its second byte takes an axis away, and the last one the pin, where CFG_REG_C b0 connects it.
    @Test(
        arguments: [
            (0x66, 2, 0x0F, 0xFF), (0x68, 1, 0x0F, 0xFF), (0x69, 1, 0x0E, 0xEE), (0x6A, 1, 0x0F, 0xFF),
            (0x6B, 1, 0x0D, 0xDD), (0x6C, 1, 0x0F, 0xFF), (0x6D, 1, 0x0B, 0xBB), (0x6E, 2, 0x0F, 0xFF),
            (0x68, 4, 0x0C, 0xCC), (0x68, 6, 0x00, 0x00),
        ] as [(UInt8, Int, UInt8, UInt8)])
    func anLIS2MDLSaysWhatIsNewAndWhatWasOverwritten(register: UInt8, count: Int, new: UInt8, overwritten: UInt8) {
        for (isConnected, samples) in [(true, 1), (true, 2), (false, 1)] {
            var chip = SimulatedLIS2MDL(field: Self.field, specimen: Self.exact)
            chip.write([0x62, isConnected ? 0x01 : 0xF0])
            chip.write([0x60, 0x00])
            #expect(chip.read(register: 0x67, count: 1) == [0x00] && chip.pinHighSince == nil)
            chip.advance(to: at(0.1 * Double(samples) + 0.05))
            #expect(chip.read(register: 0x67, count: 1) == [samples == 1 ? 0x0F : 0xFF])
            #expect(chip.pinHighSince == (isConnected ? at(0.1) : nil))
            _ = chip.read(register: register, count: count)
            let status = samples == 1 ? new : overwritten
            #expect(chip.read(register: 0x67, count: 1) == [status])
            #expect((chip.pinHighSince != nil) == (isConnected && status != 0))
        }
    }

    /// DRDY of a QMC5883L, which b0 of CONTROL2 disables.
    @Test(arguments: [(0x00, true), (0x01, false)] as [(UInt8, Bool)])
    func aPinIsHighFromTheSampleUntilItWasRead(control: UInt8, isConnected: Bool) {
        var chip = SimulatedQMC5883L(field: Self.field, specimen: Self.exact)
        chip.write([0x0A, control])
        chip.write([0x09, 0x01])
        #expect(chip.pinHighSince == nil)
        for sample in [0.1, 0.2] {
            chip.advance(to: at(sample + 0.05))
            #expect(chip.pinHighSince == (isConnected ? at(sample) : nil))
            _ = chip.read(register: 0x00, count: 6)
            #expect(chip.pinHighSince == nil)
        }
    }

    /// 100 samples a second by the datasheet, and as many as the specimen has: of 0.155 s.
    @Test(arguments: [(0.0, 15), (0.1, 17), (-0.1, 13)] as [(Double, UInt8)])
    func aSpecimenMeasuresAtItsOwnRate(error: Double, count: UInt8) {
        var chip = SimulatedADXL345(acceleration: { _ in .zero }, specimen: Specimen(rateError: error))
        chip.write([0x38, 0x80])
        chip.write([0x2D, 0x08])
        chip.advance(to: at(0.155))
        #expect(chip.read(register: 0x39, count: 1) == [count])
    }

    /// ODR of the QMC5883L's CONTROL1 (QST's datasheet 1.0, §9.2.4): 10, 50, 100 and 200 a second, here of a field that
    /// grows by 100 µT in a second, at 120 digits to a µT.
    @Test(
        arguments: [(0x01, 10_800), (0x05, 11_760), (0x09, 11_880), (0x0D, 11_940), (0x00, 0), (0x0C, 0)]
            as [(UInt8, Int)])
    func aQMC5883LMeasuresAtTheRateThatIsSet(control: UInt8, last: Int) {
        var chip = SimulatedQMC5883L(
            field: { SIMD3(100 * ($0 - .zero).seconds, 0, 0) }, specimen: Self.exact)
        chip.write([0x09, control])
        chip.advance(to: at(0.9975))
        #expect(Self.numbers(chip.read(register: 0x00, count: 2), isBigEndian: false) == [last])
    }

    /// The standard deviation is the specimen's; a gyroscope's is 50 times the number.
    @Test func aSpecimenHasItsNoise() {
        func deviation(_ values: [Double]) -> Double {
            (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
        }
        var compass = SimulatedQMC5883L(field: { _ in .zero }, specimen: Specimen(rateError: 0, noise: 1))
        compass.write([0x09, 0x0D])
        let fields = (1...400).flatMap { sample -> [Double] in
            compass.advance(to: at((Double(sample) + 0.5) / 200))
            return Self.numbers(compass.read(register: 0x00, count: 6), isBigEndian: false).map { Double($0) / 120 }
        }
        #expect((0.9...1.1).contains(deviation(fields)))
        var chip = SimulatedMPU6050(
            acceleration: { _ in .zero }, rotation: { _ in .zero }, specimen: Specimen(rateError: 0, noise: 0.01))
        chip.write([0x6B, 1])
        chip.advance(to: at(0.01))
        chip.write([0x1A, 3])
        var (forces, turns): ([Double], [Double]) = ([], [])
        for sample in 1...400 {
            chip.advance(to: at(0.01 + (Double(sample) + 0.5) / 1000))
            forces += Self.numbers(chip.read(register: 0x3B, count: 6), isBigEndian: true).map { Double($0) / 16_384 }
            turns += Self.numbers(chip.read(register: 0x43, count: 6), isBigEndian: true).map { Double($0) / 131 }
        }
        #expect((0.009...0.011).contains(deviation(forces)) && (0.45...0.55).contains(deviation(turns)))
    }
}
