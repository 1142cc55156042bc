// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Device

/// Our levels beside those of SciPy, which others wrote, of the same samples.
@Suite struct SoundReferenceTests {
    /// Name and level, line by line; nil when there is no SciPy.
    static func read(_ arguments: [String]) -> [(name: String, level: Double)]? {
        let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
        let script = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/sound_reference.py"
        let command = ([python, script] + arguments).map { "'\($0)'" }.joined(separator: " ") + " 2>/dev/null"
        guard let pipe = popen(command, "r") else { return nil }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(pipe) == 0 else { return nil }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 2, let level = Double(fields[1]) else { return nil }
            return (String(fields[0]), level)
        }
    }

    static let isInstalled: Bool = {
        if read([]) != nil { return true }
        print("SKIPPED: SciPy is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()

    /// Noise that falls by 3 dB an octave or so, with a constant offset and hum: as a room sounds.
    private func room(_ rate: Int, seconds: Double) -> [Int16] {
        var state: UInt64 = 1
        var slow = 0.0
        return (0..<Int(Double(rate) * seconds)).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let white = Double(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
            slow += 0.02 * (white - slow)
            let hum = 0.05 * sin(2 * .pi * 50 * Double(index) / Double(rate))
            return Int16((32_768 * (0.08 + 0.1 * white + 0.8 * slow + hum)).rounded())
        }
    }

    @Test(.enabled(if: isInstalled, "needs SciPy"), .timeLimit(.minutes(10)), arguments: [16_000, 48_000])
    func anIndependentImplementationMeasuresTheSame(_ rate: Int) throws {
        let length = rate > 20_000 ? 3 : 6
        let sound = room(rate, seconds: Double(length) + 0.5)
        let bench = Workbench()
        let path = bench.path + "/room.raw"
        try File(path, .replace).write(sound.withUnsafeBytes(Array.init), at: 0)
        let reference = try #require(Self.read([path, "\(rate)", "\(rate / 2)"]))
        var meter = LevelMeter(rate: Double(rate), thirdOctaves: length)
        let seconds = sound.compactMap { meter.add($0) }
        try #require(seconds.count == length && reference.count == meter.bands.count + 3)
        func mean(_ level: (SoundLevels) -> Double) -> Double {
            10 * log10(seconds.reduce(0) { $0 + pow(10, level($1) / 10) } / Double(length))
        }
        print(
            "levels at \(rate) Hz against SciPy: A \(mean(\.equivalentA) - reference[0].level), "
                + "C \(mean(\.equivalentC) - reference[1].level), Z \(mean(\.equivalentZ) - reference[2].level)")
        #expect(abs(mean(\.equivalentA) - reference[0].level) < 0.1)
        #expect(abs(mean(\.equivalentC) - reference[1].level) < 0.1)
        #expect(abs(mean(\.equivalentZ) - reference[2].level) < 0.01)
        let bands = try #require(seconds.last?.bands)
        for ((level, band), reference) in zip(zip(bands, meter.bands), reference.dropFirst(3)) {
            #expect(Double(reference.name) == band)
            #expect(abs(level - reference.level) < 0.12, "\(band) Hz: \(level) and \(reference.level)")
        }
    }
}
