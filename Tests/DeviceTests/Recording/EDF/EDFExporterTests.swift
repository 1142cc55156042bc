// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct EDFExporterTests {
    private static let hasMNE = Python.has("mne")
    private static let hasPyEDFlib = Python.has("pyedflib")

    private func export(_ path: String, _ bench: Workbench) throws -> [UInt8] {
        let source = try MotionSource([RecordedFile(path)])
        return try bench.exported("out.edf") { try EDFExporter.export(source, presses: [], to: $0) { _ in } }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func theHeaderSaysWhatTheSpecificationWants() throws {
        let bench = Workbench()
        let bytes = try export(bench.motion().path, bench)
        #expect(text(bytes[0..<8]) == "0       ")
        #expect(text(bytes[8..<88]).hasPrefix("p7 X X X "))
        #expect(text(bytes[88..<168]).hasPrefix("Startdate 21-NOV-2026 X X LIS3DH "))
        #expect(text(bytes[168..<184]) == "21.11.2610.00.00")
        #expect(text(bytes[192..<236]).hasPrefix("EDF+C "))
        // A minute and 3.6 s of gap, in records of a second.
        let records = try #require(Int(text(bytes[236..<244]).split(separator: " ").first ?? ""))
        #expect((63...64).contains(records) && text(bytes[244..<252]) == "1       ")
        #expect(text(bytes[...]).contains("\u{14}gap, filled with the value before\u{14}"))
    }

    /// "In the header, use only printable US-ASCII characters with byte values 32..126", left-justified and filled up
    /// with spaces (edfplus.info, "EDF+ specification", 2.1.3).
    @Test(
        arguments: [
            ("", "    "), ("~a b", "~a b"), ("abcde", "abcd"), ("\u{1F}!\u{7F}", "?!? "), ("ä", "??  "), ("\n", "?   "),
        ] as [(String, String)])
    func aFieldIsPrintable(words: String, field: String) { #expect(text(EDFField.bytes(words, 4)[...]) == field) }

    /// The field of 80 characters holds code, sex, birthday and name; a code that is followed by nothing, or ends
    /// behind the 72nd, is a format error (holgern/pyedflib 54f10b3, edflib.c:2270-2300).
    @Test(
        arguments: [
            (nil, "X"), ("", "X"), ("P 1", "P_1"),
            (String(repeating: "a", count: 41), String(repeating: "a", count: 40)),
            (String(repeating: "参", count: 27), String(repeating: "?", count: 40)),
        ] as [(String?, String)])
    func aCodeLeavesRoomForWhatFollows(code: String?, word: String) { #expect(EDFField.word(code) == word) }

    /// A continuous file's first record has to begin within its first second, and every other exactly where the
    /// one before ends, in steps of 100 ns (holgern/pyedflib 54f10b3, edflib.c:3091-3108).
    @Test(arguments: [(0, "000000"), (17_812_500, "017812"), (999_999_700, "999999")] as [(Int64, String)])
    func everyRecordBeginsWhereTheOneBeforeEnds(_ nanoseconds: Int64, _ fraction: String) throws {
        let bench = Workbench()
        let series = try MotionSource([RecordedFile(bench.motion().path)]).open()
        let start = Instant(seconds: 1_795_251_600) + .nanoseconds(nanoseconds)
        let blocks = (0..<20).map { Self.block(at: start + .milliseconds(800 * $0)) }
        var survey = EDFSurvey()
        for block in blocks { survey.add(block) }
        let grid = try #require(EDFGrid(survey))
        // More than one record has room for.
        let presses = (0..<40).map { EDFAnnotation(time: start + .milliseconds(10 * $0), duration: 0, text: "[\($0)]") }
        let layout = try #require(EDFLayout(survey, grid, series, annotations: presses))
        let bytes = try bench.exported("out.edf") { output in
            var writer = EDFWriter(layout)
            for block in blocks { writer.add(block, to: output) }
            writer.finish(to: output)
        }
        // Behind a second of three axes.
        let places = stride(from: 600, to: bytes.count, by: 600 + layout.annotationBytes)
        let onsets = places.map { place in text(bytes[place...].prefix { $0 != 0x14 }) }
        #expect(onsets == (0..<16).map { "+\($0).\(fraction)" })
        let lists = places.map { text(bytes[$0...].prefix(layout.annotationBytes)) }.joined()
        #expect(lists.split(separator: "[").dropFirst().compactMap { Int($0.prefix { $0 != "]" }) } == Array(0..<40))
    }

    @Test func samplesAreTheCountsOfTheFile() throws {
        let bench = Workbench()
        let bytes = try export(bench.motion(gap: false).path, bench)
        let first = Array(bytes[(5 * 256)...])
        #expect(text(bytes[192..<236]).hasPrefix("EDF+C "))
        #expect(first.int16(0) == 2048 && first.int16(200) == -4096 && first.int16(400) == 0 && first.int16(402) == 20)
        #expect(text(first[600..<696]).hasPrefix("+0.000000\u{14}\u{14}\0"))
        // Physical and digital ends of the first signal, behind four labels, transducers and dimensions.
        let ends = (0..<4).map { text(bytes[(672 + 32 * $0)..<(680 + 32 * $0)]) }
        #expect(ends == ["-16     ", "15.99951", "-32768  ", "32767   "])
    }

    /// As any reader finds the records: behind a header of 256 bytes and 256 for each signal lie as
    /// many as it says, each as long as the samples that it gives every signal (edfplus.info, "EDF
    /// specification"). The last is as whole as the others.
    @Test(arguments: [true, false]) func everyRecordThatTheHeaderPromisesIsThere(hasGap: Bool) throws {
        let bench = Workbench()
        let source = try RecordedFile(bench.motion(gap: hasGap).path)
        let bytes = try export(source.file.path, bench)
        func number(_ place: Int) throws -> Int {
            try #require(Int(text(bytes[place..<place + 8]).split(separator: " ").first ?? ""))
        }
        let signals = try #require(Int(text(bytes[252..<256]).split(separator: " ").first ?? ""))
        let samples = try (0..<signals).map { try number(256 + signals * 216 + 8 * $0) }
        let records = try number(236)
        #expect(bytes.count == 256 * (signals + 1) + records * samples.reduce(0, +) * 2)
        // A minute of 100 Hz, and with the gap 3.6 s more of the grid; a block that was
        // begun may be missing.
        let stored = try #require(source.description?.samplesStored)
        #expect(records * samples[0] >= stored && records * samples[0] < stored + 400 + samples[0])
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
        // Half a step: 1/4096 g, and 1/65.536 °/s.
        #expect(zip(values, [1, -2, 0.99]).allSatisfy { abs($0 - $1) < 0.000_13 })
        #expect(values.count == 6 && zip(values.dropFirst(3), [175, -350, 490]).allSatisfy { abs($0 - $1) < 0.008 })
    }

    /// The last record of a week begins when the header's numbers say it does, however far the
    /// measured rate is from the nominal one.
    @Test(arguments: [100.8123, 98.86059892942907, 12.477, 25.0001])
    func timesOfAWeekDoNotDrift(_ rate: Double) throws {
        var survey = EDFSurvey()
        let start = Instant(seconds: 1_795_251_600)
        var place = start
        let block = CWABlock(
            sessionID: 1, sequence: 0, time: CWATimestamp(packed: 0, fraction: 0), packing: .axes3, rateCode: 0x4A,
            accelerometerScale: 4, values: [Int16](repeating: 0, count: 240))
        for _ in 0..<Int(604_800 * rate / 80) {
            let timed = CWATimeline.TimedBlock(block: block, start: place, period: 1 / rate, gap: nil)
            survey.add(timed)
            place = timed.end
        }
        let grid = try #require(EDFGrid(survey))
        #expect(grid.capacity * 3 * 2 <= 61_440)
        let last = grid.records - 1
        #expect(grid.time(last * grid.capacity) - start == .seconds(last * grid.recordSeconds))
        #expect(abs((grid.time(grid.points) - place).seconds) < 0.02)
    }

    private static func block(at start: Instant, gap: Double? = nil) -> CWATimeline.TimedBlock {
        let block = CWABlock(
            sessionID: 1, sequence: 0, time: CWATimestamp(packed: 0, fraction: 0), packing: .axes3, rateCode: 0x4A,
            accelerometerScale: 4, values: [Int16](repeating: 0, count: 240))
        return CWATimeline.TimedBlock(block: block, start: start, period: 0.01, gap: gap)
    }

    /// A block is 0.8 s long. A clock that was set back is noted where it was.
    @Test func aGapIsNotedFromWhereItBegins() {
        let start = Instant(seconds: 1_795_251_600)
        var survey = EDFSurvey()
        survey.add(Self.block(at: start))
        survey.add(Self.block(at: start + .milliseconds(10_050), gap: 9.25))
        survey.add(Self.block(at: start + .seconds(5), gap: -5.85))
        let notes = survey.annotations
        #expect(notes.map(\.time) == [start + .milliseconds(800), start + .seconds(5)])
        #expect(notes.map(\.duration) == [9.25, 0])
        #expect(notes.map(\.text) == ["gap, filled with the value before", "clock set back"])
    }

    /// A clock that was set back an hour after two: the file ends with the latest sample.
    @Test func theGridEndsWithTheLatestBlock() throws {
        let start = Instant(seconds: 1_795_251_600)
        var survey = EDFSurvey()
        for seconds in [0, 7200, 3600, 5400] as [Int64] { survey.add(Self.block(at: start + .seconds(seconds))) }
        #expect(survey.end - start > .seconds(7200))
        let grid = try #require(EDFGrid(survey))
        #expect(abs((grid.time(grid.points) - survey.end).seconds) < 0.02)
    }

    /// The header has eight digits for the number of records (edfplus.info), and the disk has an end.
    @Test(arguments: [(365, false), (367, true), (9_500, true)])
    func aClockThatWasSetByYearsFillsNoDisk(_ days: Int64, _ isRefused: Bool) {
        var survey = EDFSurvey()
        // The first day that CWA can name: a clock that was never set.
        for second in [0, days * 86_400] { survey.add(Self.block(at: Instant(seconds: 946_684_800 + second))) }
        let fault = survey.fault(of: "a.cwa").map { "\($0)" }
        #expect((fault != nil) == isRefused)
        if let fault { #expect(fault.contains("a.cwa") && fault.contains("2000-01-01") && fault.contains("--from")) }
    }

    /// Unknown boots are not the same boot.
    @Test(arguments: [("boot-a" as String?, true), ("boot-b", false), (nil, false)])
    func pressesOfAnUnknownBootHaveNoPlace(_ boot: String?, _ isPlaced: Bool) throws {
        let bench = Workbench()
        let series = try MotionSource([RecordedFile(bench.motion(anchored: false).path)]).open()
        let press = ButtonPress(
            time: nil, uptime: 110, duration: nil, button: "left", meaning: "", repeats: 0, bootID: boot)
        #expect((PressClock(series).wall(of: press) != nil) == isPlaced)
    }

    /// pyedflib refuses EDF+D; a file with a gap is read all the same, and says where the gap was.
    @Test(.enabled(if: hasPyEDFlib, "needs pyedflib"), .timeLimit(.minutes(10)))
    func pyedflibReadsTheEvenGridAndItsGap() throws {
        let bench = Workbench()
        _ = try export(bench.motion().path, bench)
        let script = """
            import sys, pyedflib
            e = pyedflib.EdfReader(sys.argv[1])
            onsets, lengths, texts = e.readAnnotations()
            print(e.getNSamples()[0], e.getSampleFrequency(0), e.getFileDuration(), e.getStartdatetime().replace(microsecond=0), sep=",")
            print(*["%.2f %.2f %s" % row for row in zip(onsets, lengths, texts)], sep=";")
            s = e.readSignal(2)
            print(*["%.3f" % s[i] for i in (0, 1, 2, 2950, 3000, 3200, 3400)], sep=",")
            """
        let lines = try #require(Python.run(script, ["\(bench.path)/out.edf"]))
        // A minute and 3.6 s of gap, with the two blocks begun that the gap and the end tore.
        let length = try #require(lines.first).split(separator: ",")
        #expect(length[1] == "100.0" && length[3] == "2026-11-21 10:00:00")
        let seconds = Int(try #require(Double(length[2])))
        #expect((63...64).contains(seconds) && Int(length[0]) == seconds * 100)
        #expect(lines[1].contains("29.60 4.00 gap, filled with the value before"))
        #expect(lines[1].contains("samples are padding"))
        let values = lines[2].split(separator: ",").compactMap { Double($0) }
        #expect(abs(values[0]) < 0.001 && abs(values[1] - 0.01) < 0.001 && abs(values[2] - 0.02) < 0.001)
        // Within the gap nothing moves.
        #expect(Set(values[4...5]).count == 1)
    }

    @Test func thePressesOfAMinuteAreAnnotations() throws {
        let bench = Workbench()
        let source = try RecordedFile(bench.motion().path)
        let presses = try ButtonLog.presses(RecordedFile(bench.buttons().path))
        _ = try bench.exported("out.edf") {
            try EDFExporter.export(MotionSource([source]), presses: presses, to: $0) { _ in }
        }
        guard Self.hasMNE else { return }
        let script = """
            import sys, mne
            a = mne.read_annotations(sys.argv[1])
            print(*["%.3f %.3f %s" % (o, d, t) for o, d, t in zip(a.onset, a.duration, a.description)], sep=";")
            """
        let line = try #require(Python.run(script, ["\(bench.path)/out.edf"])?.first)
        #expect(line.contains("2.000 0.130 select (middle)") && line.contains("gap"))
        #expect(line.contains("40.250 1.400 undo (middle)"))
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
        let count = try #require(lines.first?.split(separator: ",").first.flatMap { Int($0) })
        // The samples, 3.6 s of gap, and the rest of the last record.
        let least = Int(sealed.description.samplesStored) + 360
        #expect((least - 100...least + 200).contains(count))
        #expect(lines.first == "\(count),100.0,2026-11-21T10:00:00+00:00,Accel X,Accel Y,Accel Z")
        #expect(lines.dropFirst().first?.contains("gap, filled with the value before 29.60 4.00") == true)
        #expect(lines.last == "1.000,-2.000,0.010")
    }

    @Test(
        .enabled(if: hasMNE && Fixture.has("accel/ax3_testfile.cwa"), "needs mne and ../shared/fixtures"),
        .timeLimit(.minutes(10)))
    func mneReadsRealFiles() throws {
        // From the first sample to the end of the last block, by skdh and by the blocks' own time
        // stamps: 175.99 s, 171.14 s and 724.73 s, each filled up to a whole record of a second.
        let bench = Workbench()
        let script = "import sys, mne; print(mne.io.read_raw_edf(sys.argv[1], verbose=\"error\").n_times)"
        for (name, count) in [
            ("ax3_testfile", "17600"), ("ax3_testfile_corrupt_blocks_0_13_14_142_143_144", "17200"),
            ("example-610-steps", "72500"),
        ] {
            _ = try export(#require(Fixture.path("accel/\(name).cwa")), bench)
            #expect(Python.run(script, ["\(bench.path)/out.edf"])?.first.map(String.init) == count)
        }
    }

    /// EDF+ "Time-stamped Annotations Lists": onset, U+0015 and duration, U+0014 and text. The recording begins at
    /// 10:00:00 of its wall clock, an hour ahead of UTC.
    @Test func aPressLiesWhereTheWallClockHasIt() throws {
        let bench = Workbench()
        let source = try MotionSource([RecordedFile(bench.motion().path)])
        let presses = try ButtonLog.presses(RecordedFile(bench.buttons().path))
        let bytes = try bench.exported("out.edf") {
            try EDFExporter.export(source, presses: presses, to: $0) { _ in }
        }
        for list in [
            "+2.000000\u{15}0.130000\u{14}select (middle)\u{14}\0",
            "+40.250000\u{15}1.400000\u{14}undo (middle)\u{14}\0",
            "+50.000000\u{14}previous (left)\u{14}\0",
        ] {
            #expect(text(bytes[...]).contains(list), "\(list)")
        }
        let clock = try PressClock(source.open())
        func wall(_ time: Instant?) -> Instant? {
            clock.wall(
                of: ButtonPress(
                    time: time, uptime: 110, duration: nil, button: "left", meaning: "", repeats: 0,
                    bootID: "boot-a"))
        }
        #expect(wall(Instant(seconds: 1_795_251_610)) == Instant(seconds: 1_795_255_210))
        #expect(wall(nil) == nil)
    }

    /// One record without a length holds them all, behind the header of a single signal.
    @Test func pressesAloneAreARecordOfAnnotations() throws {
        let bench = Workbench()
        let files = [try RecordedFile(bench.buttons().path)]
        let bytes = try bench.exported("out.edf") {
            _ = try ButtonEDFExporter().export(files, ExportOptions(), to: $0) { _ in }
        }
        #expect(text(bytes[8..<88]).hasPrefix("p7 X X X "))
        #expect(text(bytes[88..<168]).hasPrefix("Startdate 21-NOV-2026 X X panel "))
        #expect(text(bytes[168..<192]) == "21.11.2610.00.02512     " && text(bytes[192..<236]).hasPrefix("EDF+C "))
        #expect(text(bytes[236..<256]) == "1       0       1   ")
        #expect(text(bytes[256..<272]) == "EDF Annotations ")
        let size = try #require(Int(text(bytes[472..<480]).split(separator: " ").first ?? ""))
        #expect(bytes.count == 512 + 2 * size)
        #expect(
            text(bytes[512...]).hasPrefix(
                "+0\u{14}\u{14}\0+0.000000\u{15}0.130000\u{14}select (middle)\u{14}\0"
                    + "+38.250000\u{15}1.400000\u{14}undo (middle)\u{14}\0+48.000000\u{14}previous (left)\u{14}\0"))
    }
}
