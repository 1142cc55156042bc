// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import Device

/// Loudness against full scale (AES17): 32768 of 16 bits is 0 dB, half of it 6.02 below, a sine
/// 3.01 below its peak; digital silence is -160, as AVAudioRecorder's meter has it.
@Suite struct LevelLogTests {
    private static func levels(
        _ samples: [Int16], as format: RecordingFormat = .flac
    ) throws -> (average: [Double], peak: [Double], uptime: [Double]) {
        let bench = Workbench()
        return try levels([RecordedFile(bench.sound(samples, as: format).path)], bench)
    }

    private static func levels(
        _ files: [RecordedFile], _ bench: Workbench
    ) throws -> (average: [Double], peak: [Double], uptime: [Double]) {
        let bytes = try bench.exported("levels.json") {
            var log = LevelLog(files, marks: [], to: $0)
            try log.write()
        }
        let text = String(decoding: bytes, as: UTF8.self)
        func numbers(_ name: String) -> [Double] {
            text.split(separator: "\"\(name)\":").dropFirst().compactMap { rest in
                Double(rest.drop { $0 == " " }.prefix { "-.0123456789".contains($0) })
            }
        }
        return (numbers("average"), numbers("peak"), numbers("uptime"))
    }

    @Test(arguments: [(Int16.min, 0.0), (-16_384, -6.02), (16_384, -6.02), (1, -90.31), (0, -160)])
    func aConstantIsAsLoudAsItsPeak(value: Int16, decibel: Double) throws {
        let levels = try Self.levels([Int16](repeating: value, count: 16_000))
        #expect(levels.average == [decibel] && levels.peak == [decibel] && levels.uptime == [101])
    }

    @Test func theLargestSampleIsThePeakAndTheMeanSquareTheAverage() throws {
        // One second: a quarter at half of full scale, with either sign.
        let samples = (0..<16_000).map { $0 % 4 == 0 ? ($0 % 8 == 0 ? Int16(16_384) : -16_384) : 0 }
        let levels = try Self.levels(samples)
        #expect(levels.average == [-12.04] && levels.peak == [-6.02])
    }

    /// At its end, as the timer of SageResearch's recorder has it (MobilePassiveData-SDK ab5a11d, `AudioRecorder.swift`,
    /// `startTimer`). What is left at the end counts from half a second on, and where there is nothing else.
    @Test(
        arguments: [
            (16_000, [101]), (23_999, [101]), (24_000, [101, 101.5]), (31_999, [101, 101.999938]),
            (32_000, [101, 102]),
            (7_999, [100.499938]), (16, [100.001]),
        ] as [(Int, [Double])])
    func eachSecondHasALevel(samples: Int, ends: [Double]) throws {
        let levels = try Self.levels([Int16](repeating: 16_384, count: samples))
        #expect(levels.average == [Double](repeating: -6.02, count: ends.count))
        #expect(levels.uptime.count == ends.count)
        #expect(zip(levels.uptime, ends).allSatisfy { abs($0 - $1) < 2e-6 }, "\(levels.uptime)")
    }

    /// A recorder begins a second file when its clock is put right: the log goes on at that one's own times.
    @Test func theLogIsOfAllFilesOfTheRecorder() throws {
        let bench = Workbench()
        let files = try [(100.0, Int16(16_384)), (103, 8_192)].map { start, level in
            let sound = try bench.sound([Int16](repeating: level, count: 32_000), as: .flac, at: start)
            return try RecordedFile(sound.path)
        }
        let levels = try Self.levels(files, bench)
        #expect(levels.uptime == [101, 102, 104, 105])
        #expect(levels.average == [-6.02, -6.02, -12.04, -12.04])
    }

    /// Where levels alone are kept, 0 dB is a full-scale sine. SageResearch passes AVAudioRecorder's average power
    /// on (MobilePassiveData-SDK, `AudioRecorder.swift`), which Core Audio calls "average RMS power": there and in
    /// FLAC a sine of half of full scale is 6.02 + 3.01 below it.
    @Test func theSameSoundIsAsLoudHoweverItIsKept() throws {
        let sine = (0..<56_000).map { Int16((16_384 * sin(2 * .pi * Double($0) / 16)).rounded()) }
        let (sound, table) = try (Self.levels(sine), Self.levels(sine, as: .levels))
        #expect(sound.average.count >= 3 && table.average.count == 3)
        #expect((sound.average + table.average).allSatisfy { abs($0 + 9.03) < 0.05 }, "\(table.average)")
        // The first half second of a table is in no line.
        #expect(table.uptime.first.map { $0 > 101.4 } == true, "\(table.uptime)")
        // No column of a table has the largest sample: LAFmax is weighted, by frequency and by time.
        #expect(sound.peak.count == sound.average.count && sound.peak.allSatisfy { abs($0 + 6.02) < 0.01 })
        #expect(table.peak.isEmpty, "\(table.peak)")
    }
}
