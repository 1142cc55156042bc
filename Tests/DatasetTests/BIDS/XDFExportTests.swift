// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Dataset

@Suite struct XDFExportTests {
    private static let hasPyXDF = DatasetProgram.has("pyxdf")

    /// By the reader of the people who made the format: the signals of an enrolment, its presses,
    /// prompts and answers are on one clock, which is UTC when the offsets are added.
    @Test(.enabled(if: hasPyXDF, "needs pyxdf"), .timeLimit(.minutes(10)))
    func anEnrolmentIsOneFileWithItsPromptsAndAnswers() throws {
        let study = try RecordedStudy(["P017"])
        let path = study.folder("xdf")
        let outcome = try XDFExport(study, to: DatasetFolder(path), window: .all).run(bytes: 0)
        #expect(outcome.recordings == 4 && outcome.issues.isEmpty)
        let script = """
            import sys, pyxdf
            for s in pyxdf.load_xdf(sys.argv[1], dejitter_timestamps=False)[0]:
                first = s["time_series"][0]
                print(s["info"]["name"][0], len(s["time_stamps"]), "%.3f" % (s["time_stamps"][0] - 1795251600),
                    first[0] if s["info"]["type"][0] == "Markers" else "", sep="|")
            """
        let lines =
            DatasetProgram.python(script, ["\(path)/P017/e-P017.xdf"])?.split(separator: "\n").map(String.init) ?? []
        let stored = try study.record(of: study.participants[0]).recordings[0].description?.samplesStored ?? 0
        #expect(
            lines == [
                "motion|\(stored)|0.000|", "field|100|0.000|", "buttons|2|12.000|select (middle)", "levels|2|0.500|",
                "prompts|4|10.000|prompt evening", "answers|3|40.000|foods = [\"banana\",\"apple\"]",
            ])
    }

    /// XDF has markers as they are read: in text. Issues of a record are issues of the export.
    @Test func promptsAndAnswersAreMarkersInWords() throws {
        let study = try RecordedStudy(["P017"])
        let issue = DatasetIssue(.noReports, "P017", "no report has come")
        study.change { record in
            record.recordings = [record.recordings[1]]
            record.issues.append(issue)
        }
        let path = study.folder("xdf")
        let outcome = try XDFExport(study, to: DatasetFolder(path), window: .all).run(bytes: 0)
        #expect(outcome.issues == [issue])
        let xdf = try BoundedFile.read(path + "/P017/e-P017.xdf", limit: 1 << 24)
        for text in [
            "prompt evening", "opened evening", "completed evening", "missed evening (device-off)", "mood = 2",
            "foods = [\"banana\",\"apple\"]", "onset = since\tnoon\nor so",
        ] {
            #expect(xdf.firstRange(of: Array(text.utf8)) != nil, "\(text)")
        }
        #expect(xdf.firstRange(of: Array("weight = ".utf8)) == nil, "nothing was answered")
    }

    /// In the place of one is a folder of its name, of which read(2) says EISDIR.
    @Test func aRecordingThatCannotBeReadIsNamedAndTheOthersAreThere() throws {
        let study = try RecordedStudy(["P017"])
        let field = try study.record(of: study.participants[0]).recordings[1]
        try #require(unlink(field.source) == 0 && mkdir(field.source, 0o700) == 0)
        let outcome = try XDFExport(study, to: DatasetFolder(study.folder("xdf")), window: .all).run(bytes: 0)
        #expect(outcome.recordings == 3)
        #expect(
            outcome.issues.map(\.text) == [
                "\(field.name) cannot be read: Is a directory; it is not in the XDF file"
            ])
        #expect(outcome.holes.map { $0.item.name } == ["000009-sound.flac", field.name])
    }

    /// Nothing is wrong with the file.
    @Test func aRecordingWithoutATimeOfDayIsLeftOutAndNotUnreadable() throws {
        let study = try RecordedStudy(["P017"])
        study.change { record in
            let field = record.recordings[1]
            var description = field.description
            description?.startDate = nil
            record.recordings[1] = StudyRecording(
                enrolment: field.enrolment, name: field.name, source: field.source, bytes: field.bytes,
                sha256: field.sha256, description: description, descriptionSource: nil)
        }
        let outcome = try XDFExport(study, to: DatasetFolder(study.folder("xdf")), window: .all).run(bytes: 0)
        let name = try study.record(of: study.participants[0]).recordings[1].name
        let said = "P017: left-out: \(name) has no time of day; it is not in the XDF file"
        #expect(outcome.issues.map(\.description) == [said])
    }

    /// XDF's chunk [StreamHeader] has one `nominal_srate`. And of a wire that broke at once the header is all there
    /// is: the format's first 1024 bytes.
    @Test func aRateThatChangedIsAnotherStreamAndAHeaderAloneIsNamed() throws {
        let study = try RecordedStudy(["P017"])
        try study.addMotion(rate: 50)
        let header = study.folder("header.cwa")
        study.change { record in
            let motion = record.recordings[0]
            let bytes = (try? BoundedFile.read(motion.source, limit: 1 << 24)).map { Array($0.prefix(1024)) } ?? []
            try? AtomicFile.write(bytes, to: header)
            record.recordings.append(
                StudyRecording(
                    enrolment: motion.enrolment, name: "000099-accelerometer.cwa", source: header, bytes: 1024,
                    sha256: (try? Digest(of: bytes).description) ?? "", description: motion.description,
                    descriptionSource: nil))
        }
        let path = study.folder("xdf")
        let outcome = try XDFExport(study, to: DatasetFolder(path), window: .all).run(bytes: 0)
        #expect(outcome.recordings == 5 && outcome.issues.count == 1)
        let problem = "000099-accelerometer.cwa cannot be read: has no intact block"
        #expect(outcome.issues.first?.text.hasPrefix(problem) == true, "\(outcome.issues)")
        let xdf = String(decoding: try BoundedFile.read(path + "/P017/e-P017.xdf", limit: 1 << 24), as: UTF8.self)
        let rates = ["100.0", "50.0"].map { xdf.contains("<nominal_srate>\($0)</nominal_srate>") }
        #expect(rates == [true, true])
    }

    /// Readers lay one straight line through a clock's offsets. Samples of another boot lie where that line
    /// has their time of day, and prompts beside the samples of their moment, which it has 40 s × 0.25 / 3600
    /// away at the end of a file.
    @Test(.enabled(if: hasPyXDF, "needs pyxdf"), .timeLimit(.minutes(10)), arguments: [(0.0, 2e-6), (0.25, 3e-3)])
    func twoBootsLieOnOneClock(drift: Double, tolerance: Double) throws {
        let study = try RecordedStudy(["P017"])
        try study.addAnotherBoot(drift: drift)
        let path = study.folder("xdf")
        _ = try XDFExport(study, to: DatasetFolder(path), window: .all).run(bytes: 0)
        let script = """
            import sys, pyxdf
            drift, begin = float(sys.argv[2]), 1795251600
            streams = {s["info"]["name"][0]: s for s in pyxdf.load_xdf(sys.argv[1], dejitter_timestamps=False)[0]}
            starts = [0, 3600 + drift, 7200 + 2 * drift, 10000]
            known = [begin + start + index / 10 for start in starts for index in range(100)]
            field = streams["field"]
            values = [round(row[0] / 0.0146) for row in field["time_series"]]
            print(len(field["time_stamps"]) == len(known), values == list(range(100)) * 4)
            print(max(abs(a - b) for a, b in zip(field["time_stamps"], known)))
            prompts = streams["prompts"]["time_stamps"]
            print(max(abs(a - begin - b) for a, b in zip(prompts, [10, 12, 40, 5400])))
            """
        let output = try #require(DatasetProgram.python(script, ["\(path)/P017/e-P017.xdf", "\(drift)"]))
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.first == "True True", "\(output)")
        #expect(lines.count == 3 && lines.dropFirst().allSatisfy { (Double($0) ?? 1) < tolerance }, "\(output)")
    }
}
