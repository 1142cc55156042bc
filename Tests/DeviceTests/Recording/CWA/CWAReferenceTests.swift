// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

/// Our files in a reader that others wrote, and real files in both.
@Suite struct CWAReferenceTests {
    /// What the script prints of one file.
    struct Reading {
        let samples: Int
        let numbers: [Double]

        init?(_ line: Substring) {
            let fields = line.split(separator: " ").compactMap { Double($0) }
            guard fields.count == 13 || fields.count == 16 else { return nil }
            samples = Int(fields[0])
            numbers = fields
        }
    }

    /// `STUDYD_PYTHON` names a Python with the readers; else `python3` is tried.
    static func read(_ paths: [String], with reader: String = "skdh") -> [Reading]? {
        let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
        let script = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/cwa_reference.py"
        let command = ([python, script, reader] + paths).map { "'\($0)'" }.joined(separator: " ") + " 2>/dev/null"
        guard let pipe = popen(command, "r") else { return nil }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(pipe) == 0 else { return nil }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap(Reading.init)
    }

    static let isInstalled: Bool = {
        if read([]) != nil { return true }
        print("SKIPPED: scikit-digital-health is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()

    /// Those of the readers that are there. Each that is not is named.
    static let readers = ["skdh", "actipy", "ggir"].filter { name in
        if read([], with: name) != nil { return true }
        print("SKIPPED: the CWA reader \(name) is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }

    /// A row of a reader: seconds, x, y, z.
    typealias Row = SIMD4<Double>

    static func rows(_ path: String, of reader: String) throws -> [Row] {
        let file = try File("\(path).\(reader)", .read)
        let bytes = try file.read(file.size(), at: 0)
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 32).map { start in
                let value = { bytes.loadUnaligned(fromByteOffset: start + 8 * $0, as: Double.self) }
                return Row(value(0), value(1), value(2), value(3))
            }
        }
    }

    /// What was recorded: the acceleration in g behind the first element, in whole
    /// steps of the chip.
    static func wave(_ index: Int, step: Double) -> SIMD4<Double> {
        let time = Double(index) / 100
        let value = Row(
            0, sin(2 * .pi * 0.7 * time), 1.5 * sin(2 * .pi * 1.9 * time), 1 + 0.4 * sin(2 * .pi * 0.3 * time))
        return (value / step).rounded(.toNearestOrEven) * step
    }

    @Test(
        .enabled(if: !readers.isEmpty, "needs scikit-digital-health, actipy or GGIRread"), .timeLimit(.minutes(10)),
        arguments: [
            ("ADXL345", 1 / 256.0, 16.0), ("LIS3DH", 0.001, 8.0), ("LSM6DSO", 0.000_488, 16.0),
            ("LSM6DSO", 0.000_061, 2.0),
        ])
    func everyReaderThatIsThereFindsEachValueTheStartAndTheGap(device: String, step: Double, range: Double) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let source = SourceDescription(
            kind: .accelerometer, device: device, location: "i2c-1", channels: Channel.acceleration(scale: step),
            nominalRate: 100, fullScale: range)
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        // 12 000 are whole blocks of 80 and of 120, so that the gap takes nothing with it.
        Example.fill(ring, samples: 0..<24_000, start: 100.37) { index, frame in
            let counts = Self.wave(index, step: step) / step
            frame.values = [
                Int32(counts.y.rounded()), Int32(counts.z.rounded()), Int32(counts.w.rounded()), 0, 0, 0, 0, 0,
            ]
            if index >= 12_000 { frame.time = frame.time + .seconds(10) }
            if index == 12_000 { (frame.lostBefore, frame.reason) = (1000, LossReason.deviceError.rawValue) }
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 400), anchors: [Example.anchor])
        let path = try #require(sealed.first).path
        #expect(sealed.first?.description.samplesStored == 24_000)
        for reader in Self.readers {
            let reading = try #require(Self.read([path], with: reader)?.first, "\(reader)")
            // 10:00:00.37 on the wall.
            let start = 1_795_255_200.37
            #expect(abs(reading.numbers[1] - start) <= 0.001, "\(reader)")
            let rows = try Self.rows(path, of: reader)
            // GGIRread always resamples, and fills gaps; the others give what is there.
            guard reader != "ggir" else { continue }
            #expect(rows.count == 24_000)
            let fileStep = step == 1 / 256.0 ? step : range > 2 ? 1 / 2048.0 : 1 / 16_384.0
            var (worst, late) = (0.0, 0.0)
            for (index, row) in rows.enumerated() {
                let difference = row - Self.wave(index, step: step)
                worst = max(worst, max(abs(difference.y), abs(difference.z), abs(difference.w)))
                let due = start + Double(index) / 100 + (index < 12_000 ? 0 : 10)
                late = max(late, abs(row.x - due))
            }
            #expect(worst <= fileStep / 2 + 1e-9 && late <= 0.0101, "\(reader): \(worst) g, \(late) s")
            unlink("\(path).\(reader)")
        }
    }

