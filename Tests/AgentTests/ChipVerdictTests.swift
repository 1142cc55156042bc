// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Agent

/// A second of a chip at 100 Hz, stamped every tenth sample, with `rate` as its true one.
private func readings(
    _ kind: MeasureKind, _ channels: [Channel], rate: Double = 100, _ value: (Int) -> SIMD8<Int32>
) -> VectorReadings {
    var readings = VectorReadings(
        SourceDescription(
            kind: kind, device: "chip", location: "bus 0x18", channels: channels, nominalRate: 100, fullScale: 2))
    for index in 0..<100 {
        let time = MonotonicTime(nanoseconds: Int64(Double(index) / rate * 1e9))
        readings.add(
            VectorFrame(
                values: value(index), count: 3, time: index % 10 == 9 ? time : .zero, isStamped: index % 10 == 9))
    }
    return readings
}

/// 1 mg per count.
private func acceleration(rate: Double = 100, _ value: @escaping (Int) -> SIMD8<Int32>) -> CheckFinding {
    finding(readings(.accelerometer, Channel.acceleration(scale: 0.001), rate: rate, value))
}

/// 0.1 µT per count.
private func field(_ value: @escaping (Int) -> SIMD8<Int32>) -> CheckFinding {
    finding(readings(.magnetometer, Channel.magneticField(scale: 0.1), value))
}

private func finding(_ readings: VectorReadings) -> CheckFinding {
    ChipVerdict.finding(CheckSubject(.chip, "x"), readings, identity: "0x0F reads 0x33", selfTest: nil)
}

private func vector(_ x: Int, _ y: Int, _ z: Int) -> SIMD8<Int32> {
    SIMD8(Int32(x), Int32(y), Int32(z), 0, 0, 0, 0, 0)
}

@Suite struct ChipVerdictTests {
    @Test func gravityAtTheRightRateIsWell() {
        let found = acceleration { vector(0, 600 + $0 % 3, 800) }
        #expect(found.result == .ok && found.remedy == nil)
        #expect(found.detail == "0x0F reads 0x33, 100.0 of 100.0 Hz (+0.0 %), gravity 1.00 g")
    }

    @Test func axesThatNeedAMirrorAreNamed() {
        let still = readings(.accelerometer, Channel.acceleration(scale: 0.001)) { vector(0, 600 + $0 % 3, 800) }
        let found = ChipVerdict.finding(
            CheckSubject(.chip, "x"), still, identity: "", selfTest: nil, lacksMirror: true)
        #expect(found.result == .warning && found.detail.contains("its axes are left-handed"))
        #expect(found.remedy?.contains("matrix") == true)
    }

    @Test func aWrongScaleAtRestFailsAndNamesTheChip() {
        let found = acceleration { vector(0, $0 % 3, 3000) }
        #expect(found.result == .failed && found.detail.contains("gravity 3.00 g instead of 0.9 to 1.1"))
        #expect(found.remedy?.contains("which chip is fitted") == true)
    }

    @Test func aMovedDeviceIsAskedToLieStill() {
        let found = acceleration { vector(0, 0, $0 % 2 == 0 ? 400 : 900) }
        #expect(found.result == .warning && found.detail.contains("while it is moved"))
        #expect(found.remedy?.contains("lay the device down") == true)
    }

    @Test func samplesWithoutNoiseAreAFrozenChip() {
        let found = acceleration { _ in vector(0, 0, 1000) }
        #expect(found.result == .failed && found.detail.contains("100 identical samples"))
    }

    /// An LIS3DH's FIFO at ±4 g: 8 mg, far above its noise of 2 mg. Lying still it may well say the
    /// same all the time.
    @Test func samplesWithoutNoiseBelowACoarseStepAreAReasonToMoveIt() {
        var readings = VectorReadings(
            SourceDescription(
                kind: .accelerometer, device: "", location: "",
                channels: Channel.acceleration(scale: 0.002, resolution: 0.008), nominalRate: 100, fullScale: 4))
        for index in 0..<100 {
            readings.add(
                VectorFrame(
                    values: vector(0, 0, 500), count: 3, time: MonotonicTime(nanoseconds: Int64(index) * 10_000_000),
                    isStamped: true))
        }
        let found = finding(readings)
        #expect(found.result == .warning && found.detail.contains("can happen at rest with steps of 8 mg"))
        #expect(found.detail.contains("gravity 1.00 g"))
    }

    @Test func noSamplesFail() {
        let empty = VectorReadings(
            SourceDescription(
                kind: .accelerometer, device: "", location: "", channels: Channel.acceleration(scale: 1),
                nominalRate: 100,
                fullScale: 2))
        #expect(finding(empty).result == .failed)
        let slow = ChipVerdict.finding(
            CheckSubject(.chip, "x"), empty, identity: "", selfTest: nil, isTooSlow: true)
        #expect(slow.result == .warning && slow.detail == "its rate of 100.000 Hz is too slow to be tested")
    }

    @Test func aSlowChipWithSamplesIsJudgedByThem() {
        let still = readings(.accelerometer, Channel.acceleration(scale: 0.001)) { vector(0, $0 % 3, 3000) }
        let found = ChipVerdict.finding(
            CheckSubject(.chip, "x"), still, identity: "", selfTest: nil, isTooSlow: true)
        #expect(found.result == .failed && found.detail.contains("gravity 3.00 g"))
    }

    @Test(arguments: [(92.0, CheckFinding.Result.ok), (109, .ok), (85, .warning), (120, .warning)])
    func theRateMayDifferByTenPerCent(_ rate: Double, _ result: CheckFinding.Result) {
        let found = acceleration(rate: rate) { vector(0, $0 % 3, 1000) }
        #expect(found.result == result, "\(found.detail)")
        #expect(found.detail.contains("\(rate.text(1)) of 100.0 Hz"))
    }

    @Test func lostSamplesCountForTheRate() throws {
        var readings = VectorReadings(
            SourceDescription(
                kind: .accelerometer, device: "", location: "", channels: Channel.acceleration(scale: 1),
                nominalRate: 100,
                fullScale: 2))
        for (time, lost) in [(0, 0), (100, 0), (200, 9)] {
            readings.add(
                VectorFrame(
                    values: .zero, count: 3, time: MonotonicTime(nanoseconds: Int64(time) * 10_000_000),
                    isStamped: true,
                    lostBefore: UInt32(lost), reason: .chipOverrun))
        }
        #expect(try #require(readings.rate) == 5.5)
    }

    @Test func theEarthsFieldIsWellAndIronIsAWarning() {
        #expect(field { vector($0 % 3, 0, 480) }.result == .ok)
        let iron = field { vector($0 % 3, 0, 1200) }
        #expect(iron.result == .warning && iron.detail.contains("120 µT instead of 20 to 70"))
        let dead = field { vector($0 % 2, 0, 0) }
        #expect(dead.result == .failed && dead.detail.contains("0 µT"))
    }

    @Test(arguments: [
        (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 1, "1.0"), (-12.34, 1, "-12.3"), (99.95, 1, "100.0"),
        (7, 0, "7"),
    ])
    func numbersAreRounded(_ number: Double, _ digits: Int, _ text: String) { #expect(number.text(digits) == text) }
}
