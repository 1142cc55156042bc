// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Base
@testable import Device

@Suite struct LevelMeterTests {
    /// The table of IEC 61672, in dB.
    static let weights: [(frequency: Double, decibels: Double)] = [
        (31.5, -39.5), (63, -26.2), (125, -16.2), (250, -8.7), (500, -3.2), (1000, 0), (2000, 1.2), (4000, 1.0),
        (8000, -1.1), (16_000, -6.7),
    ]

    @Test func theAnalyticCurveIsThatOfTheStandard() {
        for (frequency, decibels) in Self.weights {
            #expect(abs(StandardWeighting.a(frequency) - decibels) < 0.1, "\(frequency) Hz")
        }
    }

    /// C-weighting, by the same poles: the standard's table.
    static let weightsC: [(frequency: Double, decibels: Double)] = [
        (31.5, -3.0), (63, -0.8), (125, -0.2), (250, 0), (500, 0), (1000, 0), (2000, -0.2), (4000, -0.8), (8000, -3.0),
        (16_000, -8.5),
    ]

    @Test(arguments: [8000.0, 16_000, 22_050, 44_100, 48_000])
    func theFilterFollowsTheCurveUpToAQuarterOfTheRate(rate: Double) {
        let filter = AWeighting(rate: rate)
        for (frequency, _) in Self.weights where frequency <= rate / 4 {
            let most = rate < 16_000 ? 0.2 : 0.09
            let (a, c) = (filter.decibels(at: frequency, rate: rate), filter.decibelsC(at: frequency, rate: rate))
            #expect(abs(a - StandardWeighting.a(frequency)) < most, "\(frequency) Hz")
            #expect(abs(c - StandardWeighting.c(frequency)) < most, "\(frequency) Hz")
        }
    }

    /// What the documentation says the filter is off by.
    @Test(arguments: [
        (16_000.0, 31.5, -0.06), (16_000, 2000, 0.05), (16_000, 4000, 0), (16_000, 5000, -0.17), (16_000, 6300, -0.40),
        (48_000, 31.5, -0.01), (48_000, 4000, 0.04), (48_000, 8000, 0.09), (48_000, 10_000, 0.07),
        (48_000, 12_500, -0.03), (48_000, 16_000, -0.36), (48_000, 20_000, -0.83),
    ]) func theDeviationsAreAsStated(_ rate: Double, _ frequency: Double, _ deviation: Double) {
        let decibels = AWeighting(rate: rate).decibels(at: frequency, rate: rate)
        #expect(abs(decibels - StandardWeighting.a(frequency) - deviation) < 0.006, "\(decibels)")
    }

    @Test func theCWeightingIsThatOfTheStandard() {
        for (frequency, decibels) in Self.weightsC {
            // The table is of the exact frequencies: 15 849 Hz.
            #expect(abs(StandardWeighting.c(frequency) - decibels) < 0.15, "\(frequency) Hz")
        }
    }

    private func levels(_ rate: Double, seconds: Double = 3.6, _ signal: (Double) -> Double) -> [SoundLevels] {
        var meter = LevelMeter(rate: rate)
        return (0..<Int(seconds * rate)).compactMap { index in
            meter.add(Int16(max(-32_768, min(32_767, (signal(Double(index) / rate) * 32_768).rounded()))))
        }
    }

    @Test(arguments: weights.filter { $0.frequency <= 4000 && $0.frequency >= 63 })
    func aSineIsMeasuredAsItsWeight(frequency: Double, decibels: Double) throws {
        let last = try #require(levels(16_000) { 0.5 * sin(2 * .pi * frequency * $0) }.last)
        #expect(abs(last.equivalentA - (-6.02 + decibels)) < 0.12)
        #expect(abs(last.equivalentZ + 6.02) < 0.05)
        #expect(last.maximumFastA >= last.equivalentA - 0.01 && last.maximumFastA < last.equivalentA + 1)
    }

