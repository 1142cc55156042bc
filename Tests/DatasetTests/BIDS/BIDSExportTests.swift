// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Dataset

@Suite struct BIDSExportTests {
    private static let hasValidator = DatasetProgram.has("bids_validator_deno")

    private func export(_ study: RecordedStudy, to name: String = "bids") throws -> String {
        let path = study.folder(name)
        _ = try BIDSExport(study, to: DatasetFolder(path)).run(bytes: 0)
        return path
    }

    private func text(_ path: String) throws -> String {
        let file = try File(path, .read)
        return String(decoding: try file.read(try file.size(), at: 0), as: UTF8.self)
    }

    private func files(_ path: String) -> [String] {
        (DatasetProgram.run(["find", path, "-type", "f"]) ?? "").split(separator: "\n").map(String.init).sorted()
    }

    private func table(_ path: String) throws -> [[Substring]] {
        try text(path).split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    }

    /// Puts another table in the place of the field's, or of the recording at that place: `change` makes its lines of
    /// those that it has.
    private func changeField(
        of study: RecordedStudy, at place: Int = 1, _ change: ([String]) -> [String]
    ) throws {
        let field = try study.record(of: study.participants[0]).recordings[place]
        let whole = try #require(DatasetProgram.run(["gzip", "-dcf", field.source]))
        let lines = change(whole.split(separator: "\n").map(String.init))
        let path = study.folder("changed.csv")
        try AtomicFile.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
        let changed = StudyRecording(
            enrolment: field.enrolment, name: field.name, source: path, bytes: field.bytes,
            sha256: try Digest(ofFile: path).description, description: field.description, descriptionSource: nil)
        study.change { $0.recordings[place] = changed }
    }

    /// What is left is what no recording can know: who did the study where, the maker of a chip, and
    /// names of vocabularies that a study does not use.
    @Test(.enabled(if: hasValidator, "needs bids-validator-deno"), .timeLimit(.minutes(10)))
    func theValidatorOfBIDSFindsNothingThatCouldBeMended() throws {
        let study = try RecordedStudy()
        let path = try export(study)
        let script = """
            import json, os, subprocess, sys
            tool = os.path.join(os.path.dirname(sys.executable), "bids-validator-deno")
            found = json.loads(subprocess.run([tool, "--json", sys.argv[1]], capture_output=True, text=True).stdout)
            unknown = {"NO_AUTHORS", "TOO_FEW_AUTHORS", "HEDVersion", "SourceDatasets", "Authors", "Manufacturer", "InstitutionName",
                "InstitutionAddress", "InstitutionalDepartmentName", "CogAtlasID", "CogPOID"}
            for issue in found["issues"]["issues"]:
                if (issue.get("subCode") or issue["code"]) not in unknown or issue["severity"] == "error":
                    print(issue["severity"], issue["code"], issue.get("subCode"), issue.get("location"), issue.get("issueMessage"))
            print(found["summary"]["totalFiles"], sorted(found["summary"]["modalities"]), sorted(found["summary"]["subjects"]))
            """
        let output = try #require(DatasetProgram.python(script, [path]))
        let lines = output.split(separator: "\n")
        #expect(lines.count == 1, "\(output)")
        #expect(lines.last?.hasSuffix("['beh', 'motion'] ['P017', 'P017x2']") == true, "\(output)")
    }