    @Test(.enabled(if: isInstalled, "needs scikit-digital-health"), .timeLimit(.minutes(10)))
    func anIndependentReaderFindsSixAxesAndAResampledRate() throws {
        let rate = Channel(name: "gyro_x", unit: .degreesPerSecond, scale: 0.0175)
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM9DS1", location: "i2c-1 0x6A",
            channels: [Example.milliG, Example.milliG, Example.milliG, rate, rate, rate], nominalRate: 119,
            fullScale: 16)
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<11_900, rate: 119) { _, frame in
            frame.values = [1000, -2000, 15_000, 10_000, -20_000, 28_000, 0, 0]
            frame.count = 6
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 200), anchors: [Example.anchor])
        let path = try #require(sealed.first).path
        let reading = try #require(Self.read([path])?.first)
        #expect(reading.samples > 9900 && reading.samples % 40 == 0 && abs(reading.numbers[3] - 100) < 0.1)
        #expect(abs(reading.numbers[2] - reading.numbers[1] - Double(reading.samples) / 100) < 0.05)
        let expected: [(Int, Double)] = [(4, 1), (5, -2), (6, 15), (13, 175), (14, -350), (15, 490)]
        try #require(reading.numbers.count == 16)
        for (place, value) in expected { #expect(abs(reading.numbers[place] - value) < 0.04) }
    }

    @Test(.enabled(if: isInstalled, "needs scikit-digital-health"), .timeLimit(.minutes(10)))
    func anIndependentReaderFindsOurSamplesAndTimes() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<8000, start: 100.37)
        Example.fill(ring, samples: 8000..<16_000, start: 103.97) { index, frame in
            if index == 8000 { (frame.lostBefore, frame.reason) = (360, LossReason.deviceError.rawValue) }
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 270), anchors: [Example.anchor])
        let path = try #require(sealed.first).path
        let reading = try #require(Self.read([path])?.first)
        #expect(reading.samples == 16_000)
        // 10:00:00.37 on the wall: a fraction rounded down would come back as .36.
        #expect(abs(reading.numbers[1] - 1_795_255_200.37) < 0.002)
        // The last sample lies 3.6 s later than without the gap.
        #expect(abs(reading.numbers[2] - 1_795_255_200.37 - 159.99 - 3.6) < 0.012)
        #expect(abs(reading.numbers[4]) < 1e-3 && abs(reading.numbers[5] + 0.5) < 1e-3)
        #expect(abs(reading.numbers[7] - 0.999) < 1e-3 && abs(reading.numbers[9] - 1) < 1e-3)
        #expect(abs(reading.numbers[10] - 16 * 499.5) < 1)
    }

    @Test(
        .enabled(
            if: isInstalled && Fixture.has("accel/ax3_testfile.cwa"), "needs scikit-digital-health and recordings"),
        .timeLimit(.minutes(10)), arguments: ["accel/ax3_testfile.cwa", "accel/example-610-steps.cwa"])
    func ourReaderAgreesOnRealFiles(name: String) throws {
        let path = try #require(Fixture.path(name))
        let reading = try #require(Self.read([path])?.first)
        let blocks = try readAll(path).blocks
        #expect(blocks.reduce(0) { $0 + $1.count } == reading.samples)
        let start = try #require(blocks.first?.local(of: 0)).instant(offset: 0)
        #expect(abs(Double(start.nanoseconds) / 1e9 - reading.numbers[1]) < 0.0101)
        var sum = (0.0, 0.0, 0.0)
        for block in blocks {
            for sample in 0..<block.count {
                let value = block.acceleration(sample)
                sum = (sum.0 + value.x, sum.1 + value.y, sum.2 + value.z)
            }
        }
        #expect(abs(sum.0 - reading.numbers[10]) < 0.01 && abs(sum.1 - reading.numbers[11]) < 0.01)
        #expect(abs(sum.2 - reading.numbers[12]) < 0.01)
    }
}
