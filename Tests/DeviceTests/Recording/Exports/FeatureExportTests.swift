// SPDX-License-Identifier: Apache-2.0
import Features
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// `studyd-tools features`. What the numbers are is asked in FeaturesTests.
@Suite struct FeatureExportTests {
    private static func table(_ paths: [String], names: [String]? = nil, epoch: Epoch = .minute) throws -> (
        rows: [[Substring]], head: [Substring], remarks: [String]
    ) {
        var bytes: [UInt8] = []
        let remarks = try FeatureExport.run(
            paths, epoch: epoch, names: names,
            to: { ExportOutput(name: "table") { piece throws(FileError) in bytes += piece } }, progress: { _ in })
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let rows = lines.filter { $0.first?.isNumber == true }
        #expect(lines.allSatisfy { $0.first == "#" || $0.first?.isNumber == true || $0.hasPrefix("time,local,") })
        return (
            rows.map { $0.split(separator: ",", omittingEmptySubsequences: false) },
            lines.first { $0.hasPrefix("time") }?.split(separator: ",") ?? [], remarks
        )
    }

    /// Sums of all tenths of a second that agcounts 0.2.6 makes of the file as actipy reads it
    /// (`features_reference.py file`).
    @Test(
        .enabled(if: Fixture.has("accel/ax3_testfile.cwa"), "needs the recordings in ../shared/fixtures"),
        arguments: [
            ("accel/example-610-steps.cwa", [29_977, 64_786, 29_039], 714.0),
            ("accel/ax3_testfile.cwa", [2610, 2542, 7937], 174),
        ])
    func countsOfARealRecordingAreThoseOfAgcounts(name: String, counts: [Int], seconds: Double) throws {
        let table = try Self.table([#require(Fixture.path(name))], names: ["agcounts", "enmo"])
        let place = try #require(table.head.firstIndex(of: "counts_x"))
        for axis in 0..<3 {
            #expect(table.rows.reduce(0) { $0 + (Int($1[place + axis]) ?? 0) } == counts[axis], "axis \(axis)")
        }
        let covered = table.rows.reduce(0) { $0 + (Double($1.last ?? "") ?? 0) * 60 }
        #expect(abs(covered - seconds) < seconds * 0.03)
        // Neither says in which zone it was: times are the wall's.
        #expect(table.rows.allSatisfy { $0[1].isEmpty && $0[0].hasSuffix(":00Z") })
    }

    /// Two minutes and a half of the recorder, in files of `rotation`.
    private static func recorded(
        _ bench: Workbench, rotation: Int, participant: String = "p7", device: UInt32 = 12
    ) throws -> [String] {
        let ring = Example.vectorRing()
        let measure = MeasureConfiguration(
            identifier: "accelerometer", format: .cwa, rotation: .seconds(rotation))
        var origin = Example.origin
        (origin.participant, origin.deviceID) = (participant, device)
        let recorder = try measure.recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: origin, folder: bench.folder())
        var sealed: [SealedRecording] = []
        for minute in 0..<5 {
            Example.fill(ring, samples: minute * 3200..<(minute + 1) * 3200, start: 130.005) { index, frame in
                let swing = Int32(abs(index * 4 % 200 - 100) - 50) * 20
                frame.values = [swing, swing / 2, 1000 - swing / 3, 0, 0, 0, 0, 0]
            }
            sealed += recorder.drain(
                at: MonotonicTime(seconds: 130 + Double(minute + 1) * 32), anchors: [Example.anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 300), anchors: [Example.anchor])
        return sealed.map(\.path)
    }

    /// From its first moment on; before all files it is that of the first.
    @Test func anEpochHasTheOffsetOfTheFileThatItBeginsIn() {
        let stream = FeatureStream("coverage", [], of: [])
        let first = Instant(seconds: 1_000)
        #expect(stream.offset(at: first) == nil)
        for (seconds, offset) in [(0, 3_600), (10, 3_600), (60, 7_200), (120, nil)] as [(Int, Int?)] {
            stream.begin(offset, at: first + .seconds(seconds))
        }
        for (seconds, offset) in [(-1, 3_600), (0, 3_600), (59, 3_600), (60, 7_200), (119, 7_200), (120, nil)]
            as [(Int, Int?)]
        {
            #expect(stream.offset(at: first + .seconds(seconds)) == offset, "\(seconds)")
        }
    }

    @Test func aFileThatDoesNotSayItsOffsetHasNotThatOfTheNext() {
        let stream = FeatureStream("coverage", [], of: [])
        let first = Instant(seconds: 1_000)
        stream.begin(nil, at: first)
        stream.begin(3_600, at: first + .seconds(60))
        #expect(stream.offset(at: first + .seconds(59)) == nil && stream.offset(at: first + .seconds(60)) == 3_600)
    }

    @Test func severalFilesAreOneStreamInTheOrderOfTime() throws {
        let (one, many) = (Workbench(), Workbench())
        let whole = try Self.table(Self.recorded(one, rotation: 3600))
        let files = try Self.recorded(many, rotation: 40)
        #expect(files.count > 3)
        let parts = try Self.table(files.reversed())
        let folder = try Self.table([many.path])
        // From 10:00:30 on, 160 s.
        #expect(
            whole.rows.map { $0[0] } == ["09:00:00", "09:01:00", "09:02:00", "09:03:00"].map { "2026-11-21T\($0)Z" })
        #expect(whole.rows.first?[1] == "2026-11-21T10:00:00+01:00")
        #expect(parts.rows.map { $0[0] } == whole.rows.map { $0[0] } && folder.rows == parts.rows)
        for (part, all) in zip(parts.rows, whole.rows) {
            for (one, other) in zip(part.dropFirst(2), all.dropFirst(2)) where one != other {
                let (one, other) = (try #require(Double(one)), try #require(Double(other)))
                #expect(abs(one - other) <= max(0.001, abs(other) * 0.01), "\(part)")
            }
        }
        #expect(whole.head.suffix(2) == ["worn", "coverage"])
        #expect(whole.rows.map { $0.last } == ["0.500", "1.000", "1.000", "0.167"])
    }

    /// Levels as the recorder writes them: 20 s of 40 dB, a gap, and 10 s of 60 dB.
    private static func levels(_ unit: String) -> [UInt8] {
        var text = "#studyd recording=7 measure=sound\n#units \(unit),\(unit),\(unit),samples,\(unit)\n"
        text += "time,uptime,LAeq,LAFmax,LZeq,clipped,LCeq\n"
        for second in Array(0..<20) + Array(45..<55) {
            if second == 45 { text += "#gap start=119.000000 end=145.000000 samples=400000 reason=deviceError\n" }
            let level = second < 45 ? "40.00" : "60.00"
            text += "2026-11-21T09:00:\(second < 10 ? "0" : "")\(second).000000Z,\(100 + second).000000,"
            text += "\(level),62.00,63.00,0,61.00\n"
        }
        return Array(text.utf8)
    }

    /// The first second behind the gap has no level.
    @Test func aGapBeforeASecondWithoutALevelIsStillOne() throws {
        let bench = Workbench()
        let text = String(decoding: Self.levels("dB"), as: UTF8.self).replacing(
            "145.000000,60.00,", with: "145.000000,,")
        try bench.write("sound.csv", Array(text.utf8))
        let file = try LevelFeatureFile(RecordedFile("\(bench.path)/sound.csv"))
        var (gaps, samples) = ([Int](), 0)
        while let batch = try file.next() {
            if batch.followsGap { gaps.append(samples) }
            samples += batch.samples.count
        }
        #expect(gaps == [20] && samples == 29)
    }

    /// (20 · 10⁴ + 10 · 10⁶) / 30 is 55.3 dB.
    @Test func levelsAndMotionShareTheirRows() throws {
        let bench = Workbench()
        let motion = try Self.recorded(bench, rotation: 3600)
        try bench.write("sound.csv", Self.levels("dB"))
        let table = try Self.table(motion + ["\(bench.path)/sound.csv"], names: ["enmo", "sound"])
        #expect(table.head == ["time", "local", "enmo", "laeq", "sound", "coverage", "sound_coverage"])
        #expect(table.rows.count == 4 && table.rows[0][3...4] == ["55.31", "1"])
        #expect(table.rows[0].suffix(2) == ["0.500", "0.500"])
        #expect(table.rows[1][3...4] == ["", ""] && table.rows[1].last == "0")
    }

    @Test(arguments: [(["enmo"], false), (["enmo", "sound"], true)])
    func whatTheNumbersOfSoundMeanIsSaidWhereTheyAre(names: [String], isSaid: Bool) throws {
        let bench = Workbench()
        let motion = try Self.recorded(bench, rotation: 3600)
        try bench.write("sound.csv", Self.levels("dB"))
        var bytes: [UInt8] = []
        _ = try FeatureExport.run(
            motion + ["\(bench.path)/sound.csv"], epoch: .minute, names: names,
            to: { ExportOutput(name: "table") { piece throws(FileError) in bytes += piece } }, progress: { _ in })
        let notes = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("#sound ") }
        #expect(notes == (isSaid ? ["#sound 0 quiet, 1 talk, 2 loud"] : []))
    }

    @Test(arguments: [
        ([], "names no feature; use enmo"), (["smell"], "'smell' is no feature; use enmo"),
        (["sound"], "sound needs sound levels in dB"),
        (["enmo", "visits"], "visits needs positions"),
    ])
    func whatIsNotThereIsRefused(names: [String], message: String) throws {
        let bench = Workbench()
        let files = try Self.recorded(bench, rotation: 3600)
        try bench.write("sound.csv", Self.levels("dBFS"))
        let error = #expect(throws: FileError.self) {
            try Self.table(files + ["\(bench.path)/sound.csv"], names: names)
        }
        #expect("\(try #require(error))".contains(message))
    }

