// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Testing

/// Each sample tells its number: x = 4, 8, 12 ... mg at 100 samples per second, which are steps of
/// the FIFO's ten bits at ±2 g.
private func counting() -> SimulatedLIS3DH {
    SimulatedLIS3DH(
        acceleration: { SIMD3((($0.nanoseconds + 5_000_000) / 10_000_000).milli * 4, 0.350, -0.350) },
        specimen: Specimen(rateError: 0))
}

extension Int64 { fileprivate var milli: Double { Double(self) / 1000 } }

/// Set up for 100 Hz, ±2 g, high resolution, BDU, FIFO in stream mode with threshold 10.
private func streaming() -> SimulatedLIS3DH {
    var chip = counting()
    for (register, value) in [(0x23, 0x88), (0x24, 0x40), (0x2E, 0x8A), (0x20, 0x57)] as [(UInt8, UInt8)] {
        chip.write([register, value])
    }
    return chip
}

@Test func lis3dhPowersOnAsTheDatasheetSays() {
    var chip = counting()
    #expect(chip.read(register: 0x0F, count: 1) == [0x33])
    #expect(chip.read(register: 0x20 | 0x80, count: 6) == [0x07, 0, 0, 0, 0, 0])
    chip.advance(to: at(10))
    #expect(chip.read(register: 0x27, count: 1) == [0], "powered down: no sample")
}

@Test func withoutAutoIncrementTheSameByteComesAgain() {
    var chip = streaming()
    chip.advance(to: at(0.055))
    #expect(chip.read(register: 0x2A, count: 6) == [0xC0, 0xC0, 0xC0, 0xC0, 0xC0, 0xC0])
    #expect(chip.read(register: 0x2F, count: 1)[0] & 0x1F == 5, "and nothing is fetched")
    #expect(chip.read(register: 0x2A | 0x80, count: 2) == [0xC0, 0x15], "348 mg")
}

/// AN3308, table 8, gives 350 mg as 0x15E0 and -350 mg as 0xEA20. The FIFO keeps ten of these bits
/// (ST's staff, "LIS3DHTR data length").
@Test func theFIFOKeepsTenBitsAndTheRegistersTwelve() {
    var direct = counting()
    direct.write([0x23, 0x88])
    direct.write([0x20, 0x57])
    direct.advance(to: at(0.055))
    #expect(direct.read(register: 0x2A | 0x80, count: 4) == [0xE0, 0x15, 0x20, 0xEA])
    var chip = streaming()
    chip.advance(to: at(0.055))
    #expect(chip.read(register: 0x2A | 0x80, count: 4) == [0xC0, 0x15, 0x00, 0xEA])
}

@Test func aBurstWrapsToTheNextSample() {
    var chip = streaming()
    chip.advance(to: at(0.105))
    let bytes = chip.read(register: 0x28 | 0x80, count: 60)
    #expect((0..<10).map { Int(bytes[6 * $0]) >> 4 | Int(bytes[6 * $0 + 1]) << 4 } == (1...10).map { 4 * $0 })
    #expect(chip.read(register: 0x2F, count: 1) == [0x20], "empty")
}

@Test func withTheFIFOOffTheAddressGoesOn() {
    var chip = counting()
    chip.write([0x20, 0x57])
    chip.advance(to: at(0.015))
    #expect(chip.read(register: 0x28 | 0x80, count: 8).suffix(2) == [0x00, 0x20], "FIFO_CTRL_REG, FIFO_SRC_REG")
}

@Test(
    arguments: [
        (0.005, 0x20), (0.015, 0x01), (0.095, 0x09), (0.105, 0x0A), (0.115, 0x8B), (0.315, 0x9F), (0.325, 0xDF),
        (9, 0xDF),
    ] as [(Double, UInt8)])
func fifoStatusFollowsTheLevel(_ seconds: Double, _ status: UInt8) {
    var chip = streaming()
    chip.advance(to: at(seconds))
    #expect(chip.read(register: 0x2F, count: 1) == [status])
}

@Test func streamModeKeepsTheLatestAndFIFOModeTheFirst() {
    var stream = streaming()
    stream.advance(to: at(0.505))
    #expect(stream.read(register: 0x28 | 0x80, count: 2) == [UInt8(76 << 4 & 0xFF), UInt8(76 >> 4)])
    var first = streaming()
    first.write([0x2E, 0x4A])
    first.advance(to: at(0.505))
    #expect(first.read(register: 0x28 | 0x80, count: 2) == [4 << 4, 0])
}

@Test func bypassEmptiesTheFIFO() {
    var chip = streaming()
    chip.advance(to: at(0.2))
    chip.write([0x2E, 0x00])
    chip.write([0x2E, 0x8A])
    #expect(chip.read(register: 0x2F, count: 1) == [0x20])
}

