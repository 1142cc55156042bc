// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

private func chip(_ settings: [(UInt8, UInt8)], field: SIMD3<Double> = SIMD3(100, -50, 20)) -> SimulatedLIS3MDL {
    var chip = SimulatedLIS3MDL(field: { _ in field }, specimen: Specimen(rateError: 0))
    for (register, value) in settings { chip.write([register, value]) }
    return chip
}

private func counts(_ chip: inout SimulatedLIS3MDL) -> [Int16] {
    let bytes = chip.read(register: 0x28 | 0x80, count: 6)
    return (0..<3).map { Int16(bitPattern: UInt16(bytes[2 * $0 + 1]) << 8 | UInt16(bytes[2 * $0])) }
}

@Test func lis3mdlPowersOnIdle() {
    var chip = chip([])
    #expect(chip.read(register: 0x0F, count: 1) == [0x3D])
    #expect(chip.read(register: 0x20 | 0x80, count: 3) == [0x10, 0x00, 0x03])
    chip.advance(to: at(10))
    #expect(chip.read(register: 0x27, count: 1) == [0])
}

@Test(arguments: [(0x00, 6842), (0x20, 3421), (0x40, 2281), (0x60, 1711)] as [(UInt8, Int16)])
func rangeSetsCountsPerGauss(_ control: UInt8, _ perGauss: Int16) {
    var chip = chip([(0x21, control), (0x22, 0x00)])
    chip.advance(to: at(1))
    let measured = counts(&chip)
    #expect(measured[0] == perGauss && abs(measured[1] + perGauss / 2) <= 1)
}

@Test func lis3mdlSaturatesAtFullScale() {
    var chip = chip([(0x22, 0x00)], field: SIMD3(5000, -5000, 0))
    chip.advance(to: at(1))
    #expect(counts(&chip) == [27_368, -27_368, 0])
}

@Test func lis3mdlStatusAndSingleConversion() {
    var chip = chip([(0x22, 0x00)])
    chip.advance(to: at(0.15))
    #expect(chip.read(register: 0x27, count: 1) == [0x0F])
    chip.advance(to: at(0.35))
    #expect(chip.read(register: 0x27, count: 1) == [0xFF])
    _ = counts(&chip)
    #expect(chip.read(register: 0x27, count: 1) == [0x00])
    chip.write([0x22, 0x01])
    chip.advance(to: at(2))
    #expect(chip.read(register: 0x27, count: 1) == [0x0F], "one conversion")
    #expect(chip.read(register: 0x22, count: 1) == [0x03], "then idle")
}

@Test func lis3mdlNeedsAutoIncrementToo() {
    var chip = chip([(0x22, 0x00)])
    chip.advance(to: at(1))
    let once = chip.read(register: 0x28, count: 1)[0]
    #expect(chip.read(register: 0x28, count: 6) == [UInt8](repeating: once, count: 6))
}

/// 05h to 0Ah are the offsets of an LSM9DS1; INT_SRC (31h) is read-only, and what lies between is reserved.
@Test(
    arguments: [
        (0x04, false), (0x05, true), (0x0A, true), (0x0B, false), (0x23, true), (0x24, true), (0x25, false),
        (0x2F, false), (0x30, true), (0x31, false), (0x32, true), (0x33, true), (0x34, false),
    ] as [(UInt8, Bool)])
func lis3mdlKeepsWhatIsWrittenWhereItMayBe(register: UInt8, isKept: Bool) {
    var chip = chip([(register, 0x11)])
    #expect(chip.read(register: register, count: 1) == [isKept ? 0x11 : 0])
}

@Test func softResetForgetsEverything() {
    var chip = chip([(0x21, 0x60), (0x22, 0x00), (0x21, 0x04)])
    #expect(chip.read(register: 0x20 | 0x80, count: 3) == [0x10, 0x00, 0x03])
}

/// MD1 and MD0 of CTRL_REG3: continuous, single, and two that are power-down. DRDY rises with the first sample that
/// was not read.
@Test(arguments: [(0x00, true), (0x01, true), (0x02, false), (0x03, false)] as [(UInt8, Bool)])
func lis3mdlMeasuresInItsTwoModes(mode: UInt8, measures: Bool) {
    var chip = chip([(0x22, mode)])
    chip.advance(to: at(0.35))
    #expect(chip.pinHighSince == (measures ? at(0.1) : nil))
    #expect((chip.read(register: 0x27, count: 1) != [0]) == measures)
    _ = counts(&chip)
    #expect(chip.pinHighSince == nil)
    chip.advance(to: at(0.45))
    #expect(chip.pinHighSince == (mode == 0x00 ? at(0.4) : nil))
}
