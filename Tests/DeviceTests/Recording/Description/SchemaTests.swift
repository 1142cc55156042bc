// SPDX-License-Identifier: Apache-2.0
import Glibc
import RecordingSchema
import Testing

@testable import Base
@testable import Device

/// The schema of descriptions, and those who read it. Every bench holds what its test wrote against
/// it when it goes.
@Suite struct SchemaTests {
    /// One of every format, anchored, without a clock, while it is written, and after a power cut.
    private func descriptions(_ bench: Workbench) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        func keep(_ sealed: SealedRecording) throws { found.append(try bench.bytes(named(sealed.descriptionPath))) }
        try keep(bench.motion())
        try keep(bench.motion(gyroscope: true, anchored: false))
        try keep(bench.magneticField())
        try keep(bench.sound([Int16](repeating: 100, count: 32_000), as: .flac))
        try keep(bench.sound([Int16](repeating: 100, count: 64_000), as: .levels))
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "m", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<1000)
        _ = recorder.drain(at: MonotonicTime(seconds: 115), anchors: [])
        for name in try bench.names() where name.hasSuffix(".open") { found.append(try bench.bytes(name)) }
        return found
    }

    @Test func everyKindOfDescriptionFits() throws {
        let bench = Workbench()
        let all = try descriptions(bench)
        #expect(all.count == 6)
        for text in all { #expect(try DescriptionSchema.faults(of: text) == []) }
    }

    /// Changes that the schema must refuse; with Python's jsonschema, ours and it are of one mind.
    @Test func whatDoesNotFitIsRefusedByBothReaders() throws {
        let bench = Workbench()
        let all = try descriptions(bench).map { String(decoding: $0, as: UTF8.self) }
        let changes: [(String, String)] = [
            ("\"type\": \"file\"", "\"type\": \"folder\""), ("\"schemaVersion\": 1", "\"schemaVersion\": 2"),
            ("\"number\": ", "\"number\": -"), ("\"isRecovered\": false", "\"isRecovered\": 0"),
            ("\"kind\":", "\"kidn\":"),
            ("\"clock\": \"", "\"clock\": \"un"), ("\"seal\": \"", "\"seal\": \"x"),
            ("\"samplesLost\": {", "\"samplesLost\": {\"theft\": 1,"),
            ("\"fullScale\": ", "\"fullScale\": \"8\", \"x\": "), ("\"anchors\": [", "\"anchors\": [3,"),
        ]
        let broken = changes.compactMap { change in
            all.first { $0.contains(change.0) }.map { $0.replacing(change.0, with: change.1, maxReplacements: 1) }
        }
        #expect(broken.count == changes.count)
        // An empty object behind an added member leaves a comma; that text is no JSON, and not
        // asked about here.
        let texts = (all + broken).filter { (try? DescriptionSchema.faults(of: Array($0.utf8))) != nil }
        let ours = try texts.map { try DescriptionSchema.faults(of: Array($0.utf8)).isEmpty }
        #expect(ours.prefix(all.count).allSatisfy { $0 } && !ours.dropFirst(all.count).contains(true))
        for (index, text) in texts.enumerated() { try bench.write("case-\(index)", Array(text.utf8)) }
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            check = jsonschema.Draft202012Validator(schema)
            for path in sys.argv[2:]:
                print(not any(True for _ in check.iter_errors(json.load(open(path)))))
            """
        guard Python.has("jsonschema") else { return print("SKIPPED: Python's jsonschema is not installed") }
        let paths = texts.indices.map { "\(bench.path)/case-\($0)" }
        let theirs = try #require(Python.run(script, [DescriptionSchema.path] + paths))
        #expect(theirs.map { $0 == "True" } == ours)
    }

    private func named(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