    /// Each sample of the recording is a row: the same numbers, and the same steps of time, that
    /// the export as CSV has.
    @Test func motionHasASampleARowAndItsLatencyShowsTheGap() throws {
        let study = try RecordedStudy(["P017"])
        let path = try export(study)
        let stem = "\(path)/sub-P017/ses-01/motion/sub-P017_ses-01_task-dailylife_tracksys-motion_run-000001"
        let rows = try table("\(stem)_motion.tsv").map { $0.compactMap { Double($0) } }
        // The gap, as the end, tears a block that was begun.
        let stored = try study.record(of: study.participants[0]).recordings[0].description?.samplesStored
        #expect(rows.count == stored && rows.count > 17_800 && rows.allSatisfy { $0.count == 4 })
        #expect(rows.first?.last == 0 && rows.first?[2] == 1)
        let steps = zip(rows.dropFirst(), rows).map { $0[3] - $1[3] }
        #expect(steps.count { $0 > 1 } == 1 && (3.6..<4.5).contains(steps.max() ?? 0))
        let channels = try table("\(stem)_channels.tsv")
        #expect(
            channels.map { $0.prefix(3).joined(separator: " ") } == [
                "name component type", "accel_x x ACCEL", "accel_y y ACCEL", "accel_z z ACCEL", "latency n/a LATENCY",
            ])
        let field = try table(
            "\(path)/sub-P017/ses-01/motion/sub-P017_ses-01_task-dailylife_tracksys-field_run-000002_motion.tsv")
        #expect(field.count == 100 && field.last?.last == "9.900000")
    }

    /// BIDS, Common principles: a missing value of a table is `n/a`, and no cell is empty.
    @Test func aNumberThatNoSensorGivesIsMissing() throws {
        let study = try RecordedStudy(["P017"])
        try changeField(of: study) { lines in
            lines.map { line in
                guard line.first?.isNumber == true else { return line }
                return (line.split(separator: ",").dropLast() + ["1e30"]).joined(separator: ",")
            }
        }
        let rows = try table(
            export(study)
                + "/sub-P017/ses-01/motion/sub-P017_ses-01_task-dailylife_tracksys-field_run-000002_motion.tsv")
        #expect(rows.count == 100 && rows.allSatisfy { $0.count == 4 && $0[2] == "n/a" && !$0.contains("") })
    }

    /// A table without a line of units has those of its description.
    @Test func theUnitsOfATableAreThoseOfItsDescriptionWhereItHasNone() throws {
        let study = try RecordedStudy(["P017"])
        let stem = "/sub-P017/ses-01/motion/sub-P017_ses-01_task-dailylife_tracksys-field_run-000002"
        let known = try table(export(study) + stem + "_channels.tsv")
        #expect(
            known.map { $0.prefix(5).joined(separator: " ") } == [
                "name component type tracked_point units", "x x MAGN n/a uT", "y y MAGN n/a uT", "z z MAGN n/a uT",
                "latency n/a LATENCY n/a s",
            ])
        try changeField(of: study) { lines in
            let bare = lines.filter { !$0.hasPrefix("#units") }
            #expect(bare.count == lines.count - 1)
            return bare
        }
        #expect(try table(export(study, to: "bare") + stem + "_channels.tsv") == known)
    }

    /// Three fixes, of three dimensions, of two, and none: 3.6 knots are 1.852 m/s, and 52°30.1' is 52 + 30.1 / 60.
    @Test func positionsAreRowsOfTenCells() throws {
        let study = try RecordedStudy(["P017"])
        let path = study.folder("walk.nmea")
        let text = [(7, 3), (8, 2), (9, 1)].map { NMEAFixture.fix(at: $0, mode: $1) }.joined()
        try AtomicFile.write(Array(text.utf8), to: path)
        let digest = try Digest(ofFile: path).description
        study.change { record in
            var note = RecordingDescription(fileName: "walk.nmea", contentType: "text/plain", countedUnit: .bytes)
            (note.number, note.kind, note.format, note.identifier) = (31, "gnss", "nmea", "walk")
            (note.deviceNumber, note.offset, note.bootID) = (12, "+01:00", "boot-a")
            (note.startDate, note.endDate) = ("2026-11-21T09:00:07Z", "2026-11-21T09:00:09Z")
            (note.bytes, note.sha256) = (text.utf8.count, digest)
            record.recordings.append(
                StudyRecording(
                    enrolment: record.recordings[0].enrolment, name: "000031-walk.nmea", source: path, bytes: 1,
                    sha256: digest, description: note, descriptionSource: nil))
        }
        let rows = try table(
            export(study) + "/sub-P017/ses-01/beh/sub-P017_ses-01_task-dailylife_acq-walk_run-000031_beh.tsv")
        #expect(
            rows.first?.joined(separator: " ")
                == "onset time mode latitude longitude altitude_msl speed track hdop satellites")
        #expect(rows.count == 4 && rows.allSatisfy { $0.count == 10 }, "\(rows)")
        #expect(rows.dropFirst().map { $0[2] } == ["3", "2", "1"])
        #expect(rows.dropFirst().map { Double($0[0]) } == [0, 1, 2])
        #expect(rows.dropFirst().allSatisfy { $0[1].hasPrefix("2026-11-21T09:00:0") })
        let numbers = rows.dropFirst().map { $0[3...8].map { Double($0) } }
        let place: [Double?] = [52 + 30.1 / 60, 13 + 24.5 / 60]
        for (row, others) in zip(numbers, [[35.5, 1.852, 90, 1.2], [35.5, 1.852, 90, 1.2]] as [[Double?]]) {
            for (found, known) in zip(row, place + others) {
                #expect((found == nil) == (known == nil) && abs((found ?? 0) - (known ?? 0)) < 1e-6, "\(row)")
            }
        }
        // What a receiver says without a fix is no place.
        #expect(rows.last?[3...8].allSatisfy { $0 == "n/a" } == true, "\(rows)")
    }

    @Test func everyPromptAnswerTaskAndPressIsARow() throws {
        let study = try RecordedStudy(["P017"])
        let path = try export(study)
        let rows = try table("\(path)/sub-P017/ses-01/beh/sub-P017_ses-01_task-dailylife_events.tsv")
        let head = try #require(rows.first).map(String.init)
        func column(_ name: String) -> [String] {
            guard let place = head.firstIndex(of: name) else { return [] }
            return rows.dropFirst().map { String($0[place]) }
        }
        #expect(column("trial_type") == ["prompt", "task", "press", "answer", "answer", "answer", "press", "prompt"])
        #expect(
            column("onset") == [
                "0.000000", "2.000000", "2.000000", "30.000000", "30.000000", "30.000000", "30.250000", "3590.000000",
            ])
        #expect(column("outcome").last == "missed" && column("reason").last == "device-off")
        #expect(column("mood").filter { $0 != "n/a" } == ["2"])
        // A question that is called like a column of every events file keeps its answer apart.
        #expect(column("evening.onset").filter { $0 != "n/a" } == ["since noon or so"])
        #expect(rows.allSatisfy { $0.count == head.count && !$0.contains("") })
        let json = try JSONNode(Array(text("\(path)/task-dailylife_events.json").utf8))
        #expect(json["mood"]?["Levels"]?["2"]?.value == .string("good"))
        // Several answers at once are none of the levels.
        #expect(json["foods"]?["Levels"] == nil && json["foods"]?["Choices"]?["apple"]?.value == .string("An apple"))
    }

    /// BIDS, "Scans file": a row for each file of the session, and a description of each column. The paper's table is
    /// beside it (docs/dataset.md).
    @Test func everyFileOfASessionIsAScanAndEveryColumnIsDescribed() throws {
        let study = try RecordedStudy(["P017"])
        let path = try export(study)
        let session = "\(path)/sub-P017/ses-01"
        let rows = try table("\(session)/sub-P017_ses-01_scans.tsv")
        let head = try #require(rows.first).map(String.init)
        #expect(head.prefix(2) == ["filename", "acq_time"])
        let tables = files(session).filter {
            $0.hasSuffix("_motion.tsv") || $0.hasSuffix("_beh.tsv")
                || $0.contains("/beh/") && $0.hasSuffix("_events.tsv")
        }
        #expect(rows.dropFirst().map { "\(session)/\($0[0])" }.sorted() == tables && tables.count == 4)
        // Of what happened the whole second of the first, and of a recording the time of its first sample.
        let times = Dictionary(uniqueKeysWithValues: rows.dropFirst().map { (String($0[0]), String($0[1])) })
        let task = "sub-P017_ses-01_task-dailylife"
        #expect(times["beh/\(task)_events.tsv"] == "2026-11-21T09:00:10.000000Z")
        #expect(times["motion/\(task)_tracksys-field_run-000002_motion.tsv"] == "2026-11-21T09:00:00.000000Z")
        let json = try JSONNode(Array(text("\(session)/sub-P017_ses-01_scans.json").utf8))
        for column in head {
            guard case .string(let words)? = json[column]?["Description"]?.value else {
                Issue.record("\(column) is not described")
                continue
            }
            #expect(!words.isEmpty)
        }
        let paper = try text("\(path)/code/reporting.md")
        #expect(paper.contains("| 5 | Wave duration | 1 participant, 0 of them with more than one enrolment |"))
        #expect(paper.contains("LIS3DH"))
    }

    /// Events at the first and at the last moment of a recording happened while it was recorded; a millisecond more
    /// is beside it.
    @Test(
        arguments: [
            (-5, ["0.000000"]), (0, ["0.000000"]), (9.999, ["0.000000"]), (10, ["0.000000", "10.000000"]),
            (39.999, ["0.000000", "10.000000", "12.000000", "12.000000"]),
            (40, ["0.000000", "10.000000", "12.000000", "12.000000", "40.000000", "40.000000", "40.000000"]),
        ] as [(Double, [String])]) func theEventsOfARecordingAreThoseFromItsBeginToItsEnd(
            seconds: Double, onsets: [String]
        ) throws
    {
        let study = try RecordedStudy(["P017"])
        study.change { record in
            let field = record.recordings[1]
            var description = field.description
            description?.startUptime = 100
            description?.endUptime = 100 + seconds
            record.recordings[1] = StudyRecording(
                enrolment: field.enrolment, name: field.name, source: field.source, bytes: field.bytes,
                sha256: field.sha256, description: description, descriptionSource: nil)
            for offset in [Duration.milliseconds(-1), .zero] {
                let time = StudyTime(RecordedStudy.begin + offset, offset: 3600)
                record.prompts.append(
                    StudyPrompt(
                        occurrence: "early \(offset)", enrolment: field.enrolment, task: "evening", due: time,
                        presented: time, ended: time, outcome: "expired"))
            }
        }
        let stem = "/sub-P017/ses-01/motion/sub-P017_ses-01_task-dailylife_tracksys-field_run-000002"
        let rows = try table(export(study) + stem + "_events.tsv")
        #expect(rows.first?.first == "onset" && rows.dropFirst().map { String($0[0]) } == onsets)
    }

    @Test func theSameInputGivesTheSameBytesAndASecondRunWritesNothing() throws {
        let study = try RecordedStudy(["P017"])
        let (first, second) = (try export(study), try export(study, to: "again"))
        #expect(DatasetProgram.run(["diff", "-r", first, second]) == "")
        func moments() -> [String] {
            (DatasetProgram.run(["find", first, "-type", "f", "-not", "-name", ".*", "-printf", "%p %T@\n"]) ?? "")
                .split(separator: "\n").map(
                    String.init
                ).sorted()
        }
        let before = moments()
        #expect(try BIDSExport(study, to: DatasetFolder(first)).run(bytes: 0).newBytes == 0)
        #expect(moments() == before && before.count > 20)
        // A power cut came between a table and what is said of it, and another lost the table.
        let torn = try #require(files(first).first { $0.hasSuffix("motion_run-000001_motion.json") })
        let lost = try #require(files(first).first { $0.hasSuffix("_beh.tsv") })
        unlink(torn)
        unlink(lost)
        _ = try export(study)
        #expect(DatasetProgram.run(["diff", "-r", first, second]) == "")
    }

    /// It was there when it was looked at, and is gone when its rows are written.
    @Test func aRecordingThatCannotBeReadAnyMoreIsLeftOutAndNothingElse() throws {
        let study = try RecordedStudy(["P017"])
        let last = study.folder("last.csv.gz")
        study.change { record in
            let field = record.recordings[1]
            try? AtomicFile.write(BoundedFile.read(field.source), to: last)
            // More than are worked on at once.
            record.recordings += (100...200).map { number in
                var description = field.description
                description?.number = number
                return StudyRecording(
                    enrolment: field.enrolment, name: "000\(number)-magnetometer.csv.gz",
                    source: number == 200 ? last : field.source, bytes: field.bytes, sha256: field.sha256,
                    description: description, descriptionSource: nil)
            }
        }
        let path = study.folder("bids")
        let outcome = try BIDSExport(study, to: DatasetFolder(path)) { _ in unlink(last) }.run(bytes: 0)
        #expect(
            try text("\(path)/sourcedata/left_out.tsv").contains(
                "P017\t000200-magnetometer.csv.gz\t\(last): cannot open: No such file or directory"))
        #expect(outcome.tables == 3 + 100)
    }

    /// docs/dataset.md: a hole is what is no longer what arrived.
    @Test func aDamagedRecordingIsAHoleThere() throws {
        let study = try RecordedStudy(["P017"])
        let motion = try study.record(of: study.participants[0]).recordings[0]
        var bytes = try BoundedFile.read(motion.source, limit: 1 << 24)
        bytes[bytes.count / 2] ^= 1
        try AtomicFile.write(bytes, to: motion.source)
        let outcome = try BIDSExport(study, to: DatasetFolder(study.folder("bids"))).run(bytes: 0)
        #expect(outcome.holes.map { $0.item.name }.sorted() == [motion.name, "000009-sound.flac"].sorted())
        let damaged = try #require(outcome.holes.first { $0.item.name == motion.name }?.item)
        #expect(damaged.isHole && damaged.kind == .file && damaged.enrolment == motion.enrolment)
        #expect(
            outcome.issues.map(\.text) == [
                "\(motion.name): is damaged: its SHA-256 is another than when it arrived"
            ])
    }

    /// Of two presses, at 12 s and at 40.25 s after ten by the wall clock, in one recording.
    @Test(
        arguments: [
            ("2026-11-21T10:00:12", "2026-11-21T10:00:40", ["2026-11-21T10:00:12.000"]),
            ("2026-11-21T09:00:13Z", nil, ["2026-11-21T10:00:40.250"]),
            (nil, nil, ["2026-11-21T10:00:12.000", "2026-11-21T10:00:40.250"]),
        ] as [(String?, String?, [String])])
    func pressesAreCutByTheWindowInBIDSAndInTables(from: String?, until: String?, times: [String]) throws {
        let study = try RecordedStudy(["P017"])
        let part = try WindowedDataset(study, window: ExportWindow(from: from, until: until), participant: nil)
        let (bids, tables) = (study.folder("bids"), study.folder("tables"))
        _ = try BIDSExport(part, to: DatasetFolder(bids)).run(bytes: 0)
        _ = try DatasetExport(part, to: DatasetFolder(tables), isPackage: false).run(bytes: 0)
        let rows = try table("\(bids)/sub-P017/ses-01/beh/sub-P017_ses-01_task-dailylife_events.tsv")
        let column = try #require(rows.first?.firstIndex(of: "time_local"))
        #expect(rows.filter { $0.contains("press") }.map { String($0[column]) } == times)
        let lines = try text("\(tables)/events.csv").split(separator: "\n").map { $0.split(separator: ",") }
        #expect(lines.filter { $0.contains("button") }.map { String($0[3]) } == times)
    }

    /// Of the two presses, at 112 s and at 140.25 s of uptime, those from then on have no time: they are named, and
    /// nothing is missing.
    @Test(arguments: [(200.0, nil), (140, "1 press"), (112, "2 presses")] as [(Double, String?)])
    func aPressAtAnUnknownTimeIsNoHole(from uptime: Double, named: String?) throws {
        let study = try RecordedStudy(["P017"])
        try changeField(of: study, at: 2) { lines in
            lines.map { line in
                let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                guard cells.count > 1, let time = Double(cells[1]), time >= uptime else { return line }
                return ([""] + cells.dropFirst()).joined(separator: ",")
            }
        }
        let buttons = try study.record(of: study.participants[0]).recordings[2].name
        let path = study.folder("bids")
        let outcome = try BIDSExport(study, to: DatasetFolder(path)).run(bytes: 0)
        #expect(outcome.holes.map(\.item.name) == ["000009-sound.flac"])
        let lines = try text("\(path)/sourcedata/left_out.tsv").split(separator: "\n").map(String.init)
        #expect(
            lines.filter { $0.contains("unknown time") }
                == (named.map { ["P017\t\(buttons)\t\($0) at an unknown time of day"] } ?? []))
        let events = try table("\(path)/sub-P017/ses-01/beh/sub-P017_ses-01_task-dailylife_events.tsv")
        let presses = named == nil ? 2 : named == "1 press" ? 1 : 0
        #expect(events.count { $0.contains("press") } == presses)
    }

    /// What an older version wrote is written again, though its recording is the same.
    @Test func aTableOfAnotherVersionIsNotKept() throws {
        let study = try RecordedStudy(["P017"])
        let (path, whole) = (try export(study), try export(study, to: "again"))
        let table = try #require(files(path).first { $0.hasSuffix("_beh.tsv") })
        let sidecar = table.replacing(".tsv", with: ".json")
        let said = try text(sidecar)
        let own = "study-receiver \(ProgramVersion.text)"
        #expect(said.contains("\"ExportedBy\": \"\(own)\""))
        // What the list says of files that an older version left.
        var list = try text(path + "/.studyd-dataset")
        for (file, content) in [
            (table, "onset\ttime\n"), (sidecar, said.replacing(own, with: "study-receiver 0.1.0")),
        ] {
            try AtomicFile.write(Array(content.utf8), to: file)
            let name = file.dropFirst(path.count + 1)
            let sum = try Digest(ofText: content)
            list += "\(sum) \(content.utf8.count) \(name)\n"
        }
        try AtomicFile.write(Array(list.utf8), to: path + "/.studyd-dataset")
        _ = try export(study)
        #expect(DatasetProgram.run(["diff", "-r", path, whole]) == "")
    }

    @Test func whatHasNoPlaceIsNamed() throws {
        let study = try RecordedStudy(["P017"])
        study.change { record in
            let known = record.recordings[0]
            record.recordings += [
                StudyRecording(
                    enrolment: known.enrolment, name: "000007-accelerometer.cwa", source: known.source, bytes: 1,
                    sha256: "", description: nil, descriptionSource: nil),
                known,
            ]
        }
        let path = study.folder("bids")
        let outcome = try BIDSExport(study, to: DatasetFolder(path)).run(bytes: 0)
        // What came without a description is not missing.
        #expect(outcome.holes.map { $0.item.name }.sorted() == ["000001-accelerometer.cwa", "000009-sound.flac"])
        let lines = try table("\(path)/sourcedata/left_out.tsv").dropFirst().map { $0.joined(separator: ",") }
        #expect(
            lines == [
                "P017,000007-accelerometer.cwa,came without a description",
                "P017,000001-accelerometer.cwa,another has the same number",
            ])
        #expect(try text("\(path)/sourcedata/missing.tsv").contains("000009-sound.flac\tdelivered\tn/a\t1"))
    }

    /// Each counts from one; only an enrolment keeps what came from two apart.
    @Test func twoDevicesWithOneNumberAndNoEnrolmentHaveATableEach() throws {
        let study = try RecordedStudy(["P017"])
        study.change { record in
            let known = record.recordings[0]
            record.recordings = ([12, 13, 13] as [UInt32]).map { device in
                var description = known.description
                description?.deviceNumber = device
                return StudyRecording(
                    enrolment: nil, name: known.name, source: known.source, bytes: known.bytes, sha256: known.sha256,
                    description: description, descriptionSource: nil)
            }
        }
        let path = try export(study)
        let stem = "\(path)/sub-P017/ses-00/motion/sub-P017_ses-00_task-dailylife_tracksys-motion"
        let tables = files(path).filter { $0.hasSuffix("_motion.tsv") }.sorted()
        #expect(tables == ["\(stem)_run-000001_motion.tsv", "\(stem)x2_run-000001_motion.tsv"])
        #expect(try text(tables[0]) == text(tables[1]))
        let lines = try table("\(path)/sourcedata/left_out.tsv").dropFirst().map { $0.joined(separator: ",") }
        #expect(lines == ["P017,000001-accelerometer.cwa,another has the same number"])
    }
}

