// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct SageJSONMotionExporterTests {
    private static let hasJSONSchema = Python.has("jsonschema")

    private func lines(_ path: String, _ bench: Workbench) throws -> [Substring] {
        let source = try RecordedFile(path)
        return try bench.lines("out.json") {
            try SageJSONMotionExporter.export([source], window: .all, to: $0) { _ in }
        }
    }

    @Test func aMarkerBeginsAndFollowsTheGap() throws {
        let bench = Workbench()
        let sealed = try bench.motion()
        let lines = try lines(sealed.path, bench)
        #expect(lines.first == "[" && lines.last == "]")
        #expect(lines.count == sealed.description.samplesStored + 4)
        let marker = "{\"uptime\":100.000000,\"timestamp\":0.000000,\"timestampDate\":\"2026-11-21T10:00:00.000+01:00\""
        #expect(lines[1].hasPrefix(marker) && lines[1].hasSuffix("\"stepPath\":\"s1/motion\"},"))
        #expect(lines.filter { $0.contains("timestampDate") }.count == 2)
        #expect(
            lines[2].hasSuffix("\"sensorType\":\"accelerometer\",\"x\":1.000000,\"y\":-2.000000,\"z\":0.000000},"))
    }

    @Test func rotationIsInRadians() throws {
        let bench = Workbench()
        let gyro = try #require(try lines(bench.motion(gyroscope: true).path, bench).first { $0.contains("gyro") })
        #expect(gyro.contains("\"x\":3.05"))
    }

    @Test func magneticFieldOfATableIsInMicrotesla() throws {
        let bench = Workbench()
        let lines = try lines(bench.magneticField().path, bench)
        #expect(lines.filter { $0.contains("\"sensorType\":\"magnetometer\"") }.count == 100)
        #expect(lines.filter { $0.contains("timestampDate") }.count == 2)
        #expect(lines.contains { $0.contains("\"y\":-7.3") })
    }

    /// A row at each of these times, a second of uptime between them.
    private func table(_ boot: String, _ times: [String], from uptime: Int, _ bench: Workbench) throws -> RecordedFile {
        let rows = times.enumerated().map { "\($1),\(uptime + $0).000000,1,2,3" }
        let text = (["#units uT,uT,uT", "time,uptime,x,y,z"] + rows).joined(separator: "\n")
        try bench.write("\(uptime).csv", Array(text.utf8))
        var note = RecordingDescription(fileName: "\(uptime).csv", contentType: "text/csv", countedUnit: .samples)
        note.bootID = boot
        return try RecordedFile("\(bench.path)/\(uptime).csv", named: "\(uptime).csv", described: note)
    }

    private func numbers(_ name: String, _ lines: [Substring]) -> [Double] {
        lines.compactMap { line in
            line.split(separator: "\"\(name)\":").dropFirst().first.flatMap { Double($0.prefix { $0 != "," }) }
        }
    }

    /// CLOCK_MONOTONIC begins again with a boot.
    @Test func tablesOfTwoBootsAreCountedByTheTimeOfDay() throws {
        let bench = Workbench()
        let day = ["2026-11-21T09:00:00Z", "2026-11-21T09:00:01Z"]
        let next = ["2026-11-21T09:01:00.5Z", "2026-11-21T09:01:01.5Z"]
        func export(_ files: [RecordedFile]) throws -> [Substring] {
            try bench.lines("out.json") { try SageJSONMotionExporter.export(files, window: .all, to: $0) { _ in } }
        }
        let first = try table("a", day, from: 86_000, bench)
        let two = try export([first, table("b", next, from: 20, bench)])
        #expect(numbers("timestamp", two) == [0, 0, 1, 60.5, 60.5, 61.5])
        #expect(numbers("uptime", two) == numbers("timestamp", two))
        let one = try export([first, table("a", next, from: 86_061, bench)])
        #expect(numbers("timestamp", one) == [0, 0, 1, 61, 62])
        #expect(numbers("uptime", one) == [86_000, 86_000, 86_001, 86_061, 86_062])
        let unknown = try table("c", ["", ""], from: 30, bench)
        #expect {
            _ = try export([first, unknown])
        } throws: {
            "\($0)".contains("not all have a time of day")
        }
    }

    @Test func aTableThatIsNoVectorSaysWhatItCanBecome() throws {
        let bench = Workbench()
        let path = try bench.sound(tone(48_000), as: .levels).path
        #expect {
            _ = try lines(path, bench)
        } throws: {
            "\($0)".contains("choose csv")
        }
    }

    @Test(
        .enabled(
            if: hasJSONSchema && Fixture.has("sage/schema/SageResearch.schema.json"),
            "needs jsonschema and ../shared/fixtures"), .timeLimit(.minutes(10)))
    func recordsHaveTheFieldsAndSensorsOfTheirPlatform() throws {
        let bench = Workbench()
        _ = try lines(bench.motion(gyroscope: true).path, bench)
        let script = """
            import json, sys, jsonschema
            definitions = json.load(open(sys.argv[2]))["definitions"]
            real = [json.loads(open(p).read().replace(",\\n}", "\\n}")) for p in sys.argv[3:]]
            def kind(v): return {"type": "string" if isinstance(v, str) else "number"}
            def shape(r):
                properties = {k: kind(v) for k, v in r.items()}
                if "sensorType" in r: properties["sensorType"] = {k: v for k, v in definitions["RSDMotionRecorderType"].items() if k != "$id"}
                return {"type": "object", "properties": properties, "required": list(r), "additionalProperties": False}
            schema = {"type": "array", "items": {"anyOf": [shape(r) for r in real]}}
            records = json.load(open(sys.argv[1]))
            jsonschema.validate(records, schema)
            print(len(records), len(set(r.get("sensorType") for r in records)))
            """
        let real = try ["motion_record_gyro", "motion_record_marker"].map {
            try #require(Fixture.path("sage/passive-data/\($0).json"))
        }
        let schema = try #require(Fixture.path("sage/schema/SageResearch.schema.json"))
        let lines = try #require(Python.run(script, ["\(bench.path)/out.json", schema] + real))
        #expect(lines.first?.hasSuffix(" 3") == true)
    }
}
