// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device
@testable import Exports

@Suite struct XDFExporterTests {
    private static let variable = "STUDYD_DATASET_PYTHON"
    private static let hasPyXDF = Python.has("pyxdf", by: variable)

    @discardableResult
    private func export(
        _ paths: [String], as format: ExportFormat = .xdf, _ options: ExportOptions = ExportOptions(), to name: String,
        _ bench: Workbench
    ) throws -> String {
        let target = "\(bench.path)/\(name)"
        _ = try RecordingExport.run(
            paths, as: format, options, to: { () throws(FileError) in try ExportOutput(path: target) },
            progress: { _ in })
        return target
    }

    /// The reader of the people who made the format, and the times and values that the export as CSV
    /// gives of the same files: uptimes before the clocks are synchronised, UTC after.
    @Test(.enabled(if: hasPyXDF, "needs pyxdf"), .timeLimit(.minutes(10)))
    func pyxdfReadsEverySampleWhereTheCSVHasIt() throws {
        let bench = Workbench()
        let files = try [bench.motion(gyroscope: true), bench.magneticField(), bench.buttons()].map(\.path)
        let xdf = try export(files, to: "span.xdf", bench)
        let tables = try zip(files, ["m.csv", "f.csv", "b.csv"]).map { try export([$0], as: .csv, to: $1, bench) }
        let script = """
            import sys, csv, pyxdf, datetime
            def rows(path):
                lines = [l for l in open(path) if not l.startswith("#")]
                return list(csv.reader(lines))[1:]
            def unix(text): return datetime.datetime.fromisoformat(text).timestamp()
            raw, head = pyxdf.load_xdf(sys.argv[1], synchronize_clocks=False, dejitter_timestamps=False)
            utc, _ = pyxdf.load_xdf(sys.argv[1], dejitter_timestamps=False)
            print(head["info"]["datetime"][0], *["%s:%s:%s:%d" % (s["info"]["name"][0], s["info"]["type"][0],
                s["info"]["nominal_srate"][0], len(s["time_stamps"])) for s in raw], sep=",")
            for stream, synced, path in zip(raw, utc, sys.argv[2:4]):
                table = rows(path)
                at = max(abs(t - float(r[1])) for t, r in zip(stream["time_stamps"], table))
                by = max(abs(t - unix(r[0])) for t, r in zip(synced["time_stamps"], table))
                off = max(abs(v - float(c)) for vs, r in zip(stream["time_series"], table) for v, c in zip(vs, r[2:]))
                print(len(table), len(table[0]) - 2, at < 6e-7, by < 2e-6, off < 6e-7, sep=",")
            presses = [r for r in rows(sys.argv[4]) if r[3] == "down"]
            print(*["%s %s %s" % (t[0], abs(u - float(r[1])) < 6e-7, abs(w - unix(r[0])) < 2e-6)
                for t, u, w, r in zip(raw[2]["time_series"], raw[2]["time_stamps"], utc[2]["time_stamps"], presses)], sep=",")
            motion, table = raw[0], rows(sys.argv[2])
            for u, r in zip(raw[2]["time_stamps"], presses):
                near = min(range(len(table)), key=lambda i: abs(motion["time_stamps"][i] - u))
                same = min(range(len(table)), key=lambda i: abs(float(table[i][1]) - float(r[1])))
                print(near == same, [float("%.6f" % v) for v in motion["time_series"][near]] == [float(c) for c in table[near][2:]], sep=",")
            print(*[c["label"][0] + "/" + c["unit"][0] for c in raw[0]["info"]["desc"][0]["channels"][0]["channel"]])
            print(*[int(s["footer"]["info"]["sample_count"][0]) == len(s["time_stamps"]) for s in raw])
            """
        let lines = try #require(Python.run(script, [xdf] + tables, by: Self.variable))
        let stored = try #require(try RecordedFile(files[0]).description?.samplesStored)
        #expect(lines.count == 9, "\(lines)")
        guard lines.count == 9 else { return }
        #expect(
            lines[0]
                == "2026-11-21T10:00:00.000000+01:00,motion:accelerometer:100.0:\(stored),field:magnetometer:10.0:100,buttons:Markers:0.0:3"
        )
        #expect(lines[1] == "\(stored),6,True,True,True" && lines[2] == "100,3,True,True,True", "\(lines[1...2])")
        #expect(lines[3] == "select (middle) True True,undo (middle) True True,previous (left) True True")
        #expect(lines[4...6].allSatisfy { $0 == "True,True" }, "\(lines[4...6])")
        #expect(lines[7] == "x/g y/g z/g gyro_x/deg/s gyro_y/deg/s gyro_z/deg/s")
        #expect(lines[8] == "True True True")
    }

    /// What readers do unless they are told otherwise: even stamps, here of a chip that keeps its rate.
    @Test(.enabled(if: hasPyXDF, "needs pyxdf"), .timeLimit(.minutes(10)))
    func aFileReadAsReadersDoByThemselvesIsWithinAMillisecond() throws {
        let bench = Workbench()
        let xdf = try export([bench.motion(gap: false).path, bench.buttons().path], to: "span.xdf", bench)
        let script = """
            import sys, pyxdf
            even, _ = pyxdf.load_xdf(sys.argv[1])
            exact, _ = pyxdf.load_xdf(sys.argv[1], dejitter_timestamps=False)
            print(max(abs(a - b) for s, t in zip(even, exact) for a, b in zip(s["time_stamps"], t["time_stamps"])) < 1e-3,
                abs(float(even[0]["info"]["effective_srate"]) - 100) < 0.01)
            """
        #expect(Python.run(script, [xdf], by: Self.variable) == ["True True"])
    }

    @Test(.enabled(if: hasPyXDF, "needs pyxdf"), .timeLimit(.minutes(10)))
    func aForeignFileAndAWindowLieOnTheTimeOfDay() throws {
        let bench = Workbench()
        let ours = try bench.motion(gap: false)
        try bench.write("ax3.cwa", bench.bytes(String(ours.path.split(separator: "/").last ?? "")))
        var options = ExportOptions()
        options.window = try ExportWindow(from: "2026-11-21T10:00:10", until: "2026-11-21T10:00:20")
        let xdf = try export(["\(bench.path)/ax3.cwa"], options, to: "foreign.xdf", bench)
        let script = """
            import sys, pyxdf
            s = pyxdf.load_xdf(sys.argv[1], dejitter_timestamps=False)[0][0]
            print(len(s["time_stamps"]), round(s["time_stamps"][0], 2), s["info"]["name"][0])
            """
        let line = try #require(Python.run(script, [xdf], by: Self.variable)?.first)
        #expect(line.hasPrefix("1000 179525"), "\(line)")
    }

    @Test func uptimesAndTimesOfDayLieOnOneTimeline() throws {
        let bench = Workbench()
        let files = try [bench.motion(), bench.buttons()].map { try RecordedFile($0.path) }
        let timeline = try XDFTimeline(files)
        #expect(timeline.offsets.count == 1 && timeline.offsets.first?.offset == 1_795_251_500)
        #expect(timeline.place(uptime: 102, of: files[1]) == 102)
        #expect(timeline.place(Instant(seconds: 1_795_251_600)) == 100)
    }

    /// The clock of a boot became known while its second file was written: that file's is the timeline, and a
    /// foreign one, which has a time of day alone, has its place on it.
    @Test func theFirstFileWithATimeOfDayMakesTheTimeline() throws {
        let (bench, other) = (Workbench(), Workbench())
        let known = try bench.motion()
        try bench.write("lone.cwa", bench.bytes(String(known.path.split(separator: "/").last ?? "")))
        let unknown = try other.motion(anchored: false)
        let files = try [unknown.path, "\(bench.path)/lone.cwa", known.path].map { try RecordedFile($0) }
        let timeline = try XDFTimeline(files)
        #expect(timeline.offsets.map(\.offset) == [1_795_251_500])
        #expect(timeline.place(Instant(seconds: 1_795_251_600)) == 100)
    }

    /// Dates from one end of `Instant` to the other: each is far off, and none ends the program.
    @Test func anchorsOfImpossibleDatesAreFarOff() throws {
        let bench = Workbench()
        let here = try RecordedFile(bench.motion().path)
        let files = try ["1678-01-01T00:00:00Z", "2261-12-31T00:00:00Z", "2261-12-31T00:00:00Z"].map { time in
            var note = try #require(here.description)
            note.anchors = [.init(uptime: 1, time: time, source: "kernel", uncertainty: 0.1)]
            return try RecordedFile(here.file.path, named: here.name, described: note)
        }
        let timeline = try XDFTimeline(files)
        #expect(timeline.offsets.count == 3 && timeline.place(Instant(seconds: 0)).isFinite)
    }

    /// Of another boot, a file lies where its time of day does; of a boot without one, nowhere.
    @Test func aFileOfAnotherBootIsPlacedByTheTimeOfDay() throws {
        let bench = Workbench()
        let here = try RecordedFile(bench.motion().path)
        var note = try #require(here.description)
        note.bootID = "boot-z"
        note.anchors = [.init(uptime: 7, time: "2026-11-21T09:00:40Z", source: "kernel", uncertainty: 0.1)]
        let later = try RecordedFile(here.file.path, named: here.name, described: note)
        // Its second 14 is 09:00:47, which was 147 of the first boot.
        #expect(try abs(XDFTimeline([here, later]).place(uptime: 14, of: later) - 147) < 1e-6)
        #expect(try XDFTimeline([here, later]).offsets.count == 1)
        note.anchors = []
        let nowhere = try RecordedFile(here.file.path, named: here.name, described: note)
        for files in [[here, nowhere], [nowhere, here]] {
            #expect { try XDFTimeline(files) } throws: { "\($0)".contains("its boot never had a time of day") }
        }
    }

    /// Readers correct all streams by one line or by pieces of their own (xdf-modules/pyxdf 8ceb102, pyxdf.py:739-885):
    /// only what has the same place stays together. The clock was set forward by 40 s between two files.
    @Test func anAnswerLiesBesideTheSamplesOfItsMomentWhereTheClockWasSet() throws {
        let bench = Workbench()
        let here = try RecordedFile(bench.motion().path)
        var note = try #require(here.description)
        (note.startUptime, note.endUptime) = (200, 260)
        note.anchors = [.init(uptime: 200, time: "2026-11-21T09:02:20Z", source: "kernel", uncertainty: 0.1)]
        let later = try RecordedFile(here.file.path, named: here.name, described: note)
        let timeline = try XDFTimeline([here, later])
        #expect(timeline.offsets.map(\.offset) == [1_795_251_500, 1_795_251_540])
        for (second, place) in [(10, 110), (59, 159), (140, 200), (200, 260)] as [(Int64, Double)] {
            #expect(timeline.place(Instant(seconds: 1_795_251_600 + second)) == place)
        }
        // In between the times of day are more than the clock's seconds.
        #expect((160...200).contains(timeline.place(Instant(seconds: 1_795_251_700))))
    }

    /// What damage makes of an uptime, under a right checksum; 3.9e9 s are 123 years.
    @Test(arguments: [
        ("1e12", false), ("nan", false), ("-inf", false), ("4e9", false), ("3.9e9", true), ("14.5", true),
    ])
    func anImpossibleUptimeOfASentenceIsNone(uptime: String, isKnown: Bool) throws {
        let bench = Workbench()
        let here = try RecordedFile(bench.motion().path)
        let text = NMEAWalk.sentence("PSTDY,E,\(uptime),2026-11-21T09:00:07.000000Z") + NMEAWalk.log([7])
        try bench.write("walk.nmea", text)
        var note = RecordingDescription(fileName: "walk.nmea", contentType: "text/plain", countedUnit: .bytes)
        note.bootID = "boot-z"
        note.anchors = [.init(uptime: 7, time: "2026-11-21T09:00:00Z", source: "kernel", uncertainty: 0.1)]
        let walk = try RecordedFile("\(bench.path)/walk.nmea", named: "walk.nmea", described: note)
        let epoch = try #require(try NMEATrack([walk]).next())
        #expect((epoch.uptime != nil) == isKnown && epoch.time == Instant(seconds: 1_795_251_607))
        let bytes = try bench.exported("out.xdf") {
            _ = try XDFExporter.export([here, walk], .all, markers: [], to: $0) { _ in }
        }
        #expect(bytes.starts(with: "XDF:".utf8))
    }

    @Test func aFileWithoutATimeOfDayIsRefusedBesideOneOfAnotherBoot() throws {
        let (bench, other) = (Workbench(), Workbench())
        let (known, unknown) = (try bench.motion(), try other.motion(anchored: false))
        try bench.write("lone.cwa", bench.bytes(String(known.path.split(separator: "/").last ?? "")))
        #expect(try XDFTimeline([RecordedFile(unknown.path)]).offsets.isEmpty)
        #expect {
            try XDFTimeline([RecordedFile(unknown.path), RecordedFile("\(bench.path)/lone.cwa")])
        } throws: { "\($0)".contains("one timeline") && "\($0)".contains("lone.cwa") }
    }

    /// A stream as it lies in a file, by github.com/sccn/xdf/wiki/Specifications.
    private struct Stream {
        var header = ""
        var footer = ""
        var offsets: [[Double]] = []
        var rows: [(time: Double, values: [Double], text: String)] = []
        /// How many samples each chunk has.
        var chunks: [Int] = []
        var boundaries = 0
        private var isText: Bool { header.contains("<channel_format>string</channel_format>") }
        private var channels: Int { header.split(separator: "<channel>").count - 1 }

        /// Behind the number of the stream: how many samples there are, and each with its time.
        mutating func take(samples content: ArraySlice<UInt8>) {
            var rest = content
            let (isText, channels) = (self.isText, self.channels)
            let count = XDFExporterTests.readLength(&rest)
            chunks.append(count)
            for _ in 0..<count {
                let width = rest.popFirst()
                #expect(width == 8)
                let time = XDFExporterTests.readDouble(&rest)
                if isText {
                    let length = XDFExporterTests.readLength(&rest)
                    rows.append((time, [], String(decoding: rest.prefix(length), as: UTF8.self)))
                    rest = rest.dropFirst(length)
                } else {
                    rows.append((time, (0..<channels).map { _ in XDFExporterTests.readDouble(&rest) }, ""))
                }
            }
            #expect(rest.isEmpty)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func readDouble(_ rest: inout ArraySlice<UInt8>) -> Double {
        defer { rest = rest.dropFirst(8) }
        return Double(bitPattern: number(rest.prefix(8)))
    }

    /// A length with its own width before it.
    private static func readLength(_ rest: inout ArraySlice<UInt8>) -> Int {
        let width = Int(rest.popFirst() ?? 0)
        defer { rest = rest.dropFirst(width) }
        return Int(number(rest.prefix(width)))
    }

    private static func streams(_ bytes: [UInt8]) throws -> [Stream] {
        try #require(bytes.starts(with: "XDF:".utf8))
        var (rest, streams, isFirst) = (bytes[4...], [Stream](), true)
        while !rest.isEmpty {
            let length = readLength(&rest)
            let (tag, content) = (number(rest.prefix(2)), rest.prefix(length).dropFirst(2))
            rest = rest.dropFirst(length)
            #expect(isFirst == (tag == 1))
            isFirst = false
            var body = content.dropFirst(4)
            let stream = Int(number(content.prefix(4))) - 1
            switch tag {
            case 1: #expect(String(decoding: content, as: UTF8.self).contains("<version>1.0</version>"))
            case 2:
                #expect(stream == streams.count)
                streams.append(Stream(header: String(decoding: body, as: UTF8.self)))
            case 3: streams[stream].take(samples: body)
            case 4: streams[stream].offsets.append([readDouble(&body), readDouble(&body)])
            case 5:
                #expect(content.count == 16)
                streams[streams.count - 1].boundaries += 1
            default: streams[stream].footer = String(decoding: body, as: UTF8.self)
            }
        }
        return streams
    }

    private static func labels(_ stream: Stream) -> [String] {
        stream.header.split(separator: "<label>").dropFirst().map { String($0.prefix { $0 != "<" }) }
    }

    /// As any reader finds them: 100 s after booting it was 09:00:00 UTC, and accelerations are whole steps of
    /// 1/4096 g.
    @Test(arguments: [true, false]) func everyStreamLiesInItsChunks(hasGyroscope: Bool) throws {
        let bench = Workbench()
        let files = try [
            bench.motion(gyroscope: hasGyroscope), bench.magneticField(), bench.buttons(),
        ].map { try RecordedFile($0.path) }
        let streams = try Self.streams(
            bench.exported("out.xdf") { _ = try XDFExporter.export(files, .all, markers: [], to: $0) { _ in } })
        try #require(streams.count == 3)
        let axes = ["x", "y", "z"] + (hasGyroscope ? ["gyro_x", "gyro_y", "gyro_z"] : [])
        #expect(Self.labels(streams[0]) == axes)
        let first = try #require(streams[0].rows.first)
        let wanted: [Double] = [1, -2, 0] + (hasGyroscope ? [175, -350, 490] : [])
        #expect(first.values.count == wanted.count)
        #expect(zip(first.values, wanted).allSatisfy { abs($0 - $1) < ($1.magnitude > 100 ? 0.008 : 0.000_13) })
        #expect(abs(first.time - 100) < 0.01)
        for (stream, file) in zip(streams, files).prefix(2) {
            let (times, note) = (stream.rows.map(\.time), try #require(file.description))
            #expect(times.count == note.samplesStored && times == times.sorted())
            #expect(stream.footer.contains("<sample_count>\(times.count)</sample_count>"))
            #expect(stream.header.contains("<nominal_srate>\(note.nominalRate)</nominal_srate>"))
        }
        // By this pyxdf leaves their times as they are (xdf-modules/pyxdf 8ceb102, pyxdf.py:901-923, 944).
        let drops = "<synchronization><can_drop_samples>true</can_drop_samples></synchronization>"
        #expect(streams.map { $0.header.contains(drops) } == [true, true, false])
        #expect(streams[2].rows.map(\.text) == ["select (middle)", "undo (middle)", "previous (left)"])
        #expect(streams[2].rows.map(\.time) == [102, 140.25, 150])
        #expect(streams.allSatisfy { $0.offsets.map(\.last) == [1_795_251_500] })
    }

    /// 256 samples to a chunk. A boundary is behind each 64th chunk and each stream.
    @Test(
        arguments: [
            (0, 0, nil, 1), (1, 1, 1, 1), (256, 1, 256, 1), (257, 2, 1, 1), (16_128, 63, 256, 1), (16_129, 64, 1, 2),
        ] as [(Int, Int, Int?, Int)])
    func samplesLieInWholeChunks(count: Int, chunks: Int, last: Int?, boundaries: Int) throws {
        let bytes = try Workbench().exported("out.xdf") { output in
            var writer = XDFWriter(to: output, begun: nil)
            writer.open(XDFStream(name: "x", type: "x", rate: 1, channels: [(label: "x", unit: "")]), offsets: [])
            for index in 0..<count {
                let values: [Double?] = [Double(index)]
                try writer.add(values, at: Double(index))
            }
            try writer.close()
        }
        let stream = try #require(Self.streams(bytes).first)
        #expect(stream.chunks.count == chunks && stream.chunks.last == last)
        #expect(stream.chunks.dropLast().allSatisfy { $0 == 256 } && stream.boundaries == boundaries)
        #expect(stream.rows.count == count)
    }

    /// NMEA 0183: knots are 1852 m an hour; a fix that is void has no place.
    @Test(arguments: [2, 3]) func placesAreAStreamAtTheirTimesOfDay(mode: Int) throws {
        let bench = Workbench()
        let void =
            NMEAWalk.sentence("PSTDY,E,14.000000,2026-11-21T09:00:05.000000Z")
            + NMEAWalk.sentence("GPRMC,090005.00,V,,,,,,,211126,,,N")
        try bench.write("walk.nmea", NMEAWalk.log([0, 1], mode: mode) + void)
        let files = [try RecordedFile("\(bench.path)/walk.nmea")]
        let streams = try Self.streams(
            bench.exported("out.xdf") { _ = try XDFExporter.export(files, .all, markers: [], to: $0) { _ in } })
        let stream = try #require(streams.first)
        #expect(
            Self.labels(stream) == [
                "mode", "latitude", "longitude", "altitude_msl", "speed", "track", "hdop", "satellites",
            ])
        #expect(stream.rows.map(\.time) == [1_795_251_600, 1_795_251_601, 1_795_251_605])
        try #require(stream.rows.count == 3)
        let values = stream.rows[0].values
        #expect(values[0] == Double(mode) && abs(values[1] - (52 + 30.1 / 60)) < 1e-7)
        #expect(abs(values[2] - (13 + 24.5 / 60)) < 1e-7 && abs(values[4] - 1.852) < 1e-6 && values[7] == 8)
        #expect(values[3] == 35.5)
        let unknown = stream.rows[2].values[1...6]
        #expect(unknown.filter(\.isNaN).count == 6)
    }

    @Test func momentsBesideRecordingsAreStreamsOfTheirOwn() throws {
        let bench = Workbench()
        let file = try RecordedFile(bench.magneticField().path)
        let markers = XDFMarkers(
            "answers", [(Instant(seconds: 1_795_251_600), "a < b"), (Instant(seconds: 1_795_251_610), "")])
        let streams = try Self.streams(
            bench.exported("out.xdf") { _ = try XDFExporter.export([file], .all, markers: [markers], to: $0) { _ in } })
        try #require(streams.count == 2)
        #expect(streams[1].rows.map(\.text) == ["a < b", ""] && streams[1].rows.map(\.time) == [100, 110])
        #expect(streams[1].header.contains("<type>Markers</type>") && Self.labels(streams[1]) == ["answers"])
    }

    @Test(arguments: [(1, "1 damaged block"), (2, "2 damaged blocks")])
    func blocksThatAreDamagedAreSaidToBeLeftOut(count: Int, words: String) throws {
        let bench = Workbench()
        let sealed = try bench.motion(gap: false)
        let name = String(sealed.path.split(separator: "/").last ?? "")
        var bytes = try bench.bytes(name)
        for block in 0..<count { bytes[1024 + 512 * (2 + block) + 100] ^= 1 }
        try bench.write(name, bytes)
        let file = try RecordedFile(sealed.path)
        var notes: [String] = []
        let streams = try Self.streams(
            bench.exported("out.xdf") { notes = try XDFExporter.export([file], .all, markers: [], to: $0) { _ in } })
        #expect(notes == ["\(file.file.path): \(words) left out"])
        #expect(streams.map(\.rows.count) == [sealed.description.samplesStored - 80 * count])
    }
}
