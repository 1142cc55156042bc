import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device
@testable import Exports

@Suite struct EventsExporterTests {
    private static let hasSchema = Python.has("bidsschematools")
    private static let hasPyEDFlib = Python.has("pyedflib")

    @Test func onsetsCountFromTheRecordingThatTheyGoWith() throws {
        let bench = Workbench()
        let (motion, buttons) = (try bench.motion(), try bench.buttons())
        let files = [try RecordedFile(buttons.path)]
        let lines = try bench.lines("events.tsv") {
            _ = try BIDSExporter.export(files, window: .all, since: RecordedFile(motion.path), to: $0)
        }
        #expect(
            lines == [
                "onset\tduration\ttrial_type\tbutton\trepeats", "2.000000\t0.130000\tselect\tmiddle\t0",
                "40.250000\t1.400000\tundo\tmiddle\t0", "50.000000\tn/a\tprevious\tleft\t0",
            ])
        let own = try bench.lines("own.tsv") { _ = try BIDSExporter.export(files, window: .all, since: nil, to: $0) }
        #expect(own[1].hasPrefix("0.000000\t0.130000"))
        let part = try bench.lines("part.tsv") {
            let window = try ExportWindow(from: "2026-11-21T10:00:30", until: "2026-11-21T10:00:45")
            _ = try BIDSExporter.export(files, window: window, since: nil, to: $0)
        }
        #expect(part.count == 2)
    }

    /// The schema of the Brain Imaging Data Structure says which columns come first and what they
    /// may contain.
    @Test(.enabled(if: hasSchema, "needs bidsschematools"), .timeLimit(.minutes(10)))
    func theSchemaOfBIDSAllowsTheFile() throws {
        let bench = Workbench()
        let files = [try RecordedFile(bench.buttons().path)]
        _ = try bench.exported("events.tsv") { _ = try BIDSExporter.export(files, window: .all, since: nil, to: $0) }
        let script = """
            import sys, csv, re
            from bidsschematools.schema import load_schema
            s = load_schema()
            rule = s.rules.tabular_data.events.Events
            rows = list(csv.reader(open(sys.argv[1]), delimiter="\\t"))
            head, body = rows[0], rows[1:]
            print(head[:len(rule.initial_columns)] == list(rule.initial_columns))
            names = {c.name: c for c in s.objects.columns.values()}
            def fits(name, text):
                c = names.get(name)
                if c is None or text == "n/a": return True
                kinds = [c] if "type" in c else list(c.anyOf)
                return any(k.get("type") == "string" or (k.get("type") == "number" and float(text) >= k.get("minimum", -1e99)) for k in kinds)
            print(all(fits(n, v) for row in body for n, v in zip(head, row)), all(len(r) == len(head) and "" not in r for r in body), len(body))
            """
        let lines = try #require(Python.run(script, ["\(bench.path)/events.tsv"]))
        #expect(lines == ["True", "True True 3"])
    }

    @Test(.enabled(if: hasPyEDFlib, "needs pyedflib"), .timeLimit(.minutes(10)))
    func pyedflibReadsTheAnnotationsAlone() throws {
        let bench = Workbench()
        let files = [try RecordedFile(bench.buttons().path)]
        _ = try bench.exported("out.edf") {
            _ = try ButtonEDFExporter().export(files, ExportOptions(), to: $0) { _ in }
        }
        let script = """
            import sys, pyedflib
            e = pyedflib.EdfReader(sys.argv[1])
            print(e.getStartdatetime(), *["%.3f %s" % (o, t) for o, l, t in zip(*e.readAnnotations())], sep=";")
            """
        let line = try #require(Python.run(script, ["\(bench.path)/out.edf"])?.first)
        #expect(line == "2026-11-21 10:00:02;0.000 select (middle);38.250 undo (middle);48.000 previous (left)")
    }

    @Test func pressesWithoutATimeOfDayAreSaidToBeLeftOutOfEDF() throws {
        let bench = Workbench()
        let rows = [
            "time,uptime,button,edge,meaning,repeats", ",10.000000,left,down,,0", ",10.500000,left,up,next,0",
            "2026-11-21T10:00:12.000Z,12.000000,left,down,,0", "2026-11-21T10:00:12.250Z,12.250000,left,up,next,0",
        ]
        try bench.write("b.csv", Array(rows.joined(separator: "\n").utf8))
        let files = [try RecordedFile("\(bench.path)/b.csv")]
        var remarks: [String] = []
        _ = try bench.exported("out.edf") {
            remarks = try ButtonEDFExporter().export(files, ExportOptions(), to: $0) { _ in }
        }
        #expect(remarks == ["1 press without a time of day left out"])
    }

    /// Of a boot without a time of day, beside a recording of another one.
    @Test func pressesWithoutACommonClockAreSaidToBeLeftOutOfBIDS() throws {
        let bench = Workbench()
        let rows = [
            "time,uptime,button,edge,meaning,repeats", ",10.000000,left,down,,0", ",10.500000,left,up,next,0",
            "2026-11-21T09:00:12.000Z,12.000000,left,down,,0", "2026-11-21T09:00:12.250Z,12.250000,left,up,next,0",
        ]
        try bench.write("b.csv", Array(rows.joined(separator: "\n").utf8))
        let files = [try RecordedFile("\(bench.path)/b.csv")]
        let motion = try RecordedFile(bench.motion().path)
        var remarks: [String] = []
        let lines = try bench.lines("out.tsv") {
            remarks = try BIDSExporter.export(files, window: .all, since: motion, to: $0)
        }
        #expect(lines.dropFirst() == ["12.000000\t0.250000\tnext\tleft\t0"])
        #expect(remarks == ["1 press without a clock in common with \(motion.name) left out"])
    }

    @Test func aReleaseBeforeItsPressGivesNoDurationAndARowOfHumNoPress() throws {
        let bench = Workbench()
        let rows = [
            "time,uptime,button,edge,meaning,repeats", ",10.000000,left,down,,0", ",9.500000,left,up,next,0",
            ",12.000000,left,down,,0", ",60.000000,left,hum,,3000", ",12.250000,left,up,next,0",
        ]
        try bench.write("b.csv", Array(rows.joined(separator: "\n").utf8))
        let presses = try ButtonLog.presses(RecordedFile("\(bench.path)/b.csv"))
        #expect(presses.map(\.duration) == [nil, 0.25] && presses.map(\.uptime) == [10, 12])
    }

    /// No device has been on for four billion seconds, which are 126 years.
    @Test(arguments: [
        ("3999999999", true), ("4000000000", false), ("-3999999999", true), ("-4000000000", false), ("nan", false),
        ("1e300", false), ("", false),
    ])
    func anUptimeThatCannotBeIsNoPress(uptime: String, isPress: Bool) throws {
        let bench = Workbench()
        let rows = [
            "time,uptime,button,edge,meaning,repeats", ",10.000000,left,down,,0", ",\(uptime),right,down,,0",
        ]
        try bench.write("b.csv", Array(rows.joined(separator: "\n").utf8))
        let presses = try ButtonLog.presses(RecordedFile("\(bench.path)/b.csv"))
        #expect(presses.contains { $0.uptime == 10 } && presses.count == (isPress ? 2 : 1), "\(presses.count)")
    }

    @Test func otherTablesAreNoPresses() throws {
        let bench = Workbench()
        let file = try RecordedFile(bench.magneticField().path)
        #expect(throws: FileError.self) { try ButtonLog.presses(file) }
    }
}