    /// A second that could not be read stands behind the gap.
    @Test func aGapBeforeASecondWithoutALevelIsAGap() throws {
        let bench = Workbench()
        var text = "#studyd recording=7 measure=sound\n#units dB,dB\ntime,uptime,LAeq,LAFmax\n"
        text += "2026-11-21T09:00:00.000000Z,100.000000,40.00,62.00\n"
        text += "#gap start=101.000000 end=145.000000 samples=400000 reason=deviceError\n"
        text += "2026-11-21T09:00:45.000000Z,145.000000,,62.00\n,146.000000,50.00,62.00\n"
        text += "2026-11-21T09:00:47.000000Z,147.000000,60.00,62.00\n"
        text += "2026-11-21T09:00:48.000000Z,148.000000,61.00,62.00\n"
        try bench.write("sound.csv", Array(text.utf8))
        let file = try LevelFeatureFile(RecordedFile(bench.path + "/sound.csv"))
        var found: [Double?] = []
        while let batch = try file.next() {
            if batch.followsGap { found.append(nil) }
            found += batch.samples.map(\.level)
        }
        #expect(found == [40, nil, 60, 61])
    }

    @Test(arguments: [("+01:00", 3600), ("-03:30", -12_600), (nil, nil)] as [(String?, Int?)])
    func positionsAreOfTheClockThatTheirDescriptionNames(offset: String?, seconds: Int?) throws {
        let bench = Workbench()
        try bench.write("walk.nmea", NMEAWalk.log([0, 1]))
        var note = RecordingDescription(fileName: "walk.nmea", contentType: "text/plain", countedUnit: .bytes)
        note.offset = offset
        let file = try PositionFeatureFile(
            RecordedFile(bench.path + "/walk.nmea", named: "walk.nmea", described: offset == nil ? nil : note))
        #expect(file.offset == seconds)
    }

