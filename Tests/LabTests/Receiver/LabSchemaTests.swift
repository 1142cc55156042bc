// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Testing

@testable import Lab
@testable import StandIns

/// docs/lab.schema.json, judged by PyPI's jsonschema on the answers of a server.
@Suite(.timeLimit(.minutes(10))) struct LabSchemaTests {
    private static let python = ProcessInfo.processInfo.environment["STUDYD_PYTHON"] ?? "python3"
    private static let schema =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/docs/lab.schema.json"

    private static let canJudge: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, "-c", "import jsonschema"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitAsleep()
        if process.terminationStatus != 0 {
            print("SKIPPED: no jsonschema for Python; STUDYD_PYTHON may name one that has it")
        }
        return process.terminationStatus == 0
    }()

    private static let judge = """
        import json, sys, urllib.request, jsonschema
        schema = json.load(open(sys.argv[1]))
        jsonschema.Draft202012Validator.check_schema(schema)
        wrong = 0
        for name, path in (pair.split("=", 1) for pair in sys.argv[3:]):
            value = json.load(urllib.request.urlopen(sys.argv[2] + path))
            judge = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
            found = [f"{path}: {error.json_path}: {error.message[:200]}" for error in judge.iter_errors(value)]
            rows = value.get("rows", value.get("devices", value.get("changes", value.get("missing")))) if isinstance(value, dict) else value
            if not rows: found.append(f"{path}: has nothing in it")
            wrong += len(found)
            for line in found: print(line)
            head = rows[0] if rows else {}
            for key in list(head):
                if name.startswith("table-comp") and "/" in key: continue
                broken = {k: v for k, v in head.items() if k != key}
                whole = value | {("rows" if "rows" in value else "devices" if "devices" in value else "changes" if "changes" in value else "missing"): [broken]} if isinstance(value, dict) else [broken]
                if judge.is_valid(whole) and name != "table-compliance":
                    wrong += 1
                    print(f"{path}: the schema does not miss {key}")
        print("wrong", wrong)
        """

    @Test(.enabled(if: canJudge, "needs jsonschema")) func everyAnswerIsAsTheSchemaSays() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                try await fill(url)
                let pairs =
                    [
                        "fleet=/api/fleet", "missing=/api/missing", "devices=/api/devices", "records=/api/records",
                        "files=/api/files", "refusals=/api/refusals", "logs=/api/logs", "changes=/api/changes",
                        "prompts=/api/prompts?device=board-1", "trends=/api/trends?device=board-1",
                    ] + LabTables.names.map { "table-\($0)=/tables/\($0).json?days=all" }
                let said = try await run([Self.python, "-c", Self.judge, Self.schema, url] + pairs)
                #expect(said == "wrong 0\n", "\(said)")
            }
        }
    }

    /// Something of everything.
    private func fill(_ url: String) async throws {
        let report = try FleetSamples.value(["participant": "\"ABDEG234\"", "disk.low": "true"]).text
        _ = try await run(["curl", "-s", "--data-binary", "@-", url + "/reports"], input: report)
        let manifest = """
            {"format":"studyd-manifest","version":1,"device":"board-1","study":"mood","participant":"ABDEG234",
            "enrolment":"e1","day":"2026-11-25","entries":[{"kind":"recording","id":"2","name":"2.cwa",
            "sha256":"\(String(repeating: "0", count: 64))","bytes":3,"count":1,"state":"delivered","why":null}]}
            """
        _ = try await run(["curl", "-s", "--data-binary", "@-", url + "/manifests"], input: manifest)
        for fields in [SchemaPostTests.log, SchemaPostTests.response] {
            let form = fields.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
            _ = try await run(["curl", "-s"] + form + [url + "/schema"])
        }
        _ = try await run(["curl", "-s", "-F", "data_type=nothing", url + "/schema"])
        _ = try await run(["curl", "-s", "-d", "kind=note&participant=ABDEG234&label=shelf", url + "/changes"])
        let start = Instant(seconds: 1_779_990_000)
        let description = """
            {"kind":"accelerometer","identifier":"a","startDate":"\(start.rfc3339())","endDate":"\((start + .seconds(3600)).rfc3339())",
            "offset":"+01:00","relativePath":"000001-accelerometer.cwa","samplesStored":5,"samplesLost":{"ringFull":5}}
            """
        try await Self.send(url, "000001-accelerometer.json", description)
        try await Self.send(url, "000002-features.csv", WornTimeTests.table(from: start, [1, 1, 0]))
        let features = description.replacing("accelerometer", with: "features").replacing("000001", with: "000002")
        try await Self.send(url, "000002-features.json", features.replacing("features.cwa", with: "features.csv"))
    }

    static let enrolled = Instant(seconds: 1_779_980_000)

    static func send(
        _ url: String, _ name: String, _ text: String, study: String = "mood", enrolment: String = "e1"
    ) async throws {
        let fields = [
            ("participant", "ABDEG234"), ("study", study), ("enrolment", enrolment), ("filename", name),
            ("enrolled", enrolled.rfc3339()), ("measures", "accelerometer"),
        ]
        let metadata = fields.map { "\($0.0) \(Data($0.1.utf8).base64EncodedString())" }.joined(separator: ",")
        let log = "Studyd-Log: \(String(repeating: "ab", count: 16)) 3:\(String(repeating: "0", count: 32))"
        let created = try await curl(
            "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: \(text.utf8.count)", "-H",
            "Upload-Metadata: \(metadata)", "-H", log, "-H", "Studyd-Compliance: 2026-05-28=5/3/1/2", url + "/files")
        let place = try #require(
            created.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") }?.dropFirst(10))
        _ = try await run(
            [
                "curl", "-s", "-X", "PATCH", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0", "-H",
                "Content-Type: application/offset+octet-stream", "--data-binary", "@-", url + place,
            ], input: text)
    }
}