@Suite struct BIDSLabelsTests {
    /// Those who are enrolled when.
    private struct People: StudyDataset {
        let participants: [Participant]
        var study = "s1"
        let codebook = Codebook()
        let latest = Instant(seconds: 0)
        let issues: [DatasetIssue] = []

        init(_ people: [(code: String, day: Int64?)]) {
            participants = people.map { code, day in
                let began = day.map { StudyTime(Instant(seconds: $0 * 86_400), offset: 0) }
                return Participant(id: code, study: "s1", enrolments: [.init(id: "e", began: began)])
            }.sorted { $0.id < $1.id }
        }
        func items() throws -> [String] { [] }
        func record(of participant: Participant) throws -> ParticipantRecord { ParticipantRecord(participant) }
    }

    private func label(_ code: String, in dataset: any StudyDataset) -> String { BIDSLabels(dataset.everyone)[code] }

    @Test func namesThatAreOfferedInsteadAreShownAsText() {
        var people = People([("someone\u{1B}[31m\n", 1)])
        people.study = "s\u{1B}[2J"
        let error = #expect(throws: DatasetError.self) {
            try WindowedDataset(people, window: .all, participant: "P1")
        }
        #expect(
            error.map { "\($0)".contains("it has someone\\u001B[31m\\u000A") } == true, "\(String(describing: error))")
        #expect(error.map { "\($0)".contains("study s\\u001B[2J has no participant P1") } == true)
    }

    @Test func aLongNameIsCutAndStaysDifferent() {
        let names = ["x", "y"].map { String(repeating: "x", count: 199) + $0 }
        let labels = BIDSLabels(names)
        #expect(
            names.map { labels[$0] } == [String(repeating: "x", count: 60), String(repeating: "x", count: 60) + "x2"])
        #expect(labels.collisions == [names[1]])
    }

    /// `sub-P017` is the same person in each export.
    @Test func aLabelIsTheSameForOneParticipantAndForAllAndStaysWhenOthersCome() throws {
        let early = People([("P017", 1), ("P1", nil)])
        let late = People([("P017", 1), ("P-017", 2), ("P1", nil), ("P_1", nil)])
        #expect(label("P017", in: early) == "P017" && label("P1", in: early) == "P1")
        for code in ["P017", "P-017", "P1", "P_1"] {
            let alone = try WindowedDataset(late, window: .all, participant: code)
            #expect(alone.participants.map(\.id) == [code])
            #expect(label(code, in: alone) == label(code, in: late))
        }
        #expect(label("P017", in: late) == "P017" && label("P-017", in: late) == "P017x2")
        let study = try RecordedStudy(["P-017", "P017"])
        let path = study.folder("alone")
        let alone = try WindowedDataset(study, window: .all, participant: "P017")
        _ = try BIDSExport(alone, to: DatasetFolder(path)).run(bytes: 0)
        let names = DatasetProgram.run(["sh", "-c", "cd '\(path)' && ls -d sub-* && cut -f1,2 participants.tsv"])
        #expect(names == "sub-P017x2\nparticipant_id\tparticipant_code\nsub-P017x2\tP017\n")
    }

    @Test func namesWithTheSameLettersAndDigitsStayApart() {
        let labels = BIDSLabels(["P-017", "P017", "p017", "P017x2", "ä", "_"])
        let names = ["P-017", "P017", "p017", "P017x2", "ä", "_"]
        #expect(names.map { labels[$0] } == ["P017", "P017x2", "p017x3", "P017x2x2", "unnamed", "unnamedx2"])
        #expect(labels.collisions == ["P017", "p017", "P017x2", "_"])
    }
}
