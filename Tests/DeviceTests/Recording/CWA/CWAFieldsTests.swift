// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// No value that was not measured: by openmovement's Docs/ax3/cwa.h, degC = raw × 75/256 − 50 and V
/// = (2·raw + 512) × 6/1024.
@Suite struct CWAFieldsTests {
    private func record(_ bench: Workbench, battery: Double?, temperature: (Int) -> Double?) throws -> SealedRecording {
        let ring = Example.vectorRing()
        var source = Example.accelerometer
        source.temperature = temperature(0) == nil ? .none : .chip
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        recorder.record(battery: battery)
        var noise = Noise(seed: 3)
        Example.fill(ring, samples: 0..<200_000 / (temperature(0) == nil ? 1 : 20)) { index, frame in
            // Five minutes of movement, twenty of rest, then movement again.
            let isStill = (30_000..<150_000).contains(index)
            for axis in 0..<3 { frame.values[axis] = isStill ? 300 : Int32.random(in: -900...900, using: &noise) }
            if let degrees = temperature(index) { frame.centidegrees = Int16(degrees * 100) }
        }
        return try #require(recorder.stop(at: MonotonicTime(seconds: 3000), anchors: [Example.anchor]).first)
    }

    @Test func whatIsMeasuredStandsInTheBlocks() throws {
        let bench = Workbench()
        let sealed = try record(bench, battery: 3.87) { $0 % 6000 == 0 ? 31.5 - Double($0) / 6000 : nil }
        let blocks = try readAll(sealed.path).blocks
        func degrees(_ block: CWABlock) -> Double { Double(block.temperature) * 75 / 256 - 50 }
        #expect(abs(degrees(blocks[0]) - 31.5) < 0.15 && abs(degrees(blocks[76]) - 30.5) < 0.15)
        #expect(blocks.allSatisfy { abs((2 * Double($0.battery) + 512) * 6 / 1024 - 3.87) < 0.006 && $0.light == 0 })
        #expect(sealed.description.fields == .init(temperature: "chip", battery: "board"))
    }

    @Test func whatIsNotMeasuredIsNoNumberThatCouldBeOne() throws {
        let bench = Workbench()
        let sealed = try record(bench, battery: nil) { _ in nil }
        let blocks = try readAll(sealed.path).blocks
        // 1023 is 249.7 degC, which GGIR leaves out; 0 is the format's "unknown" of a battery.
        #expect(blocks.allSatisfy { $0.temperature == 1023 && $0.battery == 0 && $0.light == 0 })
        #expect(sealed.description.fields == .init(temperature: "none", battery: "none"))
    }

    @Test(arguments: [12.6, 2.9, 0.0, -1]) func aBatteryThatTheFieldCannotSayIsUnknown(volts: Double) {
        var fields = CWAFields()
        fields.record(battery: volts)
        #expect(fields.battery == CWAFields.noBattery)
    }

    @Test func aReadingThatGrowsOldIsNoReading() {
        var fields = CWAFields()
        fields.record(20, at: MonotonicTime(seconds: 100))
        fields.record(nil, at: MonotonicTime(seconds: 700))
        #expect(fields.temperature == 239)
        fields.record(nil, at: MonotonicTime(seconds: 701))
        #expect(fields.temperature == CWAFields.noTemperature)
    }

    /// skdh's DETACH and CTA take nothing off that was worn, for want of a temperature; with -54
    /// degC, which 0 is to them, they do.
    @Test(.enabled(if: CWAReferenceTests.isInstalled, "needs scikit-digital-health"), .timeLimit(.minutes(10)))
    func wearDetectionGoesByAccelerationAloneWhereThereIsNoTemperature() throws {
        let bench = Workbench()
        let sealed = try record(bench, battery: nil) { _ in nil }
        let script = """
            import sys, numpy
            from skdh.io import ReadCwa
            from skdh.preprocessing import CtaWearDetection, DETACH
            r = ReadCwa().predict(file=sys.argv[1], tz_name=None)
            for name, fill in (("none", r["temperature"]), ("zero", numpy.full(len(r["time"]), -54.4))):
                for method in (CtaWearDetection(), DETACH()):
                    try:
                        wear = method.predict(time=r["time"], accel=r["accel"], temperature=fill, fs=r["fs"])["wear"]
                        print(name, sum(int(stop) - int(start) for start, stop in wear) / len(r["time"]))
                    except ValueError:  # CTA itself fails over a recording that ends in non-wear
                        print(name, -1)
            """
        let lines = try #require(Python.run(script, [sealed.path]))
        let shares = lines.map { $0.split(separator: " ") }.map { (String($0[0]), Double($0[1]) ?? -1) }
        #expect(shares.count == 4 && shares.filter { $0.0 == "none" }.allSatisfy { $0.1 > 0.95 }, "\(lines)")
        #expect(shares.filter { $0.0 == "zero" }.allSatisfy { $0.1 < 0.5 }, "\(lines)")
    }
}
