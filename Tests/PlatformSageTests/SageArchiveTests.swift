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

/// What is sent, read by others: Python's `zipfile`, and `jsonschema` with the schemas
/// that Sage published.
@Suite struct SageArchiveTests {
    /// A question with "something else", and a step after it.
    private static let other =
        #"{"type":"choiceQuestion","identifier":"q","baseType":"string","choices":[{"value":"a","text":"A"}],"other":{"type":"string"}},{"type":"instruction","identifier":"b","title":"b"}"#

    static let tapped = AnswerValue.performance(
        Performance(
            TimedStepRecord(
                uptime: .seconds(1_234), measured: .seconds(30), pauses: 0, isComplete: true,
                taps: [
                    .init(at: .milliseconds(200), side: .left, held: .milliseconds(80)),
                    .init(at: .milliseconds(400), side: .right, held: .milliseconds(90)),
                ])))

    private static func archive(
        _ names: [String], _ answers: [String: AnswerValue], zone: Zone = .utc, clockError: Double? = 0.25
    ) throws -> [UInt8] {
        let source = try #require(SageSample.fixture(names))
        let study = try SageReader().decode(source)
        var submission = SageSample.submission(study.tasks[0], answers)
        submission.clockError = clockError
        let requests = study.writer.requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study, zone: zone))
        let again = study.writer.requests(
            for: .submitted(submission), at: submission.submitted + .seconds(99),
            in: SageSample.context(study, zone: zone))
        #expect(requests == again && requests.count == 1)
        return try ArchivePacker.packed(requests[0]) { _, _ throws(FileError) in }.request.body
    }

    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        .enabled(if: SagePython.isThere, "needs Python's jsonschema; STUDYD_PYTHON may name a Python that has it"),
        .timeLimit(.minutes(10)),
        arguments: [
            (
                ["catalog-v4/SimpleSurvey.json"],
                [
                    "selectOne": AnswerValue.choices(["Bravo"]), "selectMultiple": .choices(["1", "3"]),
                    "pickANumber": .number(-1), "year": .number(1_990), "heightAndWeight/heightAdult": .number(170.5),
                ]
            ),
            (
                ["motor-control/Finger_Tapping.json", "motor-control/TappingSectionStep.json"],
                [
                    "handSelection": .choices(["both"]), "left/tapping": tapped, "right/tapping": tapped,
                ]
            ),
            (
                ["motor-control/Tremor.json", "motor-control/TremorSectionStep.json"],
                ["handSelection": .choices(["left"]), "left/tremor": tapped]
            ),
            (
                ["catalog-v4/FormStep_Picker.json"],
                [
                    "multipleInputs/date": .dateTime(LocalDateTime(LocalDate(daysSinceEpoch: 21_000), .midnight)),
                    "multipleInputs/number": .number(2), "selectOne": .choices([]),
                ]
            ),
            (["catalog-v4/Recorder_Motion.json"], [:]),
        ])
    func everyFileOfAnArchiveIsValidByThePublishedSchemas(names: [String], answers: [String: AnswerValue]) throws {
        let zone = Zone(fixed: -9_000, identifier: "NST", abbreviation: "NST")
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).zip"
        defer { unlink(path) }
        try SagePython.write(try Self.archive(names, answers, zone: zone), to: path)
        let report = try SagePython.run([SagePython.script, path, SagePython.schemas])
        #expect(report.status == 0, "\(report.output)")
        #expect(report.output.contains("metadata.json") && report.output.contains("assessmentResult.json"))
        if names[0].contains("Tapping") {
            #expect(report.output.contains("left_tapping") && report.output.contains("right_tapping"))
        }
    }

    /// RFC 9562, 4 and 5.8: hexadecimal digits in groups of 8, 4, 4, 4 and 12, the version 8 and the variant 10.
    @Test func everyRunHasItsOwnUUIDOfVersionEight() throws {
        let study = try SageSample.study(["t.json": SageSample.task(#"{"type":"instruction","identifier":"a"}"#)])
        let once = SageSample.submission(study.tasks[0], [:])
        let uuids = try (1...40).map { run in
            let submission = Submission(
                task: once.task, occurrence: once.occurrence, order: once.order, answers: [:], drawn: [],
                submitted: once.submitted, run: run)
            let requests = study.writer.requests(
                for: .submitted(submission), at: once.submitted, in: SageSample.context(study))
            return try #require(requests.first?.headers.first { $0.name == "X-Task-Run" }?.value)
        }
        #expect(Set(uuids).count == 40)
        for uuid in uuids {
            let groups = uuid.split(separator: "-")
            try #require(groups.map(\.count) == [8, 4, 4, 4, 12], "\(uuid)")
            #expect(groups.joined().allSatisfy { $0.isHexDigit && !$0.isLowercase }, "\(uuid)")
            #expect(groups[2].hasPrefix("8") && ["8", "9", "A", "B"].contains(groups[3].prefix(1)), "\(uuid)")
        }
    }

    /// Old clients' files unless the study does without them, and a tapping's where there is one: a walk with
    /// taps in its record is none.
    @Test(arguments: [("", true), (#""info":true,"#, true), (#""info":false,"#, false), (#""info":0,"#, false)])
    func anArchiveHasTheFilesThatTheStudyAsksFor(_ settings: String, _ hasOld: Bool) throws {
        let study = try SageSample.study([
            "study.json": #"{"platform":"sage","identifier":"S",\#(settings)"task":[{"file":"t.json"}]}"#,
            "t.json": SageSample.task(#"{"type":"active","identifier":"walk","title":"t","duration":9}"#),
        ])
        let submission = SageSample.submission(study.tasks[0], ["walk": Self.tapped])
        let requests = study.writer.requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
        let names = try #require(requests.first?.archive).entries.map(\.name)
        let own = ["assessmentResult.json", "metadata.json"]
        #expect(names.sorted() == (own + (hasOld ? ["answers.json", "info.json"] : [])).sorted())
    }

    /// Of two entries of one name Python's `zipfile`, as other readers, gives the last alone.
    @Test(.enabled(if: SagePython.isThere, "needs Python; STUDYD_PYTHON may name one"))
    func noTwoEntriesHaveTheSameName() throws {
        let task = SageSample.task(
            ["one", "two", "three"].map { #"{"type":"tapping","identifier":"\#($0)","title":"t","duration":10}"# }
                .joined(separator: ",")
                + #",{"type":"gonogo","identifier":"go","title":"t"},{"type":"gonogo","identifier":"again","title":"t"}"#,
            head: #""asyncActions":["#
                + ["gonogo", "gonogo_2", "metadata", "info", "answers", "assessmentResult", "motion"]
                .map { #"{"type":"motion","identifier":"\#($0)"}"# }.joined(separator: ",") + "],")
        let study = try SageSample.study(["t.json": task])
        let goNoGo = AnswerValue.performance(Performance(GoNoGoRecord(attempts: [], void: 0)))
        var submission = SageSample.submission(
            study.tasks[0],
            ["one": Self.tapped, "two": Self.tapped, "three": Self.tapped, "go": goNoGo, "again": goNoGo])
        let began = Instant(seconds: 1_795_000_000)
        submission.recorded = study.tasks[0].recorders.map {
            RunRecording(
                recorder: $0.identifier, began: began, ended: began,
                files: [
                    RunRecording.File(
                        path: "1.cwa", contentType: "application/octet-stream", bytes: 1,
                        startUptime: 1, start: began)
                ], failures: [])
        }
        let requests = study.writer.requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
        let zip = try ArchivePacker.packed(requests[0]) { _, _ throws(FileError) in }.request.body
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).zip"
        defer { unlink(path) }
        try SagePython.write(zip, to: path)
        let report = try SagePython.run([
            "-c", "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist())", path,
        ])
        let names = report.output.split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(Set(names).count == names.count && names.count == 4 + 3 + 2 + 7, "\(names)")
        #expect(names.contains("one") && names.contains("gonogo.json") && names.contains("motion.json"), "\(names)")
    }

    /// `FileResultObject` and `TappingResultObject` give their `startDate`, the identifier of their result and the path
    /// below the assessment, which gives its `endDate` (JsonModel-Swift 7b81f569, MotorControl-iOS f303936,
    /// BridgeClientKMM 164b771 and its `AssessmentArchiver.kt`).
    @Test func everyFileOfAnArchiveSaysWhatItIsOfAndWhen() throws {
        let steps =
            #"{"type":"instruction","identifier":"one","title":"a"},{"type":"section","identifier":"left","steps":[{"type":"tapping","identifier":"tapping","title":"t","duration":10}]}"#
        let study = try SageSample.study([
            "t.json": SageSample.task(steps, head: #""asyncActions":[{"type":"motion","identifier":"motion"}],"#)
        ])
        // Each step takes two seconds.
        var submission = SageSample.submission(study.tasks[0], ["left/tapping": Self.tapped])
        let began = try #require(submission.course).began
        let file = RunRecording.File(
            path: "1.cwa", contentType: "application/octet-stream", bytes: 1, startUptime: 1,
            start: began + .seconds(1))
        submission.recorded = [
            RunRecording(
                recorder: "motion", began: began + .seconds(1), ended: began + .seconds(4), files: [file], failures: [])
        ]
        let requests = study.writer.requests(
            for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
        let entries = try #require(requests.first?.archive).entries
        func files(_ name: String) throws -> [JSONPlace] {
            guard case .bytes(let bytes)? = entries.first(where: { $0.name == name })?.content else { return [] }
            return JSONPlace(root: try JSONNode(bytes)).member("files")?.elements ?? []
        }
        func words(_ file: JSONPlace, _ keys: [String]) -> String {
            keys.map { file.member($0)?.text ?? "-" }.joined(separator: " ")
        }
        let (first, second, end) = (
            SageDate.text(began + .seconds(1), .utc), SageDate.text(began + .seconds(2), .utc),
            SageDate.text(began + .seconds(4), .utc)
        )
        #expect(
            try files("metadata.json").map { words($0, ["filename", "timestamp", "identifier", "stepPath"]) } == [
                "assessmentResult.json \(end) T -", "answers.json \(end) - -",
                "left_tapping \(second) tapping left/tapping", "motion.json \(first) motion motion",
            ])
        #expect(
            try files("info.json").map { words($0, ["filename", "timestamp", "createdOn"]) } == [
                "assessmentResult.json \(end) \(end)", "answers.json \(end) \(end)",
                "left_tapping \(second) \(second)", "motion.json \(first) \(first)",
            ])
    }

    /// Hand and identifier (MotorControl-iOS f303936, `TappingResultObject.swift`:93, `MCTTappingResultObject.swift`:92);
    /// a tap's path is that of the step (`MCTTappingStepViewController.swift`:190) or, in MotorControl 2, of the
    /// recorder, which is never told of it (`MotionSensorViewModels.swift`:47 and 170).
    @Test(
        arguments: [
            ("assessment", ["left"], "left_fast", "T/left"), ("assessment", ["day", "left"], "left_fast", "T/left"),
            ("assessment", ["day"], "fast", "T/day"), ("assessment", [], "fast", "T/fast"),
            ("task", ["left"], "left_fast", "T/left/fast"), ("task", ["day"], "fast", "T/day/fast"),
        ] as [(String, [String], String, String)])
    func aTappingIsNamedByItsHandAndStep(
        type: String, sections: [String], file: String, path: String
    ) throws {
        let steps = sections.reversed().reduce(#"{"type":"tapping","identifier":"fast","title":"t","duration":10}"#) {
            #"{"type":"section","identifier":"\#($1)","steps":[\#($0)]}"#
        }
        let study = try SageSample.study(["t.json": #"{"type":"\#(type)","identifier":"T","steps":[\#(steps)]}"#])
        let key = (sections + ["fast"]).joined(separator: "/")
        let results = SageResults(
            SageSample.submission(study.tasks[0], [key: Self.tapped]), of: study.tasks[0],
            try SageSample.source(of: study), runUUID: "U", zone: .utc)
        #expect(results.tappings.map(\.name) == [file])
        let samples = JSONPlace(root: try JSONNode(Array(results.tappings[0].json.text.utf8))).member("samples")?
            .elements
        #expect(samples?.map { $0.member("stepPath")?.text } == [path, path])
    }

    /// After going back, or where it was passed over once; and with "something else", which is part of its question's
    /// answer.
    @Test(
        arguments: [
            (
                #"{"type":"tapping","identifier":"q","title":"t","duration":10},{"type":"instruction","identifier":"b","title":"b"}"#,
                ["q": tapped], ["q", "b", "q"], ["base", "base", "tapping"], #""tapCount":2"#
            ),
            (
                other, ["q": .choices(["other"]), "q/other": .text("x")], ["q", "q/other", "q", "q/other"],
                ["answer"], #""value":"x","#
            ),
            (
                other, ["q": .choices(["other"]), "q/other": .text("x")],
                ["q", "q/other", "b", "q/other", "q", "q/other"], ["answer", "base", "answer"], #""value":"x","#
            ),
            (
                other, ["q": .choices(["other"]), "q/other": .text("x")], ["q", "q/other", "b", "q/other"],
                ["answer", "base", "answer"], #""value":"x","#
            ),
            (
                #"{"type":"tapping","identifier":"q","title":"t","duration":10}"#, ["q": tapped], ["q", "q"],
                ["tapping"], #""tapCount":2"#
            ),
            (
                #"{"type":"handSelection","identifier":"q"}"#, ["q": .choices(["left"])], ["q", "q"], ["collection"],
                #""value":"left","#
            ),
        ] as [(String, [String: AnswerValue], [String], [String], String)])
    func aStepThatComesAgainHasItsAnswerTheLastTime(
        _ steps: String, _ answers: [String: AnswerValue], _ keys: [String], _ types: [String], _ answer: String
    ) throws {
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        let began = Instant(seconds: 1_795_000_000)
        let visits = keys.enumerated().map { second, key in
            RunCourse.Visit(step: key, times: StepTimes(presented: began + .seconds(second), answered: nil))
        }
        let walked = SageSample.submission(study.tasks[0], answers)
        let submission = Submission(
            task: walked.task, occurrence: walked.occurrence, order: walked.order, answers: answers,
            drawn: walked.drawn, submitted: walked.submitted,
            course: RunCourse(
                id: "e-1", began: began, ended: began + .seconds(keys.count), visits: visits, recorded: []))
        let text = SageResults(
            submission, of: study.tasks[0], try SageSample.source(of: study), runUUID: "U", zone: .utc
        ).json.text
        let history = JSONPlace(root: try JSONNode(Array(text.utf8))).member("stepHistory")?.elements ?? []
        #expect(history.map { $0.member("type")?.text } == types)
        #expect(text.contains(answer), "\(text)")
        let starts = history.map { $0.member("startDate")?.text ?? "" }
        #expect(starts == starts.sorted() && history.count { $0.member("value") != nil } <= 1, "\(text)")
    }

    /// SageResearch's archives name the innermost section alone (ddc72f18, `RSDDataArchive.swift`:201 and 222), where a
    /// later answer replaces an earlier one; BridgeClientKMM's name all (164b771, `AssessmentArchiveBuilder.swift`).
    @Test(arguments: [
        ("assessment", #"{"a_in_q":1,"b_in_q":2}"#), ("task", #"{"in_q":2}"#),
    ])
    func answersAreNamedByTheirSections(type: String, answers: String) throws {
        let sections = ["a", "b"].map {
            #"{"type":"section","identifier":"\#($0)","steps":[{"type":"section","identifier":"in","steps":[{"type":"simpleQuestion","identifier":"q","inputItem":{"type":"integer"}}]}]}"#
        }.joined(separator: ",")
        let study = try SageSample.study(["t.json": #"{"type":"\#(type)","identifier":"T","steps":[\#(sections)]}"#])
        let results = SageResults(
            SageSample.submission(study.tasks[0], ["a/in/q": .number(1), "b/in/q": .number(2)]), of: study.tasks[0],
            try SageSample.source(of: study), runUUID: "U", zone: .utc)
        #expect(JSONText.object(results.answers).text == answers)
    }

    /// A file's `metadata` may hold anything (JsonModel-Swift 7b81f569, `FileInfo`; the schema of
    /// `metadata.json`, by which the archives above are checked).
    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        .enabled(if: SagePython.isThere, "needs Python's jsonschema; STUDYD_PYTHON may name a Python that has it"),
        arguments: [(0.25, "{'clock': 'anchored', 'clockError': 0.25}"), (nil, "{'clock': 'unknown'}")]
            as [(Double?, String)])
    func anArchiveSaysHowFarOffItsTimesCanBe(error: Double?, words: String) throws {
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).zip"
        defer { unlink(path) }
        try SagePython.write(try Self.archive(["catalog-v4/SimpleSurvey.json"], [:], clockError: error), to: path)
        let script = """
            import json, sys, zipfile
            files = json.loads(zipfile.ZipFile(sys.argv[1]).read("metadata.json"))["files"]
            print([f["filename"] for f in files if "metadata" in f], files[0]["metadata"])
            """
        let report = try SagePython.run(["-c", script, path])
        #expect(report.status == 0 && report.output.contains("['assessmentResult.json'] \(words)"), "\(report.output)")
    }

    /// The shape of `AssessmentResultObject_0.json`, and of tasks with sections.
    @Test(.enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"))
    func resultsLieInTheTreeOfTheTask() throws {
        let source = try #require(
            SageSample.fixture(["motor-control/Finger_Tapping.json", "motor-control/TappingSectionStep.json"]))
        let study = try SageReader().decode(source)
        let task = study.tasks[0]
        let own = try SageSample.source(of: study)
        let submission = SageSample.submission(
            task, ["handSelection": .choices(["left"]), "left/tapping": Self.tapped])
        let root = try JSONNode(Array(SageResults(submission, of: task, own, runUUID: "U", zone: .utc).json.text.utf8))
        let history = try #require(JSONPlace(root: root).member("stepHistory")?.elements)
        let identifiers = history.map { $0.member("identifier")?.text }
        #expect(
            identifiers == [
                "introduction", "fingerTappingInstructions", "handSelection", "phoneOnTableInstruction",
                "tappingFirstHandInstruction", "left", "completion",
            ])
        let section = try #require(history.first { $0.member("type")?.text == "section" })
        let tapping = try #require(section.member("stepHistory")?.elements?.first)
        #expect(tapping.member("type")?.text == "tapping" && tapping.member("tapCount")?.integer == 2)
        #expect(tapping.member("samples")?.elements?.first?.member("stepPath")?.text == "Tapping/left/tapping")
        #expect(tapping.member("hand")?.text == "left")
        let hands = try #require(
            history.first { $0.member("type")?.text == "collection" }?.member("children")?.elements)
        #expect(hands.map { $0.member("identifier")?.text } == ["handSelection", "handOrder"])
        #expect(hands[1].member("value")?.elements?.map(\.text) == ["left"])
    }

    /// A collection's answers are named after it (SageResearch ddc72f18, `RSDDataArchive.swift`, `answerIdentifier`),
    /// and the order of the hands is one of them (MotorControl-iOS f303936, `MCTHandSelectionStepObject.swift`,
    /// `handOrderKey`); the choice itself is called `handSelection` under any step (`selectionKey`).
    @Test(arguments: [("left", ["left"]), ("right", ["right"]), ("both", ["left,right", "right,left"])])
    func theOrderOfHandsIsAmongTheAnswers(chosen: String, orders: [String]) throws {
        for (step, key) in [("handSelection", "handSelection"), ("hands", "hands_handSelection")] {
            let study = try SageSample.study([
                "t.json": SageSample.task(#"{"type":"handSelection","identifier":"\#(step)"}"#)
            ])
            let submission = SageSample.submission(study.tasks[0], [step: .choices([chosen])])
            let own = try SageSample.source(of: study)
            let results = SageResults(submission, of: study.tasks[0], own, runUUID: "U", zone: .utc)
            let expected = orders.map { #"{"\#(key)":"\#(chosen)","\#(step)_handOrder":"\#($0)"}"# }
            #expect(expected.contains(JSONText.object(results.answers).text))
            let root = JSONPlace(root: try JSONNode(Array(results.json.text.utf8)))
            let collection = root.member("stepHistory")?.elements?.first
            #expect(collection?.member("identifier")?.text == step)
            let children = collection?.member("children")?.elements?.map { $0.member("identifier")?.text }
            #expect(children == ["handSelection", "handOrder"])
        }
    }

    /// `AnswerType.json` and its examples, and what KMM's own tests say of durations (seconds) and
    /// choices that mean all.
    @Test func answersHaveTheTypesOfTheirQuestions() throws {
        let steps = #"""
            {"type":"simpleQuestion","identifier":"slept","inputItem":{"type":"duration","displayUnits":["hour","minute"]}},
            {"type":"simpleQuestion","identifier":"at","inputItem":{"type":"time"}},
            {"type":"simpleQuestion","identifier":"month","inputItem":{"type":"date","formatOptions":{"codingFormat":"yyyy-MM"}}},
            {"type":"choiceQuestion","identifier":"colours","baseType":"string","singleChoice":false,"choices":[{"value":"blue","text":"b"},{"value":"red","text":"r"},{"text":"All","selectorType":"all"},{"text":"None","selectorType":"exclusive"}],"other":{"type":"string"}},
            {"type":"choiceQuestion","identifier":"happy","baseType":"boolean","choices":[{"value":true,"text":"Yes"},{"value":false,"text":"No"}]}
            """#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        let time = LocalDateTime(LocalDate(daysSinceEpoch: 20_514), LocalTime(hour: 22, minute: 28) ?? .midnight)
        let submission = SageSample.submission(
            study.tasks[0],
            [
                "slept": .number(75), "at": .dateTime(time), "month": .dateTime(time), "colours": .choices(["All"]),
                "happy": .choices(["false"]),
            ])
        let answers = study.writer.answers(submission, in: SageSample.context(study)).text
        #expect(
            answers
                == #"{"slept":4500,"at":"22:28:00.000","month":"2026-03","colours":["blue","red"],"colours/other":null,"happy":false}"#
        )
        let own = try SageSample.source(of: study)
        let results = SageResults(submission, of: study.tasks[0], own, runUUID: "U", zone: .utc)
        #expect(
            JSONText.object(results.answers).text
                == #"{"slept":4500,"at":"22:28:00.000","month":"2026-03","colours":"blue,red","happy":false}"#)
        #expect(
            results.json.text.contains(
                #""answerType":{"type":"duration","displayUnits":["hour","minute"]},"value":4500"#))
    }

    /// `title ?? subtitle ?? detail` (SageResearch ddc72f18, `QuestionObjects.swift`:61).
    @Test(arguments: [
        (#""title":"T","subtitle":"S","detail":"D","#, "T"), (#""subtitle":"S","detail":"D","#, "S"),
        (#""detail":"D","#, "D"), ("", ""),
    ])
    func theQuestionIsNamedByItsTitle(texts: String, name: String) throws {
        let steps = #"{"type":"simpleQuestion","identifier":"q",\#(texts)"inputItem":{"type":"integer"}}"#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        let results = SageResults(
            SageSample.submission(study.tasks[0], ["q": .number(3)]), of: study.tasks[0],
            try SageSample.source(of: study), runUUID: "U", zone: .utc)
        #expect(results.json.text.contains(#""questionText":"\#(name)""#))
    }

    /// "all" ticks all that are not exclusive; what is ticked is sent where it has a value, nothing where
    /// nothing is (AssessmentModel-Swift 0d9f9dc, `ChoiceQuestionViewModel.swift`:61 and 90).
    @Test(arguments: [
        (["every"], #"["a","b","every"]"#), (["a", "every"], #"["a","b","every"]"#), (["b", "a"], #"["a","b"]"#),
        (["b"], #"["b"]"#), (["none"], #"["none"]"#), (["Else"], "[]"), ([], "null"),
    ])
    func allIsAllButWhatExcludesOthers(_ ticked: [String], _ sent: String) throws {
        let choices =
            #"{"value":"a","text":"A"},{"value":"b","text":"B"},{"value":"every","text":"All","selectorType":"all"},{"value":"none","text":"None","selectorType":"exclusive"},{"text":"Else","selectorType":"exclusive"}"#
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":false,"choices":[\#(choices)]}"#
        let study = try SageSample.study(["t.json": SageSample.task(question)])
        let submission = SageSample.submission(study.tasks[0], ["q": .choices(ticked)])
        #expect(study.writer.answers(submission, in: SageSample.context(study)).text == #"{"q":\#(sent)}"#)
    }

    /// What is left in SageResearch after the last tick was taken is an empty list; a question that was passed over
    /// has no answer (stable-2.0, `RSDChoicePickerTableItemGroup.swift`, `select`).
    @Test(
        arguments: [
            (#""type":"task","#, [], "[]"), ("", [], "[]"), ("", nil, "null"), ("", ["b"], #"["b"]"#),
            (#""type":"assessment","#, [], "null"),
        ] as [(String, [String]?, String)])
    func anEmptyListIsAnAnswerInFilesOfSageResearch(type: String, ticked: [String]?, sent: String) throws {
        let field = #"{"identifier":"q","type":"multipleChoice","choices":["a","b"],"optional":true}"#
        let form = #"{"identifier":"q","type":"form","inputFields":[\#(field)]}"#
        let study = try SageSample.study(["t.json": #"{\#(type)"identifier":"T","steps":[\#(form)]}"#])
        let submission = SageSample.submission(study.tasks[0], ticked.map { ["q": .choices($0)] } ?? [:])
        #expect(study.writer.answers(submission, in: SageSample.context(study)).text == #"{"q":\#(sent)}"#)
    }

    /// `calculateAnswer` has no answer while nothing is entered for "Other"; of one choice, "all" is one like the
    /// others.
    @Test(
        arguments: [
            ("false", ["other"], nil, "null"), ("true", ["other"], nil, "null"), ("false", ["other"], "x", #"["x"]"#),
            ("false", ["a", "other"], nil, #"["a"]"#), ("false", ["Else"], nil, "[]"),
            ("true", ["every"], nil, #""every""#),
            ("false", ["every"], nil, #"["a","every"]"#),
        ] as [(String, [String], String?, String)])
    func otherWithoutATextIsNoAnswer(_ isSingle: String, _ ticked: [String], _ text: String?, _ sent: String) throws {
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":\#(isSingle),"choices":[{"value":"a","text":"A"},{"value":"every","text":"All","selectorType":"all"},{"text":"Else"}],"other":{"type":"string"}}"#
        let study = try SageSample.study(["t.json": SageSample.task(question)])
        var answers: [String: AnswerValue] = ["q": .choices(ticked)]
        answers["q/other"] = text.map { .text($0) }
        let results = SageResults(
            SageSample.submission(study.tasks[0], answers), of: study.tasks[0], try SageSample.source(of: study),
            runUUID: "U", zone: .utc)
        #expect(results.json.text.contains(#""value":\#(sent),"#) == (sent != "null"))
        #expect(!results.json.text.contains(#""value":null"#))
    }

    /// AssessmentModel-KotlinNative e21fea3, `Nodes.kt`, `ComboBoxQuestionObject`, and `Question.kt`.
    @Test(
        arguments: [
            ("", #""one""#, ["one", "other"], .text("x"), #"["one","x"]"#), ("", #""one""#, ["one"], nil, #"["one"]"#),
            (#""singleChoice":true,"#, #""one""#, ["other"], .text("x"), #""x""#),
            (#""otherInputItem":{"type":"integer"},"#, "1", ["1", "other"], .number(7), "[1,7]"),
            (#""otherInputItem":{"type":"year"},"#, "1999", ["1999"], nil, "[1999]"),
            (#""otherInputItem":{"type":"decimal"},"#, "0.5", ["0.5"], nil, "[0.5]"),
        ] as [(String, String, [String], AnswerValue?, String)])
    func aComboBoxHasAFieldForSomethingElse(
        _ members: String, _ value: String, _ ticked: [String], _ other: AnswerValue?, _ sent: String
    ) throws {
        let question =
            #"{"type":"comboBoxQuestion","identifier":"q",\#(members)"choices":[{"value":\#(value),"text":"A"}]}"#
        let study = try SageSample.study(["t.json": SageSample.task(question)])
        #expect(study.tasks[0].content.steps.map(\.key) == ["q", "q/other"])
        var answers: [String: AnswerValue] = ["q": .choices(ticked)]
        answers["q/other"] = other
        let results = SageResults(
            SageSample.submission(study.tasks[0], answers), of: study.tasks[0], try SageSample.source(of: study),
            runUUID: "U", zone: .utc)
        #expect(results.json.text.contains(#""value":\#(sent),"#))
    }

    /// On iOS each is ticked by itself and adds its value (`ChoiceQuestionViewModel.calculateAnswer`).
    @Test(arguments: [
        (["v"], #"["v"]"#), (["v/again/2"], #"["v"]"#), (["v", "v/again/2"], #"["v","v"]"#),
        (["v/again/2/again/2"], #"["v/again/2"]"#),
    ])
    func choicesOfOneValueAreToldApartAndSentAlike(_ ticked: [String], _ sent: String) throws {
        let choices = ["v", "v", "v/again/2"].map { #"{"value":"\#($0)","text":"A"}"# }.joined(separator: ",")
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":false,"choices":[\#(choices)]}"#
        let study = try SageSample.study(["t.json": SageSample.task(question)])
        let warned = study.remarks.filter { $0.message.contains("the same value") }.map(\.path)
        #expect(warned == ["$.steps[0].choices[1]", "$.steps[0].choices[2]"])
        let submission = SageSample.submission(study.tasks[0], ["q": .choices(ticked)])
        #expect(study.writer.answers(submission, in: SageSample.context(study)).text == #"{"q":\#(sent)}"#)
    }

    /// "Something else" is part of its question's answer; a field of a form that is called the same is not.
    @Test func aFieldCalledOtherIsAnAnswer() throws {
        let form =
            #"{"type":"form","identifier":"f","inputFields":[{"identifier":"a","type":"integer"},{"identifier":"other","type":"integer"}]}"#
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","choices":[{"value":"a","text":"A"}],"other":{"type":"string"}}"#
        let study = try SageSample.study(["t.json": #"{"identifier":"T","steps":[\#(form),\#(question)]}"#])
        let submission = SageSample.submission(
            study.tasks[0],
            ["f/a": .number(1), "f/other": .number(2), "q": .choices(["other"]), "q/other": .text("x")])
        let results = SageResults(
            submission, of: study.tasks[0], try SageSample.source(of: study), runUUID: "U", zone: .utc)
        #expect(JSONText.object(results.answers).text == #"{"f_a":1,"f_other":2,"q":"x"}"#)
    }

    /// An instruction that is shown has no answer, whether the order names it or not.
    @Test func whatIsOnlyShownHasNoAnswer() throws {
        let steps = #"""
            {"type":"instruction","identifier":"hello","title":"t"},
            {"type":"simpleQuestion","identifier":"n","inputItem":{"type":"integer"}}
            """#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        let submission = SageSample.submission(study.tasks[0], ["n": .number(3)])
        #expect(submission.order.contains("hello"))
        #expect(study.writer.answers(submission, in: SageSample.context(study)).text == #"{"n":3}"#)
    }

    /// "Only the first 3 characters will be saved": `FormStep_Textfield.json` of SageResearch's
    /// branch stable-2.0.
    @Test func ofAPostalCodeThreeCharactersAreSent() throws {
        let form =
            #"{"identifier":"old","steps":[{"identifier":"postalCode","type":"form","inputFields":[{"identifier":"postalCode","type":"postalCode"}]}]}"#
        let study = try SageSample.study(["old.json": form])
        let submission = SageSample.submission(study.tasks[0], ["postalCode": .text("98101")])
        #expect(study.writer.answers(submission, in: SageSample.context(study)).text == #"{"postalCode":"981"}"#)
    }
}

/// Python as an independent reader.
enum SagePython {
    static let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
    static let script = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/archive_check.py"
    /// As Sage published them.
    static let schemas =
        "/"
        + Fixture.path("sage/mobile-client-json/README.md").split(separator: "/").dropLast().joined(separator: "/")
        + "/schemas"
    static let isThere: Bool = {
        let found = (try? run(["-c", "import jsonschema, referencing"]))?.status == 0
        if !found {
            print("SKIPPED: Python's jsonschema is not installed; STUDYD_PYTHON may name a Python that has it")
        }
        return found
    }()

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "wb"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let quoted = ([python] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let pipe = try #require(popen(quoted + " 2>&1", "r"))
        var output = ""
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, 4_096, pipe) != nil {
            output += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (pclose(pipe), output)
    }
}
