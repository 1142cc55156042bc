// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Glibc
import PlatformFixtures
import Study
import SystemKit
import Testing

@testable import PlatformSage

/// What recorders wrote, in the archive: real files of the recorder, read back by Python's
/// `zipfile` and held to Sage's published schemas by `jsonschema`.
@Suite struct SageRecordingTests {
    static let task = #"""
        {"type":"assessment","identifier":"W","steps":[
        {"type":"instruction","identifier":"one","title":"a"},{"type":"instruction","identifier":"two","title":"b"},
        {"type":"instruction","identifier":"three","title":"c"}],"asyncActions":[
        {"type":"motion","identifier":"motion","recorderTypes":["accelerometer","gyro","attitude","gravity","userAcceleration"]},
        {"type":"microphone","identifier":"sound","saveAudioFile":true}]}
        """#

    /// Five seconds of a device that lies on its back and turns about its z axis by a tenth of
    /// a turn a second.
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

    /// The field of Vienna, which dips, over the same five seconds.
    private static func field(_ folder: RecordingFolder) throws -> SealedRecording {
        let source = SourceDescription(
            kind: .magnetometer, device: "test", location: "none", channels: Channel.magneticField(scale: 0.1),
            nominalRate: 100, fullScale: 4_900)
        let ring = FrameRing(capacity: 1024, repeating: VectorFrame(values: .zero, count: 0))
        let recorder = try MeasureConfiguration(identifier: "task:e-1/field", format: .csv).recorder(
            of: .vectors(ring), source: source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc), folder: folder)
        for index in 0..<500 {
            ring.push(
                VectorFrame(
                    values: SIMD8<Int32>(210, 0, -440, 0, 0, 0, 0, 0), count: 3,
                    time: MonotonicTime(nanoseconds: 100_000_000_000 + Int64(index) * 10_000_000), isStamped: true))
        }
        let end = MonotonicTime(nanoseconds: 105_000_000_000)
        let anchor = ClockAnchor(
            monotonic: end, instant: Instant(seconds: 1_795_000_005), source: .simulated, uncertainty: .zero)
        let sealed = recorder.drain(at: end, anchors: [anchor]) + recorder.stop(at: end, anchors: [anchor])
        return try #require(sealed.first)
    }

    private static func archive(_ recorded: [RunRecording], folder: String) throws -> WireRequest {
        let packed = try packed(recorded, folder: folder)
        #expect(packed.unreadable.isEmpty)
        return packed.request
    }

    private static func packed(_ recorded: [RunRecording], folder: String) throws -> ArchivePacker.Packed {
        let study = try SageSample.study(["t.json": task])
        var submission = SageSample.submission(study.tasks[0], [:])
        submission.recorded = recorded
        return try packed(submission, of: study, folder: folder)
    }

    private static func packed(
        _ submission: Submission, of study: StudyProtocol, folder: String
    ) throws -> ArchivePacker.Packed {
        let requests = study.writer.requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
        return try ArchivePacker.packed(requests[0]) { part, output throws(FileError) in
            guard case .motion(let sensors) = part.form else {
                let file = try File("\(folder)/\(part.files[0])", .read)
                return output.bytes(try file.read(try file.size(), at: 0))
            }
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
            path: description.relativePath, contentType: description.contentType,
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
                failures: [.init(kind: .sound, isMeasured: false, message: "nothing here listens")]),
        ]
        let request = try Self.archive(recorded, folder: path)
        #expect(try Self.archive(recorded, folder: path) == request)
        let zip = path + "/a.zip"
        try SagePython.write(request.body, to: zip)
        let report = try SagePython.run([SagePython.script, zip, SagePython.schemas])
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

    /// Without a magnetometer gravity is known all the same, and the heading is not (docs/sage.md).
    @Test(arguments: [(true, "Z-Up"), (false, "North-West-Up")])
    func withoutAMagnetometerGravityAndAttitudeAreStillRecorded(isMissing: Bool, frame: String) throws {
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = try? SagePython.run(["-c", "import shutil; shutil.rmtree(\"\(path)\")"]) }
        let folder = try RecordingFolder(path)
        var files = [try RecordedFile("\(path)/\(Self.motion(folder).description.relativePath)")]
        if !isMissing { files.append(try RecordedFile("\(path)/\(Self.field(folder).description.relativePath)")) }
        var bytes: [UInt8] = []
        var log = MotionLog(
            files, sensors: [.accelerometer, .gyro, .magneticField, .gravity, .attitude, .userAcceleration], marks: [],
            until: 200, to: ExportOutput(name: "motion") { piece throws(FileError) in bytes += piece })
        try log.write()
        let text = String(decoding: bytes, as: UTF8.self)
        for sensor in ["gravity", "userAcceleration", "attitude"] {
            #expect(text.ranges(of: "\"sensorType\":\"\(sensor)\"").count > 400, "\(sensor)")
        }
        #expect(text.contains("\"magneticField\"") == !isMissing)
        #expect(text.contains("\"referenceCoordinate\":\"\(frame)\""))
        #expect(text.ranges(of: "referenceCoordinate").count == text.ranges(of: frame).count)
        // Of the field, for the attitude, too (MobilePassiveData-SDK ab5a11d, `MotionRecord.swift`, `case .attitude`).
        let ofField = ["attitude", "magneticField"].map { text.ranges(of: "\"sensorType\":\"\($0)\"").count }
        #expect(text.ranges(of: "\"eventAccuracy\":-1").count == ofField[0] + ofField[1])
    }

    /// Why the kernel refuses a read.
    enum Refusal: CaseIterable {
        case noEntry, inputOutput, noAccess

        /// Puts a file there that cannot be read.
        func place(at path: String) throws {
            switch self {
            case .noEntry: break
            // Nothing is mapped at address 0: mem_rw() in the kernel's fs/proc/base.c answers EIO.
            case .inputOutput: try #require(symlink("/proc/self/mem", path) == 0)
            case .noAccess:
                try SagePython.write([1], to: path)
                try #require(chmod(path, 0) == 0)
            }
        }

        /// Runs it as one who has no rights; those of this thread alone change.
        func run<Value>(_ body: () throws -> Value) rethrows -> Value {
            guard self == .noAccess, geteuid() == 0 else { return try body() }
            // Not among the functions that Glibc's module names.
            let symbol = try? #require(dlsym(nil, "setfsuid"))
            let setUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
            _ = setUser(65_534)
            defer { _ = setUser(0) }
            return try body()
        }

        var code: Int32 {
            switch self {
            case .noEntry: ENOENT
            case .inputOutput: EIO
            case .noAccess: EACCES
            }
        }
    }

    /// What was answered is worth more than what cannot be read: the archive goes, and says in the
    /// recording's place why there is none.
    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        .enabled(if: SagePython.isThere, "needs Python's jsonschema; STUDYD_PYTHON may name a Python that has it"),
        .timeLimit(.minutes(10)), arguments: Refusal.allCases)
    func aRecordingThatCannotBeReadIsAnErrorInItsPlace(refusal: Refusal) throws {
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try #require(mkdir(path, 0o755) == 0)
        defer { _ = try? SagePython.run(["-c", "import shutil; shutil.rmtree(\"\(path)\")"]) }
        try refusal.place(at: path + "/1.cwa")
        let file = RunRecording.File(
            path: "1.cwa", contentType: "application/octet-stream", bytes: 1, startUptime: 1,
            start: Instant(seconds: 1_795_000_000))
        let recorded = [
            RunRecording(
                recorder: "motion", began: Instant(seconds: 1_795_000_000), ended: Instant(seconds: 1_795_000_006),
                files: [file], failures: [])
        ]
        let packed = try refusal.run { try Self.packed(recorded, folder: path) }
        guard let error = packed.unreadable["motion.json"], error.code != 0 else {
            Issue.record("\(packed.unreadable)")
            return
        }
        #expect(error.path == path + "/1.cwa" && error.code == refusal.code)
        let zip = path + "/a.zip"
        try SagePython.write(packed.request.body, to: zip)
        let report = try SagePython.run([SagePython.script, zip, SagePython.schemas])
        #expect(report.status == 0 && !report.output.contains("motion.json"), "\(report.output)")
        let script = """
            import json, zipfile
            z = zipfile.ZipFile("\(zip)"); assert z.testzip() is None
            assert sorted(z.namelist()) == ["answers.json", "assessmentResult.json", "info.json", "metadata.json"]
            for name in ("metadata.json", "info.json"):
                assert not [f for f in json.loads(z.read(name))["files"] if "motion" in f["filename"]]
            e = json.loads(z.read("assessmentResult.json"))["asyncResults"]
            assert [(x["type"], x["identifier"], x["errorCode"]) for x in e] == [("error", "motion", 4)], e
            print("good")
            """
        try SagePython.write(Array(script.utf8), to: path + "/check.py")
        let seen = try SagePython.run([path + "/check.py"])
        #expect(seen.output.hasSuffix("good\n"), "\(seen.output)")
    }

    /// An archive holds what its results name: Bridge takes 50 MB and 100 files, and what is beyond
    /// is an error there, not a file that is missing.
    @Test(arguments: [(40_000_000, 1, 0), (40_000_001, 0, 1), (1, 80, 0), (1, 80, 1), (1, 80, 120)])
    func whatBridgeWouldNotTakeIsAnError(bytes: Int, files: Int, errors: Int) throws {
        let study = try SageSample.study(["t.json": Self.task])
        var submission = SageSample.submission(study.tasks[0], [:])
        let began = Instant(seconds: 1_795_000_000)
        let sound = RunRecording.File(
            path: "1.flac", contentType: "audio/flac", bytes: bytes, startUptime: 1, start: began)
        // Each makes a file of levels, and one of sound where that fits.
        let isLong = bytes > 1
        submission.recorded = (0..<(isLong ? 1 : files + errors)).map { _ in
            RunRecording(
                recorder: isLong ? "sound" : "motion", began: began, ended: began, files: [sound], failures: [])
        }
        let own = try SageSample.source(of: study)
        let results = SageRecording.all(submission, of: own, zone: .utc, unreadable: [])
        let there = results.filter { $0.file != nil }.count - (isLong ? 1 : 0)
        #expect(there == files && results.count { $0.file == nil } == errors)
        #expect(results.filter { $0.file == nil }.allSatisfy { $0.result.text.contains("\"errorCode\":3") })
    }

    /// In the apps a recorder that runs again takes the place of its file: what they would have is sent first.
    @Test func ofTooManyRecordingsTheLastAreSent() throws {
        let study = try SageSample.study([
            "t.json": SageSample.task(
                #"{"type":"instruction","identifier":"one","title":"a"}"#,
                head: #""asyncActions":[{"type":"motion","identifier":"once"},{"type":"motion","identifier":"often"}],"#
            )
        ])
        var submission = SageSample.submission(study.tasks[0], [:])
        submission.recorded =
            [Self.motion("0.cwa", 0, recorder: "once")]
            + (1...81).map { Self.motion("\($0).cwa", $0, recorder: "often") }
        let results = SageRecording.all(
            submission, of: try SageSample.source(of: study), zone: .utc, unreadable: [])
        let sent = results.compactMap { $0.file?.sources.first }
        #expect(sent == ["0.cwa"] + (3...81).map { "\($0).cwa" })
        #expect(results.last?.file?.name == "often.json" && results.count == 82)
    }

    /// Bridge's server reads the file that `dataFilename` of `info.json` names, and rejects an archive
    /// without it; of 100 files at most.
    @Test func whatInfoNamesIsThereHoweverMuchWasRecorded() throws {
        let tapping = (0..<20).map {
            #"{"type":"section","identifier":"s\#($0)","steps":[{"type":"tapping","identifier":"tapping"}]}"#
        }
        let study = try SageSample.study([
            "t.json": #"""
            {"type":"assessment","identifier":"W","steps":[\#(tapping.joined(separator: ","))],"asyncActions":[
            {"type":"motion","identifier":"motion","recorderTypes":["accelerometer"]}]}
            """#
        ])
        let keys = study.tasks[0].content.steps.map(\.key)
        var submission = SageSample.submission(
            study.tasks[0], Dictionary(uniqueKeysWithValues: keys.map { ($0, SageArchiveTests.tapped) }))
        let began = Instant(seconds: 1_795_000_000)
        let file = RunRecording.File(
            path: "1.cwa", contentType: "application/octet-stream", bytes: 1, startUptime: 1,
            start: began)
        submission.recorded = (0..<80).map { _ in
            RunRecording(recorder: "motion", began: began, ended: began, files: [file], failures: [])
        }
        let requests = study.writer.requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
        let entries = try #require(requests[0].archive).entries
        let names = entries.map(\.name)
        #expect(names.count == 100 && Set(names).count == 100)
        guard case .bytes(let info)? = entries.first(where: { $0.name == "info.json" })?.content,
            case .string(let data)? = try JSONNode(info)["dataFilename"]?.content
        else {
            Issue.record("no info.json: \(names)")
            return
        }
        #expect(names.contains(data))
        guard case .bytes(let results)? = entries.first(where: { $0.name == "assessmentResult.json" })?.content,
            case .array(let recorded)? = try JSONNode(results)["asyncResults"]?.content
        else {
            Issue.record("no asyncResults: \(names)")
            return
        }
        let paths = recorded.compactMap { node -> String? in
            if case .string(let path)? = node["relativePath"]?.content { path } else { nil }
        }
        #expect(!paths.isEmpty && Set(paths).isSubset(of: names), "a result names a file that is not there")
        let leftOut = recorded.compactMap { node -> String? in
            guard case .string(let words)? = node["errorDescription"]?.content else { return nil }
            return words
        }
        #expect(paths.count + leftOut.count == 80, "each recording has a result")
        #expect(leftOut.allSatisfy { $0.contains("archive") && $0.contains("studyd recordings list") }, "\(leftOut)")
    }

    private static func motion(_ path: String, _ second: Int, recorder: String = "motion") -> RunRecording {
        let began = Instant(seconds: 1_795_000_000 + Int64(second))
        let file = RunRecording.File(
            path: path, contentType: "application/octet-stream", bytes: 1, startUptime: 1,
            start: began)
        return RunRecording(recorder: recorder, began: began, ended: began, files: [file], failures: [])
    }

    /// In the apps one moment sets all three (MobilePassiveData-SDK ab5a11d, `SampleRecorder.swift`:688). Sound has no
    /// timestamps: its moment is that of its first sample.
    @Test(arguments: [("motion", 0.4, 99.6), ("motion", -3, 97), ("sound", 0.4, 100), ("sound", -3, 97)])
    func theThreeStartsOfAFileAreOneMoment(recorder: String, late: Double, uptime: Double) throws {
        let study = try SageSample.study(["t.json": Self.task])
        var submission = SageSample.submission(study.tasks[0], [:])
        let began = Instant(seconds: 1_795_000_000)
        let file = RunRecording.File(
            path: "1", contentType: "audio/flac", bytes: 1, startUptime: late < 0 ? uptime : 100,
            start: began + .milliseconds(Int64(late * 1000)))
        submission.recorded = [
            RunRecording(recorder: recorder, began: began, ended: began + .seconds(5), files: [file], failures: [])
        ]
        let recording = try #require(
            SageRecording.all(submission, of: try SageSample.source(of: study), zone: .utc, unreadable: []).last)
        let result = JSONPlace(root: try JSONNode(Array(recording.result.text.utf8)))
        let start = try Instant(rfc3339: try #require(result.member("startDate")?.text))
        #expect(result.member("startUptime")?.number == uptime)
        #expect(abs((start - file.start).seconds - (uptime - file.startUptime)) < 0.001)
        let mark = try #require(recording.part([(began, "W/one")])?.marks.first)
        #expect(mark.uptime == uptime && mark.date == result.member("startDate")?.text)
    }

    /// A recorder that runs again deletes its file and takes its name (MobilePassiveData-SDK ab5a11d,
    /// `FileUtility.createFileURL`, `shouldDeletePrevious`), and its result replaces the one before (SageResearch
    /// ddc72f18, `appendAsyncResult`): the name that readers know is that of the last time.
    @Test func theLastTimeOfARecorderHasItsName() throws {
        let study = try SageSample.study(["t.json": Self.task])
        var submission = SageSample.submission(study.tasks[0], [:])
        submission.recorded = (1...3).map { Self.motion("\($0).cwa", 10 * $0) }
        let results = SageRecording.all(
            submission, of: try SageSample.source(of: study), zone: .utc, unreadable: [])
        #expect(results.map { $0.file?.sources } == [["1.cwa"], ["2.cwa"], ["3.cwa"]])
        #expect(results.map { $0.file?.name } == ["motion-3.json", "motion-2.json", "motion.json"])
    }

    /// `SampleRecorder.result` is the one result there is, or a collection of all with the action's identifier
    /// (MobilePassiveData-SDK ab5a11d, `SampleRecorder.swift`); of a microphone the levels come first, as their file is
    /// closed before the sound's (`stop`, `AudioRecorder.stopRecorder`).
    @Test(
        arguments: [
            ([], "collection sound [file sound_levels, file sound]"),
            (["sound.flac"], "file sound_levels, error sound"),
            (["sound_levels.json"], "error sound_levels, file sound"),
        ] as [(Set<String>, String)])
    func severalFilesOfARecorderAreACollection(unreadable: Set<String>, results: String) throws {
        let study = try SageSample.study(["t.json": Self.task])
        var submission = SageSample.submission(study.tasks[0], [:])
        let began = Instant(seconds: 1_795_000_000)
        let sound = RunRecording.File(
            path: "1.flac", contentType: "audio/flac", bytes: 1, startUptime: 1, start: began)
        submission.recorded = [
            Self.motion("1.cwa", 0),
            RunRecording(recorder: "sound", began: began, ended: began + .seconds(6), files: [sound], failures: []),
        ]
        let tree = SageResults(
            submission, of: study.tasks[0], try SageSample.source(of: study), runUUID: "U", zone: .utc,
            unreadable: unreadable)
        let root = JSONPlace(root: try JSONNode(Array(tree.json.text.utf8)))
        func words(_ elements: [JSONPlace]?) -> String {
            (elements ?? []).map { element in
                let name = [element.member("type")?.text, element.member("identifier")?.text].compactMap(\.self)
                let children = element.member("children").map { " [\(words($0.elements))]" } ?? ""
                return name.joined(separator: " ") + children
            }.joined(separator: ", ")
        }
        #expect(words(root.member("asyncResults")?.elements) == "file motion, " + results)
    }

    @Test func aSoundOfWhichOnlyLevelsWereKeptIsAnError() throws {
        let study = try SageSample.study(["t.json": Self.task])
        var submission = SageSample.submission(study.tasks[0], [:])
        let began = Instant(seconds: 1_795_000_000)
        let levels = RunRecording.File(path: "1.csv", contentType: "text/csv", bytes: 1, startUptime: 1, start: began)
        submission.recorded = [
            RunRecording(recorder: "sound", began: began, ended: began + .seconds(6), files: [levels], failures: [])
        ]
        let results = SageRecording.all(
            submission, of: try SageSample.source(of: study), zone: .utc, unreadable: [])
        #expect(results.map(\.identifier) == ["sound_levels", "sound"])
        #expect(results.map { $0.file?.name } == ["sound_levels.json", nil])
        #expect(results.last?.result.text.contains("\"errorCode\":1") == true)
    }

    /// `FileUtility.filename(for:)` of MobilePassiveData-SDK (ab5a11d): `.` and a blank become `_`, what else is no letter
    /// or digit goes, 24 characters stay.
    @Test(arguments: [
        ("walk.fast out", "walk_fast_out"), ("a(1)/b", "a1b"), ("x-y_z", "x-y_z"), ("größe", "größe"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"), ("()", "_"),
    ])
    func filesAreNamedAsLogFilesOfTheApps(identifier: String, name: String) throws {
        let study = try SageSample.study([
            "t.json": SageSample.task(
                #"{"type":"instruction","identifier":"one","title":"a"}"#,
                head: #""asyncActions":[{"type":"motion","identifier":"\#(identifier)"}],"#)
        ])
        var submission = SageSample.submission(study.tasks[0], [:])
        submission.recorded = [Self.motion("1.cwa", 0, recorder: identifier)]
        let results = SageRecording.all(
            submission, of: try SageSample.source(of: study), zone: .utc, unreadable: [])
        #expect(results.map { $0.file?.name } == [name + ".json"])
    }

    /// `SampleRecorder.filePrefix` has the innermost section (MobilePassiveData-SDK ab5a11d); the recorder of a step of
    /// MotorControl 2 learns of no step (MotorControl-iOS f303936, `MotionSensorViewModels.swift`:44).
    @Test func aRecorderOfAStepIsNamedByItsInnermostSection() throws {
        let steps =
            #"{"type":"section","identifier":"day","steps":[{"type":"section","identifier":"left","steps":[{"type":"instruction","identifier":"one","title":"a"},{"type":"motion","identifier":"tremor","duration":5,"title":"t"}]}]}"#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        var submission = SageSample.submission(study.tasks[0], [:])
        submission.recorded = [Self.motion("1.cwa", 0, recorder: "day_left_tremor")]
        let recording = try #require(
            SageRecording.all(submission, of: try SageSample.source(of: study), zone: .utc, unreadable: []).first)
        #expect(recording.file?.name == "left_tremor.json" && recording.path == "day/left/tremor")
        let told = [0, 1].map { (at: Instant(seconds: 1_795_000_000 + Int64($0)), path: "\($0)") }
        #expect(recording.part(told)?.marks.map(\.path) == ["T/left"])
    }

    /// What does not fit takes no room: what comes after it is sent.
    @Test func aSoundThatIsTooBigLeavesRoomForTheOthers() throws {
        let task = SageSample.task(
            #"{"type":"simpleQuestion","identifier":"said","inputItem":{"type":"string"}},{"type":"simpleQuestion","identifier":"long","inputItem":{"type":"string"}},{"type":"simpleQuestion","identifier":"more","inputItem":{"type":"string"}}"#,
            head: #""asyncActions":[{"type":"microphone","identifier":"sound","saveAudioFile":true}],"#)
        let study = try SageSample.study(["t.json": task])
        var submission = SageSample.submission(
            study.tasks[0], ["said": .recording("m1"), "long": .recording("m2"), "more": .recording("m3")])
        let began = Instant(seconds: 1_795_000_000)
        func sound(_ bytes: Int) -> RunRecording.File {
            RunRecording.File(
                path: "\(bytes).flac", contentType: "audio/flac", bytes: bytes, startUptime: 1,
                start: began)
        }
        submission.recorded = [
            RunRecording(
                recorder: "sound", began: began, ended: began, files: [sound(40_000_001), sound(100_000)], failures: [])
        ]
        submission.spoken = ["m1": sound(39_800_000), "m2": sound(200_000), "m3": sound(100_000)]
        let own = try SageSample.source(of: study)
        let results = SageRecording.all(submission, of: own, zone: .utc, unreadable: [])
        #expect(results.map(\.identifier) == ["sound_levels", "sound", "sound", "said", "long", "more"])
        #expect(
            results.map { $0.file?.name } == [
                "sound_levels.json", nil, "sound.flac", "said.flac", nil, "more.flac",
            ])
    }

    /// The words themselves are not known: the answer says where the sound is, and has no value
    /// that could be taken for a text.
    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        .enabled(if: SagePython.isThere, "needs Python's jsonschema; STUDYD_PYTHON may name a Python that has it"),
        .timeLimit(.minutes(10)))
    func aSpokenAnswerIsMarkedAndItsSoundGoesAlong() throws {
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try #require(mkdir(path, 0o755) == 0)
        defer { _ = try? SagePython.run(["-c", "import shutil; shutil.rmtree(\"\(path)\")"]) }
        let steps = #"""
            {"type":"simpleQuestion","identifier":"said","inputItem":{"type":"string"}},
            {"type":"choiceQuestion","identifier":"food","baseType":"string","singleChoice":false,"choices":[{"value":"a","text":"A"}],"other":{"type":"string"}},
            {"type":"multipleInputQuestion","identifier":"two","inputItems":[{"type":"string","identifier":"x"},{"type":"integer","identifier":"y"}]},
            {"type":"simpleQuestion","identifier":"late","inputItem":{"type":"string"}}
            """#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        var submission = SageSample.submission(
            study.tasks[0],
            [
                "said": .recording("m1"), "food": .choices(["a", "other"]), "food/other": .recording("m2"),
                "two/x": .recording("m3"), "two/y": .number(4), "late": .recording("m4"),
            ])
        for number in 1...3 {
            try SagePython.write(Array("fLaC \(number)".utf8), to: path + "/\(number).flac")
            submission.spoken["m\(number)"] = RunRecording.File(
                path: "\(number).flac", contentType: "audio/flac", bytes: 6, startUptime: 1,
                start: Instant(seconds: 1_795_000_000))
        }
        let packed = try Self.packed(submission, of: study, folder: path)
        #expect(packed.unreadable.isEmpty)
        let zip = path + "/a.zip"
        try SagePython.write(packed.request.body, to: zip)
        let report = try SagePython.run([SagePython.script, zip, SagePython.schemas])
        #expect(report.status == 0, "\(report.output)")
        let script = """
            import json, zipfile
            z = zipfile.ZipFile("\(zip)"); assert z.testzip() is None
            t = json.loads(z.read("assessmentResult.json"))
            r = {x["identifier"]: x for x in t["stepHistory"]}
            def spoken(x): return [(s["identifier"], s.get("relativePath", s.get("errorCode"))) for s in x["questionData"]["spoken"]]
            assert spoken(r["said"]) == [("said", "said.flac")] and "value" not in r["said"], r["said"]
            assert spoken(r["food"]) == [("other", "food_other.flac")] and r["food"]["value"] == ["a"], r["food"]
            assert spoken(r["two"]) == [("x", "two_x.flac")] and r["two"]["value"] == {"y": 4}, r["two"]
            assert spoken(r["late"]) == [("late", 2)] and "value" not in r["late"], r["late"]
            assert t["asyncResults"] == []
            for name, number in (("said", 1), ("food_other", 2), ("two_x", 3)):
                assert z.read(name + ".flac") == b"fLaC %d" % number
            files = {f["filename"]: f for f in json.loads(z.read("metadata.json"))["files"]}
            assert files["two_x.flac"]["stepPath"] == "two/x" and files["two_x.flac"]["contentType"] == "audio/flac"
            a = json.loads(z.read("answers.json")); assert a == {"food": "a", "two_y": 4}, a
            print("good")
            """
        try SagePython.write(Array(script.utf8), to: path + "/check.py")
        let seen = try SagePython.run([path + "/check.py"])
        #expect(seen.output.hasSuffix("good\n"), "\(seen.output)")
    }

    /// `questionData` says that an answer was spoken: what is recorded while steps are done is no answer to them.
    @Test func onlyASpokenAnswerIsMarkedAsOne() throws {
        let steps = #"""
            {"type":"instruction","identifier":"hello","title":"t"},
            {"type":"simpleQuestion","identifier":"written","inputItem":{"type":"string"}},
            {"type":"simpleQuestion","identifier":"said","inputItem":{"type":"string"}}
            """#
        let study = try SageSample.study([
            "t.json": SageSample.task(steps, head: #""asyncActions":[{"type":"motion","identifier":"motion"}],"#)
        ])
        var submission = SageSample.submission(
            study.tasks[0], ["written": .text("x"), "said": .recording("m1")])
        let began = Instant(seconds: 1_795_000_000)
        func file(_ kind: String, _ contentType: String) -> RunRecording.File {
            RunRecording.File(
                path: "1.\(kind)", contentType: contentType, bytes: 1, startUptime: 1, start: began)
        }
        submission.recorded = [
            RunRecording(
                recorder: "motion", began: began, ended: began, files: [file("accelerometer", "text/csv")], failures: []
            )
        ]
        submission.spoken = ["m1": file("sound", "audio/flac")]
        let results = SageResults(
            submission, of: study.tasks[0], try SageSample.source(of: study), runUUID: "U", zone: .utc)
        let root = JSONPlace(root: try JSONNode(Array(results.json.text.utf8)))
        let history = try #require(root.member("stepHistory")?.elements)
        #expect(history.map { $0.member("questionData") != nil } == [false, false, true])
        #expect(history.last?.member("questionData")?.member("spoken")?.elements?.count == 1)
        #expect(root.member("asyncResults")?.elements?.count == 1)
    }

    /// A recorder's file has a marker for the step that was open when it began, and for each that came up to
    /// its end (`RSDSampleRecorder.moveTo(step:)` of SageResearch).
    @Test(
        arguments: [
            ([-5, 0, 1, 6, 7], ["0", "1", "6"], [0, 1, 6.0]), ([-5, -1], ["-1"], [0]), ([3, 9], ["3", "3"], [0, 3]),
            ([], [], []),
        ] as [([Int], [String], [Double])])
    func aMarkerIsWrittenForEachStepOfTheRecording(visits: [Int], paths: [String], times: [Double]) throws {
        let began = Instant(seconds: 1_795_000_000)
        let study = try SageSample.study(["t.json": Self.task])
        var submission = SageSample.submission(study.tasks[0], [:])
        let file = RunRecording.File(
            path: "1.cwa", contentType: "application/octet-stream", bytes: 1,
            startUptime: 100, start: began)
        submission.recorded = [
            RunRecording(
                recorder: "motion", began: began, ended: began + .seconds(6), files: [file], failures: [])
        ]
        let own = try SageSample.source(of: study)
        let recording = try #require(
            SageRecording.all(submission, of: own, zone: .utc, unreadable: []).first)
        let told = visits.map { (at: began + .seconds($0), path: "\($0)") }
        let part = try #require(recording.part(told))
        #expect(part.marks.map(\.path) == paths && part.marks.map { $0.uptime - 100 } == times, "\(part.marks)")
        #expect(part.end == 107)
    }
}
