// SPDX-License-Identifier: Apache-2.0
import AgentCore
import Glibc
import PlatformFixtures
import PlatformKit
import Recording
import Samples
import StudyModel
import Testing
import Times

@testable import PlatformSage

/// What recorders wrote, in the archive: real files of the recorder, read back by Python's `zipfile` and held to Sage's published schemas by
/// `jsonschema`.
@Suite struct SageRecordingTests {
    static let task = #"""
        {"type":"assessment","identifier":"W","steps":[
        {"type":"instruction","identifier":"one","title":"a"},{"type":"instruction","identifier":"two","title":"b"},
        {"type":"instruction","identifier":"three","title":"c"}],"asyncActions":[
        {"type":"motion","identifier":"motion","recorderTypes":["accelerometer","gyro","attitude","gravity","userAcceleration"]},
        {"type":"microphone","identifier":"sound","saveAudioFile":true}]}
        """#

    /// Five seconds of a device that lies on its back and turns about its z axis by a tenth of a turn a second.
    private static func motion(_ folder: RecordingFolder) throws -> SealedRecording {
        let source = SourceDescription(
            kind: .accelerometer, device: "test", location: "none",
            channels: Channel.acceleration(scale: 8.0 / 32_768) + Channel.rotation(scale: 1000.0 / 32_768),
            nominalRate: 100, fullScale: 8)
        let ring = FrameRing(capacity: 1024, repeating: VectorFrame(values: .zero, count: 0))
        let recorder = try MeasureConfiguration(identifier: "task:e-1/motion", format: .cwa).recorder(
            of: .vectors(ring), source: source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc), folder: folder)
        for index in 0..<500 {
            let values = SIMD8<Int32>(0, 0, 4_096, 0, 0, Int32((36.0 * 32_768 / 1000).rounded()), 0, 0)
            ring.push(
                VectorFrame(
                    values: values, count: 6,
                    time: MonotonicTime(nanoseconds: 100_000_000_000 + Int64(index) * 10_000_000),
                    isStamped: true))
        }
        let end = MonotonicTime(nanoseconds: 105_000_000_000)
        let anchor = ClockAnchor(
            monotonic: end, instant: Instant(seconds: 1_795_000_005), source: .simulated, uncertainty: .zero)
        let sealed = recorder.drain(at: end, anchors: [anchor]) + recorder.stop(at: end, anchors: [anchor])
        return try #require(sealed.first)
    }

    private static func archive(_ recorded: [RunRecording], folder: String) throws -> WireRequest {
        let study = try SageSample.study(["t.json": task])
        var submission = SageSample.submission(study.tasks[0], [:])
        submission.recorded = recorded
        let requests = SageWire().requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
        return ArchivePacker.sealed(requests[0]) { part, output throws(RecordingError) in
            guard case .motion(let sensors) = part.form else { throw .format(path: "", problem: "is not there") }
            var files: [RecordedFile] = []
            for path in part.files { files.append(try RecordedFile("\(folder)/\(path)")) }
            var log = MotionLog(
                files, sensors: sensors.compactMap(MotionLog.Sensor.init),
                marks: part.marks.map { StepMark(uptime: $0.uptime, path: $0.path, date: $0.date) }, until: part.end,
                to: output)
            try log.write()
        }
    }

    private static func file(_ sealed: SealedRecording) throws -> RunRecording.File {
        let description = sealed.description
        return RunRecording.File(
            path: description.relativePath, kind: description.kind, contentType: description.contentType,
            bytes: sealed.bytes, startUptime: description.startUptime,
            start: try Instant(rfc3339: try #require(description.startDate)))
    }

    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        .enabled(if: SagePython.isThere, "needs Python's jsonschema; STUDYD_PYTHON may name a Python that has it"),
        .timeLimit(.minutes(10)))
    func motionIsOneFileOfAllSensorsWithItsMarkers() throws {
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = try? SagePython.run(["-c", "import shutil; shutil.rmtree(\"\(path)\")"]) }
        let folder = try RecordingFolder(path)
        let sealed = try Self.motion(folder)
        let began = Instant(seconds: 1_795_000_000)
        let recorded = [
            RunRecording(
                recorder: "motion", began: began, ended: began + .seconds(6), files: [try Self.file(sealed)],
                failures: []),
            RunRecording(
                recorder: "sound", began: began, ended: began + .seconds(6), files: [],
                failures: [.init(kind: .sound, message: "nothing here listens", code: 1)]),
        ]
        let request = try Self.archive(recorded, folder: path)
        #expect(try Self.archive(recorded, folder: path) == request)
        let zip = path + "/a.zip"
        try SagePython.write(request.body, to: zip)
        let schemas =
            "/"
            + Fixture.path("sage/mobile-client-json/README.md").split(separator: "/").dropLast().joined(
                separator: "/")
        let report = try SagePython.run([SagePython.script, zip, schemas + "/schemas"])
        #expect(report.status == 0, "\(report.output)")
        // Five sensors of each sample, and a marker where it began and at each of two later steps.
        let count = sealed.description.samplesStored * 5 + 3
        #expect(report.output.contains("motion.json \(count) records"), "\(report.output)")
        let script = """
            import json, math, zipfile
            z = zipfile.ZipFile("\(zip)"); assert z.testzip() is None
            assert z.getinfo("motion.json").compress_type == zipfile.ZIP_DEFLATED
            r = json.loads(z.read("motion.json")); t = json.loads(z.read("assessmentResult.json"))
            marks = [x for x in r if "sensorType" not in x]
            assert [m["stepPath"] for m in marks] == ["W/one", "W/two", "W/three"], marks
            assert marks[0]["timestamp"] == 0 and all("timestampDate" in m for m in marks)
            assert abs(marks[1]["timestamp"] - 2) < 0.01, marks
            times = [x["uptime"] for x in r]; assert times == sorted(times)
            # 36 degrees a second: half the angle stands in the quaternion.
            q = [x for x in r if x.get("sensorType") == "attitude"][-1]
            turned = 2 * math.degrees(math.atan2(q["z"], q["w"])); assert q["timestamp"] > 4.5
            assert abs(turned - 36 * q["timestamp"]) < 0.5, turned
            assert q["referenceCoordinate"] == "Z-Up" and q["heading"] < 0
            g = [x for x in r if x.get("sensorType") == "gravity"][-1]; assert abs(g["z"] - 1) < 1e-3
            kinds = [(x["type"], x["identifier"]) for x in t["asyncResults"]]
            assert kinds == [("file", "motion"), ("error", "sound_sound")], kinds
            print("good")
            """
        let program = path + "/check.py"
        try SagePython.write(Array(script.utf8), to: program)
        let seen = try SagePython.run([program])
        #expect(seen.output.hasSuffix("good\n"), "\(seen.output)")
        let unzip = try SagePython.run([
            "-c", "import subprocess; subprocess.run([\"unzip\", \"-t\", \"\(zip)\"], check=True)",
        ])
        #expect(unzip.status == 0 || unzip.output.contains("No such file"), "\(unzip.output)")
    }

    /// What was answered is worth more than what cannot be read: the file stands there, empty and valid.
    @Test func aRecordingThatCannotBeReadIsAnEmptyLog() throws {
        let file = RunRecording.File(
            path: "gone.cwa", kind: "accelerometer", contentType: "application/octet-stream", bytes: 1, startUptime: 1,
            start: Instant(seconds: 1_795_000_000))
        let recorded = [
            RunRecording(
                recorder: "motion", began: Instant(seconds: 1_795_000_000), ended: Instant(seconds: 1_795_000_006),
                files: [file], failures: [])
        ]
        let request = try Self.archive(recorded, folder: "/nonexistent")
        #expect(request.body.starts(with: [0x50, 0x4B, 0x03, 0x04]))
        #expect(String(decoding: request.body, as: UTF8.self).contains("motion.json"))
    }
}
