// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Recording

@Suite struct EDFExporterTests {
    private static let hasMNE = Python.has("mne")
    private static let hasPyEDFlib = Python.has("pyedflib")

    private func export(_ path: String, _ bench: Workbench) throws -> [UInt8] {
        let source = try RecordedFile(path)
        return try bench.exported("out.edf") { try EDFExporter.export(source, to: $0) { _ in } }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func theHeaderSaysWhatTheSpecificationWants() throws {
        let bench = Workbench()
        let bytes = try export(bench.motion().path, bench)
        #expect(text(bytes[0..<8]) == "0       ")
        #expect(text(bytes[8..<88]).hasPrefix("p7 X X X "))
        #expect(text(bytes[88..<168]).hasPrefix("Startdate 21-NOV-2026 X X LIS3DH "))
        #expect(text(bytes[168..<184]) == "21.11.2610.00.00")
        #expect(text(bytes[192..<236]).hasPrefix("EDF+D "))
        #expect(
            text(bytes[236..<244]) == "74      " && abs((Double(text(bytes[244..<252]).prefix(6)) ?? 0) - 0.8) < 0.001)
        // Four signals: their header, then 74 records of three times 80 samples and the notes.
        #expect(bytes.count == 5 * 256 + 74 * (3 * 160 + 96))
        #expect(text(bytes[...]).contains("\u{14}gap\u{14}"))
    }

    @Test func samplesAreTheCountsOfTheFile() throws {
        let bench = Workbench()
        let bytes = try export(bench.motion(gap: false).path, bench)
        let first = Array(bytes[(5 * 256)...])
        #expect(text(bytes[192..<236]).hasPrefix("EDF+C "))
        #expect(first.int16(0) == 4096 && first.int16(160) == -8192 && first.int16(320) == 0 && first.int16(322) == 41)
        #expect(text(first[480..<576]).hasPrefix("+0.000000\u{14}\u{14}\0"))
    }

    @Test(.enabled(if: hasPyEDFlib, "needs pyedflib"), .timeLimit(.minutes(10)))
    func pyedflibReadsAFileWithoutGaps() throws {
        let bench = Workbench()
        _ = try export(bench.motion(gap: false, gyroscope: true).path, bench)
        let script = """
            import sys, pyedflib
            e = pyedflib.EdfReader(sys.argv[1])
            print(e.signals_in_file, e.getNSamples()[0], e.getStartdatetime().replace(microsecond=0), *e.getSignalLabels(), sep=",")
            print(*["%.3f" % e.readSignal(i)[-1] for i in range(6)], sep=",")
            """
        let lines = try #require(Python.run(script, ["\(bench.path)/out.edf"]))
        #expect(lines.first == "6,6000,2026-11-21 10:00:00,Accel X,Accel Y,Accel Z,Gyro X,Gyro Y,Gyro Z")
        let values = try #require(lines.last).split(separator: ",").compactMap { Double($0) }
        // Half a step: 1/4096 g, and 1/32.768 °/s.
        #expect(zip(values, [1, -2, 0.99]).allSatisfy { abs($0 - $1) < 0.000_13 })
        #expect(values.count == 6 && zip(values.dropFirst(3), [175, -350, 525]).allSatisfy { abs($0 - $1) < 0.016 })
    }

    @Test(.enabled(if: hasMNE, "needs mne"), .timeLimit(.minutes(10)))
    func mneReadsAFileWithItsGap() throws {
        let bench = Workbench()
        let sealed = try bench.motion()
        _ = try export(sealed.path, bench)
        let script = """
            import sys, mne
            raw = mne.io.read_raw_edf(sys.argv[1], verbose="error")
            print(raw.n_times, round(raw.info["sfreq"], 2), raw.info["meas_date"].isoformat(), *raw.ch_names, sep=",")
            print(*["%s %.2f %.2f" % (a["description"], a["onset"], a["duration"]) for a in raw.annotations], sep=";")
            print(*["%.3f" % v for v in raw.get_data()[:, 1]], sep=",")
            """
        let lines = try #require(Python.run(script, ["\(bench.path)/out.edf"]))
        let stored = sealed.description.samplesStored
        #expect(lines.first == "\(stored),100.0,2026-11-21T10:00:00+00:00,Accel X,Accel Y,Accel Z")
        #expect(lines.dropFirst().first?.contains("gap 29.60 4.00") == true)
        #expect(lines.last == "1.000,-2.000,0.010")
    }

    @Test(
        .enabled(if: hasMNE && Fixture.has("accel/ax3_testfile.cwa"), "needs mne and ../shared/fixtures"),
        .timeLimit(.minutes(10)))
    func mneReadsRealFiles() throws {
        let bench = Workbench()
        let script = "import sys, mne; print(mne.io.read_raw_edf(sys.argv[1], verbose=\"error\").n_times)"
        for (name, count) in [
            ("ax3_testfile", "17400"), ("ax3_testfile_corrupt_blocks_0_13_14_142_143_144", "16680"),
            ("example-610-steps", "71400"),
        ] {
            _ = try export(#require(Fixture.path("accel/\(name).cwa")), bench)
            #expect(Python.run(script, ["\(bench.path)/out.edf"])?.first.map(String.init) == count)
        }
    }
}
