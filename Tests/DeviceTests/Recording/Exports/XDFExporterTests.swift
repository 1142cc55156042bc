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
}