/// Registers 31h, 35h and 39h are read-only, and 1Dh is reserved.
@Test(
    arguments: [
        (0x1D, false), (0x1E, true), (0x23, true), (0x25, true), (0x26, true), (0x30, true), (0x31, false),
        (0x32, true), (0x34, true), (0x35, false), (0x36, true), (0x38, true), (0x39, false), (0x3A, true),
        (0x3F, true),
    ] as [(UInt8, Bool)])
func lis3dhKeepsWhatIsWrittenWhereItMayBe(register: UInt8, isKept: Bool) {
    var chip = counting()
    chip.write([register, 0x11])
    #expect(chip.read(register: register, count: 1) == [isKept ? 0x11 : 0])
}

@Test func bootLeavesTheControlRegistersAlone() {
    var chip = streaming()
    chip.write([0x24, 0xC0])
    #expect(chip.read(register: 0x24, count: 1) == [0x40])
    #expect(chip.read(register: 0x20, count: 1) == [0x57])
}

@Test(arguments: [(0x17, 1.0), (0x27, 10), (0x37, 25), (0x47, 50), (0x57, 100), (0x67, 200), (0x77, 400), (0x97, 1344)])
func rateIsHonouredWithItsError(_ control: UInt8, _ rate: Double) {
    var chip = SimulatedLIS3DH(acceleration: { SIMD3(Double($0.nanoseconds) / 1e10, 0, 0) })
    chip.write([0x23, 0x88])
    chip.write([0x20, control])
    chip.advance(to: at(10))
    // The latest sample tells its own time, ten seconds being 1 g, to a digit of 10 ms.
    let bytes = chip.read(register: 0x28 | 0x80, count: 2)
    let seconds = Double(Int16(bitPattern: UInt16(bytes[1]) << 8 | UInt16(bytes[0])) >> 4) / 100
    let period = 1 / (rate * 1.008)
    #expect(abs(seconds - (10 / period).rounded(.down) * period) <= 0.011)
}

@Test(
    arguments: [
        (0x57, 0x00, 0.004, 6), (0x57, 0x10, 0.008, 6), (0x57, 0x20, 0.016, 6), (0x57, 0x30, 0.048, 6),
        (0x57, 0x08, 0.001, 4), (0x57, 0x38, 0.012, 4), (0x5F, 0x00, 0.016, 8), (0x5F, 0x30, 0.192, 8),
    ] as [(UInt8, UInt8, Double, Int16)])
func resolutionAndRangeSetTheStep(_ control1: UInt8, _ control4: UInt8, _ step: Double, _ shift: Int16) {
    var chip = SimulatedLIS3DH(acceleration: { _ in SIMD3(1, -1, 0) })
    chip.write([0x23, control4])
    chip.write([0x20, control1])
    chip.advance(to: at(1))
    let bytes = chip.read(register: 0x28 | 0x80, count: 6)
    let counts = (0..<3).map { Int16(bitPattern: UInt16(bytes[2 * $0 + 1]) << 8 | UInt16(bytes[2 * $0])) }
    let digit = Int16((1 / step).rounded())
    #expect(counts == [digit << shift, -digit << shift, 0])
}

@Test func theOtherByteOrderSwapsBytes() {
    var chip = counting()
    chip.write([0x23, 0xC8])
    chip.write([0x20, 0x57])
    chip.advance(to: at(0.015))
    #expect(chip.read(register: 0x2A | 0x80, count: 2) == [0x15, 0xE0])
}

@Test func blockDataUpdateKeepsTheBytesOfAnAxisTogether() {
    for (control, high) in [(0x88, 0x03), (0x08, 0x04)] as [(UInt8, UInt8)] {
        var chip = counting()
        chip.write([0x23, control])
        chip.write([0x20, 0x57])
        chip.advance(to: at(0.155))  // 60 mg: 0x03C0
        #expect(chip.read(register: 0x28, count: 1) == [0xC0])
        chip.advance(to: at(0.165))  // 64 mg: 0x0400
        #expect(chip.read(register: 0x29, count: 1) == [high])
    }
}

@Test func statusTellsNewAndOverwrittenSamples() {
    var chip = counting()
    chip.write([0x20, 0x57])
    chip.advance(to: at(0.015))
    #expect(chip.read(register: 0x27, count: 1) == [0x0F])
    chip.advance(to: at(0.025))
    #expect(chip.read(register: 0x27, count: 1) == [0xFF])
    _ = chip.read(register: 0x28 | 0x80, count: 6)
    #expect(chip.read(register: 0x27, count: 1) == [0x00])
}
