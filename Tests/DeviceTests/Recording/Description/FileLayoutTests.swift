// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// That a description describes its file: scales, rates, counts and gaps.
@Suite struct FileLayoutTests {
    private func source(_ acceleration: Double, _ range: Double, _ rotation: Double? = nil, rate: Double = 100)
        -> SourceDescription
    {
        SourceDescription(
            kind: .accelerometer, device: "chip", location: "i2c-1",
            channels: (rotation.map { Channel.rotation(scale: $0) } ?? []) + Channel.acceleration(scale: acceleration),
            nominalRate: rate, fullScale: range)
    }

    /// Sensitivities of the datasheets: LSM6DSO table 2, LIS3DH table 4, LSM9DS1 table 3, MPU-6050
    /// 6.1 and 6.2. The codes are those of openmovement's Docs/ax3/cwa.h: 1/2^(8+n) g and 8000/2^n
    /// deg/s. No step is coarser than the chip's, and the range is whole.
    private static let chips: [[Double]] = [
        [0.000_061, 2, 0.07, 6, 2], [0.000_122, 4, 0.035, 5, 3], [0.000_244, 8, 0.0175, 4, 4],
        [0.000_488, 16, 0.00875, 3, 5], [0.000_061_035, 2, 0.007_634, 6, 5], [0.000_488_281, 16, 0.060_976, 3, 2],
        [0.000_732, 16, 0.07, 3, 2], [0.001, 2, 0, 5, 0], [0.002, 4, 0, 4, 0], [0.012, 16, 0, 2, 0],
    ]

    @Test(arguments: chips) func theScaleIsAsFineAsTheChips(chip: [Double]) throws {
        let (acceleration, range, rotation, scale, gyroscope) = (chip[0], chip[1], chip[2], Int(chip[3]), Int(chip[4]))
        let isSixAxes = rotation > 0
        let scaling = try CWAScaling(source(acceleration, range, isSixAxes ? rotation : nil))
        guard acceleration < 0.003 else { return #expect(scaling.packing == .packed3) }
        #expect(Int(scaling.accelerometerScale) == scale && Int(scaling.gyroscopeRange) == gyroscope)
        let step = 1 / Double(256 << scale)
        #expect(step <= acceleration * 1.01 && 32_768 * step >= range)
        for channel in scaling.channels where channel.unit == "g" {
            #expect(
                channel.scale == step && channel.sensorScale == acceleration
                    && channel.resolution == max(step, acceleration))
        }
        if isSixAxes { #expect(8000 / Double(1 << gyroscope) / 32_768 <= rotation * 1.01) }
    }

    @Test func whatIsResampledIsCountedAtTheFilesRate() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source(0.000_061, 2, rate: 119), origin: Example.origin, folder: bench.folder())
        // The chip is 2 % quick, and loses 238 samples, two seconds of it.
        let rate = 119 * 1.02
        Example.fill(ring, samples: 0..<6000, rate: rate)
        Example.fill(ring, samples: 6000..<12_000, rate: rate, start: 100 + 238 / rate) { index, frame in
            if index == 6000 { (frame.lostBefore, frame.reason) = (238, LossReason.chipOverrun.rawValue) }
        }
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 300), anchors: [Example.anchor]).first)
        let description = sealed.description
        let blocks = try readAll(sealed.path).blocks
        #expect(blocks.reduce(0) { $0 + $1.count } == description.samplesStored)
        #expect(description.nominalRate == 100 && abs((description.measuredRate ?? 0) - 102) < 0.01)
        let chip = try #require(description.resampled)
        #expect(chip.nominalRate == 119 && abs((chip.measuredRate ?? 0) - rate) < 0.01)
        #expect(
            chip.samplesStored == recorder.counts.stored
                && chip.samplesLost.values.reduce(0, +) == recorder.counts.totalLost)
        // Where the file jumps, the description has its gap, at the file's sample.
        let gap = try #require(description.gaps.first)
        var survey = CWASurvey()
        for block in blocks { survey.add(block) }
        let jump = try #require(survey.jumps.first)
        #expect(survey.jumps.count == 1 && description.gaps.count == 1 && gap.position == jump.position)
        #expect(abs(gap.endUptime - description.startUptime - jump.end) < 0.002)
        #expect(
            gap.startUptime < gap.endUptime - 1.9
                && abs(Double(gap.samples) / 102 - (gap.endUptime - gap.startUptime)) < 0.02)
        #expect(try FileInspector.problems(of: sealed.path) == [])
        let text = try FileInspector.summary(of: sealed.path).text
        #expect(
            text.contains("rate      102.00") && text.contains("measured, 100.000 nominal")
                && text.contains("resampled from the chip's 119.000"))
    }

    @Test func aTableHasItsUnitsAndLevelsHaveTheirColumns() throws {
        let bench = Workbench()
        let field = try bench.magneticField().description
        #expect(field.channels.map(\.scale) == [1, 1, 1] && field.channels.map(\.unit) == ["uT", "uT", "uT"])
        #expect(field.channels.allSatisfy { $0.sensorScale == 0.0146 && ($0.resolution ?? 0) >= 0.0146 })
    }
}
