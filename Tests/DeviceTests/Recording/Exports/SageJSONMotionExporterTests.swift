// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct SageJSONMotionExporterTests {
    private static let hasJSONSchema = Python.has("jsonschema")

    private func lines(_ path: String, _ bench: Workbench) throws -> [Substring] {
        let source = try RecordedFile(path)
        return try bench.lines("out.json") { try SageJSONMotionExporter.export(source, to: $0) { _ in } }
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
