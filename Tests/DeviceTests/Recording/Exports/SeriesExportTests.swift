import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// Several files of one measure as one, and parts of them.
@Suite struct SeriesExportTests {
    /// Forty seconds at 100 Hz in files of ten, and the same in one file.
    private func record(
        _ bench: Workbench, rotation: Duration, format: RecordingFormat = .cwa, device: UInt32 = 12
    ) throws -> [RecordedFile] {
        var origin = Example.origin
        origin.deviceID = device
        let ring = Example.vectorRing()
        let source = format == .cwa ? Example.accelerometer : Example.magnetometer
        let recorder = try MeasureConfiguration(identifier: "motion", format: format, rotation: rotation).recorder(
            of: .vectors(ring), source: source, origin: origin, folder: bench.folder())
        var sealed: [SealedRecording] = []
        for second in 0..<40 {
            let rate = Int(source.nominalRate)
            Example.fill(ring, samples: second * rate..<(second + 1) * rate, rate: source.nominalRate) { index, frame in
                frame.time = MonotonicTime(seconds: 100 + Double(index) / source.nominalRate)
                frame.isStamped = true
            }
            sealed += recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 141), anchors: [Example.anchor])
        return try sealed.map { try RecordedFile($0.path) }
    }

    /// What `studyd-tools export` writes of them.
    private func exported(
        _ files: [RecordedFile], as format: ExportFormat, _ bench: Workbench
    ) throws -> [Substring] {
        _ = try RecordingExport.run(
            files, as: format, ExportOptions(), by: .standard,
            to: { () throws(FileError) in try ExportOutput(path: bench.path + "/out") }, progress: { _ in })
        return String(decoding: try bench.bytes("out"), as: UTF8.self).split(separator: "\n")
    }

    private func rows(_ lines: [Substring]) -> [Substring] { lines.filter { $0.first?.isNumber == true } }

    @Test func severalFilesBecomeTheOneThatTheyWouldHaveBeen() throws {
        let (apart, together) = (Workbench(), Workbench())
        let files = try record(apart, rotation: .seconds(10))
        let whole = try record(together, rotation: .seconds(600))
        #expect(files.count == 4 && whole.count == 1)
        let one = try together.lines("a.csv") { try CWACSVExporter.export(MotionSource(whole), to: $0) { _ in } }
        // In whatever order they are named.
        let four = try apart.lines("b.csv") {
            try CWACSVExporter.export(MotionSource(files.reversed()), to: $0) { _ in }
        }
        #expect(rows(one).count == rows(four).count && rows(four).count == 4000)
        #expect(!four.contains { $0.hasPrefix("#gap") })
        for (left, right) in zip(rows(one), rows(four)) {
            #expect(left.split(separator: ",").dropFirst(2).elementsEqual(right.split(separator: ",").dropFirst(2)))
        }
        let times = rows(four).compactMap { Instant.parsed(String($0.prefix { $0 != "," })) }
        #expect(zip(times, times.dropFirst()).allSatisfy { abs(($1 - $0).seconds - 0.01) < 0.002 })
    }

    @Test func aFileThatIsMissingBetweenIsAGap() throws {
        let bench = Workbench()
        let files = try record(bench, rotation: .seconds(10))
        let lines = try bench.lines("b.csv") {
            try CWACSVExporter.export(MotionSource([files[0], files[2]]), to: $0) { _ in }
        }
        let gap = try #require(lines.first { $0.hasPrefix("#gap") })
        #expect(gap.contains("seconds=10") || gap.contains("seconds=9"))
    }

    /// CLOCK_MONOTONIC goes on evenly when NTP sets the clock by 40 s (clock_gettime(2)), and so do uptimes.
    @Test func uptimesAreThoseOfTheirFilesWhereTheClockWasPutRightBetween() throws {
        let bench = Workbench()
        let better = Example.anchor(at: 100, Instant(seconds: 1_795_251_640))
        let files = try [(100.0, Example.anchor), (112, better)].map { start, anchor in
            let ring = Example.vectorRing()
            let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
                of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
            Example.fill(ring, samples: 0..<1000, start: start)
            let sealed = recorder.stop(at: MonotonicTime(seconds: start + 11), anchors: [anchor])
            return try RecordedFile(try #require(sealed.first).path)
        }
        let notes = files.compactMap(\.description)
        let csv = rows(try bench.lines("a.csv") { try CWACSVExporter.export(MotionSource(files), to: $0) { _ in } })
        let json = try bench.lines("a.json") {
            try SageJSONMotionExporter.export(files, window: .all, to: $0) { _ in }
        }.filter { $0.contains("sensorType") }
        let found = [
            csv.compactMap { Double($0.split(separator: ",")[1]) },
            json.compactMap { Double($0.split(separator: ":")[1].prefix { $0 != "," }) },
        ]
        for uptimes in found {
            #expect(uptimes.count == notes.reduce(0) { $0 + $1.samplesStored } && uptimes == uptimes.sorted())
            #expect(abs(uptimes[0] - notes[0].startUptime) < 2e-6 && abs(uptimes[0] - 100) < 0.01)
            let second = uptimes[notes[0].samplesStored]
            #expect(abs(second - notes[1].startUptime) < 2e-6 && abs(second - 112) < 0.01)
        }
        #expect(csv[notes[0].samplesStored].hasPrefix("2026-11-21T10:00:5"))
    }

    @Test func aPartIsExactToTheSample() throws {
        let bench = Workbench()
        let files = try record(bench, rotation: .seconds(10))
        let window = try ExportWindow(from: "2026-11-21T10:00:05.000", until: "2026-11-21T09:00:25Z")
        let lines = try bench.lines("b.csv") {
            try CWACSVExporter.export(MotionSource(files, window: window), to: $0) { _ in }
        }
        let found = rows(lines)
        #expect(abs(found.count - 2000) <= 1 && !lines.contains { $0.hasPrefix("#gap") })
        #expect(found.first?.hasPrefix("2026-11-21T10:00:05.0") == true)
        #expect(found.last?.hasPrefix("2026-11-21T10:00:24.99") == true)
    }

    @Test func tablesHaveOneHeaderAndKeepTheirRows() throws {
        let bench = Workbench()
        let files = try record(bench, rotation: .seconds(10), format: .csv)
        let window = try ExportWindow(from: "2026-11-21T09:00:05Z", until: "2026-11-21T09:00:25Z")
        let all = try bench.lines("all.csv") { try TextExporter.export(files, window: .all, to: $0) { _ in } }
        let part = try bench.lines("part.csv") { try TextExporter.export(files, window: window, to: $0) { _ in } }
        #expect(files.count > 2 && all.filter { $0.hasPrefix("time,") }.count == 1)
        #expect(rows(all).count == 400 && rows(part).count == 200)
        let sage = try bench.lines("part.json") {
            try SageJSONMotionExporter.export(files, window: window, to: $0) { _ in }
        }
        #expect(sage.filter { $0.contains("\"sensorType\"") }.count == 200)
    }

    /// Ten seconds of 10 Hz.
    @Test func aTableThatIsMissingBetweenIsAGap() throws {
        let bench = Workbench()
        let files = try record(bench, rotation: .seconds(10), format: .csv)
        func gaps(_ files: [RecordedFile], _ window: ExportWindow = .all) throws -> [TextGap] {
            try bench.lines("t.csv") { try TextExporter.export(files, window: window, to: $0) { _ in } }
                .compactMap { TextGap(Array($0.utf8)[...]) }
        }
        #expect(try gaps(files).isEmpty)
        let gap = try #require(try gaps([files[0], files[2]]).first)
        let notes = files.compactMap(\.description)
        #expect(abs((gap.start ?? 0) - notes[0].endUptime) < 2e-6 && abs(gap.end - notes[2].startUptime) < 2e-6)
        #expect(gap.count == notes[1].samplesStored && gap.reason == "betweenFiles")
        // What is missing before the wanted rows is not missing among them.
        let late = try ExportWindow(from: "2026-11-21T09:00:25Z", until: nil)
        #expect(try gaps([files[0], files[2]], late).isEmpty)
    }

    /// A level in dBFS and one in dB are other numbers for one sound.
    @Test(arguments: [
        ("#units dB\n", "#units dB\n", true), ("#units dBFS\n", "#units dB\n", false), ("", "#units dB\n", false),
        ("", "", true),
    ])
    func tablesOfOtherUnitsAreNotJoined(first: String, second: String, isJoined: Bool) throws {
        let bench = Workbench()
        let files = try [("a.csv", first), ("b.csv", second)].map { name, units in
            try bench.write(name, Array("\(units)time,uptime,LAeq\n2026-11-21T09:00:00.000000Z,1.000000,2\n".utf8))
            return try RecordedFile("\(bench.path)/\(name)")
        }
        func joined() throws {
            _ = try bench.lines("out") { try TextExporter.export(files, window: .all, to: $0) { _ in } }
        }
        if isJoined { try joined() } else { #expect(throws: FileError.self) { try joined() } }
    }

    /// Numbers are each device's own.
    @Test(
        arguments: [
            (["2026-11-21T10:00:05Z", "2026-11-21T10:00:00+01:00"], ["b", "a"]),
            (["2026-11-21T10:00:00Z", "2026-11-21T10:00:05Z"], ["a", "b"]),
            (["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"], ["b", "a"]),
            (["2026-11-21T10:00:00Z", nil], ["b", "a"]),
        ] as [([String?], [String])])
    func filesAreJoinedInTheOrderOfTheirStarts(starts: [String?], order: [String]) throws {
        let bench = Workbench()
        let files = try ["a", "b"].enumerated().map { place, name in
            try bench.write("\(name).csv", Array("time,uptime,name\n,1.000000,\(name)\n".utf8))
            var note = RecordingDescription(fileName: name, contentType: "text/csv", countedUnit: .samples)
            (note.number, note.startDate) = (2 - place, starts[place])
            return try RecordedFile("\(bench.path)/\(name).csv", named: name, described: note)
        }
        #expect(try exported(files, as: .csv, bench).compactMap(\.last).suffix(2).map(String.init) == order)
    }

    /// The same minute at a wrist and at an ankle.
    @Test func twoDevicesOfOneTimeAreOneFileAsXDFAlone() throws {
        let (wrist, ankle) = (Workbench(), Workbench())
        let files = try record(wrist, rotation: .seconds(60)) + record(ankle, rotation: .seconds(60), device: 13)
        #expect {
            _ = try exported(files, as: .csv, wrist)
        } throws: {
            "\($0)".contains("of device 12") && "\($0)".contains("of device 13")
        }
        #expect(try !exported(files, as: .xdf, wrist).isEmpty)
    }

    @Test func progressOverSeveralTablesNeverFallsBack() throws {
        let bench = Workbench()
        let row = "2026-11-21T09:00:00.000000Z,1.000000,2"
        let table = "time,uptime,x\n" + Array(repeating: row, count: 10_000).joined(separator: "\n")
        for name in ["a.csv", "b.csv", "c.csv"] { try bench.write(name, Array(table.utf8)) }
        let files = try ["a.csv", "b.csv", "c.csv"].map { try RecordedFile("\(bench.path)/\($0)") }
        var shares: [Double] = []
        _ = try bench.lines("all.csv") { try TextExporter.export(files, window: .all, to: $0) { shares.append($0) } }
        #expect(shares.count == 6 && shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) })
        #expect(shares[1] <= 1.0 / 3 && shares[4] > 2.0 / 3)
    }

    @Test func whatDoesNotBelongTogetherIsRefused() throws {
        let (bench, other) = (Workbench(), Workbench())
        let motion = try record(bench, rotation: .seconds(600))
        let six = try RecordedFile(other.motion(gyroscope: true).path)
        #expect(throws: FileError.self) { try MotionSource(motion + [six]) }
        let field = try record(Workbench(), rotation: .seconds(600), format: .csv)
        #expect(throws: FileError.self) { try MotionSource(motion + field) }
    }

    @Test func soundIsCutAndJoinedToTheSample() throws {
        let bench = Workbench()
        let ring = FrameRing<SoundFrame>(capacity: 4096, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "memo", format: .flac, rotation: .seconds(10)).recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: bench.folder())
        var sealed: [SealedRecording] = []
        for block in 0..<1250 {
            let seconds = 100 + Double(block * 256) / 16_000
            ring.push(Example.sound((0..<256).map { Int16(truncatingIfNeeded: block * 256 + $0) }, at: seconds))
            if block % 60 == 0 {
                sealed += recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
            }
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 121), anchors: [Example.anchor])
        let files = try sealed.map { try RecordedFile($0.path) }
        #expect(files.count == 2)
        let window = try ExportWindow(from: "2026-11-21T09:00:05Z", until: "2026-11-21T09:00:15Z")
        var damage = WAVExporter.Damage()
        let bytes = try bench.exported("out.wav") {
            damage = try WAVExporter.export(files.reversed(), window: window, to: $0) { _ in }
        }
        // The files' own rates tell where in them a moment lies, to a sample or two.
        let head = try #require((36..<120).first { bytes[$0..<$0 + 4].elementsEqual("data".utf8) }) + 8
        let data = Array(bytes[head...])
        #expect(damage == WAVExporter.Damage() && Int(bytes.uint32(head - 4)) == data.count)
        #expect(abs(data.count / 2 - 160_000) <= 4)
        let first = data.int16(0)
        #expect(abs(Int(first) - Int(Int16(truncatingIfNeeded: 80_000))) <= 4)
        #expect((0..<data.count / 2).allSatisfy { data.int16(2 * $0) == first &+ Int16(truncatingIfNeeded: $0) })
    }
}