    @Test func aFullScaleSineIsZeroAndAConstantOffsetNothing() throws {
        let full = try #require(levels(16_000) { 0.9999 * sin(2 * .pi * 1000 * $0) }.last)
        #expect(abs(full.equivalentA) < 0.02)
        let offset = try #require(levels(16_000) { 0.25 + 0.01 * sin(2 * .pi * 1000 * $0) }.last)
        #expect(abs(offset.equivalentZ + 40) < 0.1)
        let silence = try #require(levels(16_000) { _ in 0.3 }.last)
        #expect(silence.equivalentZ < -90)
    }

    @Test func aShortBurstShowsInTheMaximumAndNotInTheMean() throws {
        let burst = try #require(levels(16_000) { $0 > 3 && $0 < 3.125 ? sin(2 * .pi * 1000 * $0) : 0 }.last)
        #expect(abs(burst.equivalentA + 9.03) < 0.2)
        // Fast reaches 1 − 1/e of the power in its time constant.
        #expect(abs(burst.maximumFastA - 10 * log10(1 - exp(-1.0))) < 0.2)
    }

    @Test func clippedSamplesAreCounted() throws {
        let levels = levels(16_000) { 2 * sin(2 * .pi * 1000 * $0) }
        #expect(try #require(levels.last).clipped > 9000)
    }

    /// A microphone thumps when it gets its power, and no second of the file holds that.
    @Test func clipsWhileTheFiltersSettleAreCountedInNoSecond() {
        var meter = LevelMeter(rate: 16_000)
        meter.addClips(3)
        for _ in 0..<8000 { _ = meter.add(0) }
        meter.addClips(5)
        let levels = (0..<16_000).compactMap { _ in meter.add(0) }
        #expect(levels.map(\.clipped) == [5])
    }

    @Test func theStatisticsAreThoseOfTheFastLevel() throws {
        var meter = LevelMeter(rate: 16_000)
        // 20 s: eight tenths of the time 40 dB quieter, of which the fast level needs one to fall (34.7 dB a second,
        // IEC 61672-1). The fifth second of the loudest is half a second of each of two falls.
        for index in 0..<(16_000 * 41 / 2) {
            let isLoud = index / 16_000 % 10 < 2
            let amplitude = isLoud ? 32_000.0 : 320
            _ = meter.add(Int16(amplitude * sin(2 * .pi * Double(index) / 16)))
        }
        let statistics = meter.statistics
        #expect(statistics.seconds == 20)
        let (ten, fifty) = (
            try #require(statistics.exceeded(percent: 10)), try #require(statistics.exceeded(percent: 50))
        )
        let quarter = try #require(statistics.exceeded(percent: 25))
        #expect((-23 ... -15).contains(quarter), "\(quarter)")
        let ninety = try #require(statistics.exceeded(percent: 90))
        #expect(abs(ten + 0.2) < 0.2 && abs(fifty + 40.2) < 0.2 && abs(ninety + 40.2) < 0.2)
        #expect(abs(try #require(statistics.equivalentA) + 7.2) < 0.3)
        #expect(abs(try #require(statistics.maximumFastA) + 0.2) < 0.1)
        #expect(LevelStatistics().exceeded(percent: 50) == nil && LevelStatistics().equivalentA == nil)
    }

    @Test func whatIsBeforeAGapDoesNotSoundBehindIt() throws {
        var meter = LevelMeter(rate: 16_000)
        for index in 0..<24_100 { _ = meter.add(index % 2 == 0 ? 30_000 : 20_000) }
        meter.restart()
        let levels = (0..<24_000).compactMap { _ in meter.add(-12_345) }
        #expect(levels.count == 1)
        // Not the step from one offset to the other, either.
        #expect(try #require(levels.first).maximumFastA < -130 && levels.first?.equivalentZ ?? 0 < -130)
    }

    /// Half a second of settling, then seconds of which every other has bands; what was before is of no interval.
    @Test(arguments: [0, 1]) func anIntervalOfBandsBeginsWithEachRestart(before: Int) {
        var meter = LevelMeter(rate: 16_000, thirdOctaves: 2)
        for _ in 0..<16_000 * before + 8000 { _ = meter.add(100) }
        meter.restart()
        let levels = (0..<16_000 * 3 + 8000).compactMap { meter.add(Int16($0 % 100)) }
        #expect(levels.map { $0.bands != nil } == [false, true, false])
    }