    @Test func twoParticipantsAreNotOne() throws {
        let (one, other) = (Workbench(), Workbench())
        let files = try Self.recorded(one, rotation: 3600) + Self.recorded(other, rotation: 3600, participant: "p8")
        let error = #expect(throws: FileError.self) { try Self.table(files) }
        #expect("\(try #require(error))".contains("give the files of one participant"))
    }

    @Test func twoDevicesOfOneTimeAreNotOneStream() throws {
        let (wrist, ankle) = (Workbench(), Workbench())
        let files = try Self.recorded(wrist, rotation: 3600) + Self.recorded(ankle, rotation: 3600, device: 13)
        let error = #expect(throws: FileError.self) { try Self.table(files) }
        let words = "\(try #require(error))"
        #expect(words.contains("of device 12") && words.contains("of device 13"), "\(words)")
        #expect(words.hasSuffix("give the files of one of them"))
    }

    /// ActiGraph's filter is for 30 samples a second and more (agcounts); 6.25 is a rate of CWA and of ADXL345.
    @Test func aRateThatIsTooLowForAFeatureIsNamed() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let source = SourceDescription(
            kind: .accelerometer, device: "ADXL345", location: "i2c-1 0x53",
            channels: [Example.milliG, Example.milliG, Example.milliG], nominalRate: 6.25, fullScale: 8)
        let recorder = try MeasureConfiguration(identifier: "slow", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<960, rate: 6.25)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 260), anchors: [Example.anchor])
        let path = try #require(sealed.first?.path)
        #expect {
            _ = try Self.table([path], names: ["enmo", "agcounts"])
        } throws: {
            "\($0)".contains("agcounts cannot be made of 6.25 samples per second, as 000001-accelerometer.cwa has")
        }
        #expect {
            _ = try Self.table([path], names: ["visits"])
        } throws: {
            "\($0)".contains("visits needs positions, which is not among the files")
        }
    }

    @Test func aFileOfAFolderThatIsNoRecordingIsLeftOutAndNamed() throws {
        let bench = Workbench()
        _ = try Self.recorded(bench, rotation: 3600)
        try bench.write("notes.csv", Array("one,two\n1,2\n".utf8))
        let table = try Self.table([bench.path], names: ["enmo"])
        #expect(table.rows.count == 4)
        #expect(table.remarks.count == 1 && table.remarks.first?.contains("notes.csv") == true)
    }
}
