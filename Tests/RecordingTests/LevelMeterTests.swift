// SPDX-License-Identifier: Apache-2.0
import Glibc
import Samples
import Testing
import Times

@testable import Recording

@Suite struct LevelMeterTests {
    /// The table of IEC 61672, in dB.
    static let weights: [(frequency: Double, decibels: Double)] = [
        (31.5, -39.5), (63, -26.2), (125, -16.2), (250, -8.7), (500, -3.2), (1000, 0), (2000, 1.2), (4000, 1.0),
        (8000, -1.1), (16_000, -6.7),
    ]

    @Test func theAnalyticCurveIsThatOfTheStandard() {
        for (frequency, decibels) in Self.weights {
            #expect(abs(AWeighting.analytic(frequency) - decibels) < 0.1, "\(frequency) Hz")
        }
    }

    @Test(arguments: [8000.0, 16_000, 22_050, 44_100, 48_000])
    func theFilterFollowsItUpToAQuarterOfTheRate(rate: Double) {
        let filter = AWeighting(rate: rate)
        for (frequency, decibels) in Self.weights where frequency <= min(8000, rate / 4) {
            #expect(abs(filter.decibels(at: frequency, rate: rate) - decibels) < 0.35, "\(frequency) Hz")
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
        #expect(abs(last.equivalentA - (-6.02 + decibels)) < 0.4)
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
        #expect(rows[0].hasPrefix("2026-11-21T09:00:00.5") && rows[0].hasSuffix(",0"))
        let level = try #require(Double(rows[2].split(separator: ",")[2]))
        #expect(abs(level - 113.98) < 0.1)
        #expect(recorder.counts.due == 64_000 && recorder.counts.stored == 48_000 && recorder.counts.held == 0)
        #expect(try #require(sealed.first).description.contentEncoding == "gzip")
    }
}