    @Test func thirdOctavesStandInTheLastLineOfTheirInterval() throws {
        let bench = Workbench()
        let ring = FrameRing<SoundFrame>(capacity: 1024, repeating: SoundFrame(time: .zero))
        let configuration = MeasureConfiguration(
            identifier: "noise", format: .levels, calibration: 94, thirdOctaves: 2)
        let recorder = try configuration.recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        for block in 0..<313 {
            let samples = (0..<256).map { Int16(16_384 * sin(2 * .pi * Double(block * 256 + $0) / 16)) }
            var frame = Example.sound(samples, at: 100 + Double(block) * 0.016)
            frame.hiddenClips = block == 100 ? 3 : 0
            ring.push(frame)
        }
        _ = recorder.stop(at: MonotonicTime(seconds: 105), anchors: [Example.anchor])
        let text = try bench.text("000001-sound.csv.gz")
        let header = try #require(text.split(separator: "\n").first { $0.hasPrefix("time,") }).split(separator: ",")
        #expect(
            header.count == 32 && header[7] == "Leq_25Hz" && header[8] == "Leq_31.5Hz" && header[31] == "Leq_6300Hz")
        let rows = text.split(separator: "\n").filter { $0.first?.isNumber == true }
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(rows.map(\.count) == [32, 32, 32, 32])
        #expect(rows.map { $0[23].isEmpty } == [true, false, true, false])
        #expect(header[23] == "Leq_1000Hz")
        #expect(abs(try #require(Double(rows[3][23])) - 87.98) < 0.1)
        #expect(rows.map { $0[5] } == ["0", "3", "0", "0"])
        let summary = try #require(text.split(separator: "\n").first { $0.hasPrefix("#summary ") })
        #expect(summary.hasPrefix("#summary seconds=4 LAeq=87.9") && summary.contains(" LAF50=8"))
        #expect(recorder.counts.stored == 64_000 && recorder.counts.held == 0)
    }

    @Test func theWriterGivesOneLineASecondAndCountsTheRest() throws {
        let bench = Workbench()
        let ring = FrameRing<SoundFrame>(capacity: 1024, repeating: SoundFrame(time: .zero))
        let configuration = MeasureConfiguration(identifier: "noise", format: .levels, calibration: 120)
        let recorder = try configuration.recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        for block in 0..<250 {
            let samples = (0..<256).map { index in
                Int16(16_384 * sin(2 * .pi * 1000 * Double(block * 256 + index) / 16_000))
            }
            ring.push(Example.sound(samples, at: 100 + Double(block) * 0.016))
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 104), anchors: [Example.anchor])
        let text = try bench.text("000001-sound.csv.gz")
        let rows = text.split(separator: "\n").filter { $0.first?.isNumber == true }
        #expect(rows.count == 3)
        #expect(
            rows[0].hasPrefix("2026-11-21T09:00:00.5") && rows[0].split(separator: ",").count == 7
                && rows[0].split(separator: ",")[5] == "0")
        let level = try #require(Double(rows[2].split(separator: ",")[2]))
        #expect(abs(level - 113.98) < 0.1)
        #expect(recorder.counts.due == 64_000 && recorder.counts.stored == 48_000 && recorder.counts.held == 0)
        let description = try #require(sealed.first).description
        #expect(description.contentEncoding == "gzip")
        #expect(description.begunUptime == 100 && abs(description.startUptime - 100.5) < 0.001)
    }
}

/// The curves of IEC 61672-1, Annex E, in dB, by its frequencies.
enum StandardWeighting {
    private static let (f1, f2, f3, f4) = (20.598997, 107.65265, 737.86223, 12_194.217)

    static func a(_ frequency: Double) -> Double {
        func amplitude(_ f: Double) -> Double {
            amplitudeC(f) * f * f / ((f * f + f2 * f2) * (f * f + f3 * f3)).squareRoot()
        }
        return 20 * log10(amplitude(frequency) / amplitude(1000))
    }

    static func c(_ frequency: Double) -> Double { 20 * log10(amplitudeC(frequency) / amplitudeC(1000)) }

    private static func amplitudeC(_ f: Double) -> Double { f * f / ((f * f + f1 * f1) * (f * f + f4 * f4)) }
}
