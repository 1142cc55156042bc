// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import PlatformFixtures
import Testing

@testable import Study

struct ResultTreeTests {
    static let zone: Zone = .utc
    static let start = try! Instant(rfc3339: "2026-03-02T10:00:00.5Z")

    static func at(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    struct Never: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    static func task(_ steps: [Step]) -> StudyTask {
        StudyTask(
            key: "T", index: 0, wireName: "1.0", name: "T", prompt: PromptText(title: "T", message: ""), condition: nil,
            schedule: Never(),
            content: Questionnaire(steps))
    }

    static let options = ["red", "blue"].map { ChoiceFormat.Option(value: $0, text: $0) }
    static let steps = [
        Step(key: "hello", text: "Welcome", format: .instruction),
        Step(key: "yes", text: "Well?", format: .yesNo(yes: "Yes", no: "No")),
        Step(key: "one", text: "Which?", format: .choice(ChoiceFormat(options: options, isMultiple: false))),
        Step(key: "many", text: "Which ones?", format: .choice(ChoiceFormat(options: options, isMultiple: true))),
        Step(key: "day", text: "When?", format: .dateTime(.date)),
        Step(key: "words", text: "In your words?", format: .text(multiline: true)),
        Step(key: "left", text: "Left out?", format: .yesNo(yes: "Yes", no: "No")),
        Step(key: "tower", text: "Move", format: .active(ActiveTask(TowerOfHanoiRules(disks: 2)))),
    ]
    static let day = LocalDateTime(LocalDate(year: 2026, month: 2, day: 27)!, LocalTime(hour: 9, minute: 41)!)
    static let hanoi = HanoiRecord(
        disks: 2,
        moves: [.init(time: .zero, donor: 0, recipient: 1), .init(time: .milliseconds(1500), donor: 0, recipient: 2)],
        illegalMoves: 1, isSolved: false)
    static let answers: Answers = [
        "yes": .boolean(true), "one": .choices(["blue"]), "many": .choices(["red", "blue"]), "day": .dateTime(day),
        "words": .recording("memo-1"), "tower": .performance(Performance(hanoi)),
    ]

    static func submission(_ visits: [(String, Int, Int?)], answers: Answers = answers) -> Submission {
        let recorder = TaskRecorder(identifier: "motion", kinds: [.accelerometer, .gyroscope])
        let recording = TaskRecording(id: "r/motion/1", run: "r", task: "T", step: "hello", recorder: recorder)
        let course = RunCourse(
            id: "r", began: at(0), ended: at(60),
            visits: visits.map {
                RunCourse.Visit(step: $0.0, times: StepTimes(presented: at($0.1), answered: $0.2.map(at)))
            },
            recorded: [RunCourse.Recorded(recording: recording, began: at(0), ended: at(60))])
        let occurrence = Occurrence(
            id: "T/1", task: "T", taskIndex: 0, number: 1, local: day, due: at(0), expires: nil)
        return Submission(
            task: "T", occurrence: occurrence, order: steps.map(\.key), answers: answers, drawn: [], submitted: at(60),
            course: course)
    }

    static let files = [
        ResultTree.File(
            identifier: "motion_accelerometer", startDate: at(0), endDate: at(60), startUptime: 12.5,
            relativePath: "000042-accelerometer.cwa", contentType: "application/octet-stream")
    ]
    static let failures = [
        ResultTree.Failure(
            identifier: "motion_gyroscope", startDate: at(0), endDate: at(60), message: "no gyroscope", code: 1)
    ]

    static func tree(_ submission: Submission) throws -> JSONText {
        let memo = ResultTree.File(
            identifier: "", startDate: nil, endDate: nil, startUptime: 3, relativePath: "000041-sound.flac",
            contentType: "audio/flac")
        let tree = ResultTree(
            submission, of: task(steps), version: "1.0", runUUID: "0BE1F4C0-0000-8000-8000-000000000000", zone: zone,
            files: files, failures: failures, memos: ["memo-1": memo])
        return try #require(tree).json
    }

    static let straight: [(String, Int, Int?)] = steps.enumerated().map { ($1.key, $0 * 5, $0 * 5 + 3) }

    @Test func theTreeNamesTheRunItsTimesAndItsSteps() throws {
        let node = try JSONNode(Array(Self.tree(Self.submission(Self.straight)).text.utf8))
        #expect(node["type"]?.text == "assessment" && node["identifier"]?.text == "T")
        #expect(node["startDate"]?.text == "2026-03-02T10:00:00.500+00:00")
        #expect(node["endDate"]?.text == "2026-03-02T10:01:00.500+00:00")
        #expect(node["versionString"]?.text == "1.0")
        #expect(node["stepHistory"]?.array?.compactMap { $0["identifier"]?.text } == Self.steps.map(\.key))
        #expect(
            node["stepHistory"]?.array?.compactMap { $0["type"]?.text }
                == ["base", "answer", "answer", "answer", "answer", "file", "answer", "answer"])
    }

    @Test func answersHaveTheirKindAndWhatWasLeftOutHasNoValue() throws {
        let text = try Self.tree(Self.submission(Self.straight)).text
        for part in [
            #""answerType":{"type":"boolean"},"value":true"#, #""answerType":{"type":"string"},"value":"blue""#,
            #""answerType":{"type":"array","baseType":"string"},"value":["red","blue"]"#,
            #""answerType":{"type":"date-time","codingFormat":"yyyy-MM-dd"},"value":"2026-02-27""#,
            #""answerType":{"type":"boolean"},"questionText":"Left out?""#, #""relativePath":"000041-sound.flac""#,
            #""moves":[{"timestamp":0,"donorTowerIndex":0,"recipientTowerIndex":1},{"timestamp":1.5,"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test(arguments: [AnswerFormat.countdown(.seconds(10)), .reading(.ambient(seconds: 5))])
    func whatIsAnsweredByANumberIsOne(format: AnswerFormat) {
        let answer = ResultAnswer(.number(0.5), to: Step(key: "s", text: "", format: format))
        #expect(JSONText.object(answer.members).text == #"{"answerType":{"type":"number"},"value":0.5}"#)
    }

    @Test func whatWasRecordedIsAFileAndWhatWasNotIsAnError() throws {
        let node = try JSONNode(Array(Self.tree(Self.submission(Self.straight)).text.utf8))
        let results = try #require(node["asyncResults"]?.array)
        #expect(results.map { $0["type"]?.text } == ["file", "error"])
        #expect(results[0]["relativePath"]?.text == "000042-accelerometer.cwa")
        #expect(results[1]["errorDescription"]?.text == "no gyroscope")
    }

    @Test func aStepToldAgainReplacesItsResultOnlyWhereThatIsTheLast() throws {
        let visits: [(String, Int, Int?)] = [
            ("yes", 0, nil), ("yes", 1, 2), ("one", 3, nil), ("yes", 5, 6), ("one", 7, 8),
        ]
        let node = try JSONNode(Array(Self.tree(Self.submission(visits)).text.utf8))
        #expect(node["stepHistory"]?.array?.compactMap { $0["identifier"]?.text } == ["yes", "one", "yes", "one"])
        #expect(node["stepHistory"]?.array?.compactMap { $0["type"]?.text } == ["base", "base", "answer", "answer"])
        let directions = node["path"]?.array?.compactMap { $0["direction"]?.text }
        #expect(directions == ["forward", "forward", "forward", "backward", "forward"])
    }

    static let performances: [(Performance, String)] = [
        (
            Performance(
                SpanRecord(
                    games: [
                        .init(
                            sequence: [2, 0], targets: 4,
                            touches: [.init(time: .milliseconds(250), target: 2, isCorrect: true)], status: .timeout,
                            score: 4)
                    ], cap: nil)),
            #""gameRecords":[{"sequence":[2,0],"gameSize":4,"touchSamples":[{"timestamp":0.25,"targetIndex":2,"correct":true}],"gameStatus":3,"score":4}]"#
        ),
        (
            Performance(
                KickRecord(
                    kicks: [.seconds(1), .milliseconds(2500)], measured: .seconds(3), end: .count, count: 2,
                    duration: .seconds(3))),
            #""value":{"duration":3,"count":2,"kicks":[1,2.5]"#
        ),
    ]

    @Test(arguments: performances) func aPerformanceHasTheFieldsOfResearchKit(
        _ performance: Performance, _ expected: String
    ) throws {
        let visits: [(String, Int, Int?)] = [("tower", 0, 9)]
        let text = try Self.tree(Self.submission(visits, answers: ["tower": .performance(performance)])).text
        #expect(text.contains(expected), "\(text)")
    }

    @Test func aSubmissionWhoseCourseIsNotKnownHasNoTree() {
        let known = Self.submission([])
        let bare = Submission(
            task: "T", occurrence: known.occurrence, order: [], answers: [:], drawn: [], submitted: Self.at(0))
        #expect(ResultTree(bare, of: Self.task([]), runUUID: "", zone: .utc) == nil)
    }
}

/// Sage's own schema, judged by Python's validator.
enum SageSchema {
    static let path = Fixture.path("sage/schema/SageResearch.schema.json")
    static let hasValidator = Fixture.read(path) != nil && shell("python3 -c 'import jsonschema' 2>&1").status == 0

    static let script = """
        import json, sys, jsonschema
        schema = json.load(open(sys.argv[1]))
        tree = json.load(open(sys.argv[2]))
        kinds = {"answer": "AnswerResultObject", "file": "RSDFileResultObject", "error": "RSDErrorResultObject",
                 "collection": "RSDCollectionResultObject"}
        judge = jsonschema.validators.validator_for(schema)
        results = tree["stepHistory"] + tree["asyncResults"]
        for result in results:
            if result["type"] == "base":
                assert set(result) == {"type", "identifier", "startDate", "endDate"}, result
                continue
            rule = {"$schema": schema["$schema"], "definitions": schema["definitions"],
                    "allOf": [{"$ref": "#/definitions/" + kinds[result["type"]]}]}
            for error in judge(rule).iter_errors(result):
                sys.exit(result["identifier"] + ": " + error.message)
            if result["type"] == "answer":
                names = {"boolean": "Boolean", "string": "String", "number": "Number", "array": "Array",
                         "date-time": "DateTime", "object": "Object"}
                kind = result["answerType"]["type"]
                rule["allOf"] = [{"$ref": "#/definitions/AnswerType" + names[kind]}]
                for error in judge(rule).iter_errors(result["answerType"]):
                    sys.exit(result["identifier"] + ": " + error.message)
        print(len(results), "results")
        """

    static func shell(_ command: String) -> (output: String, status: CInt) {
        guard let pipe = popen(command, "r") else { return ("", -1) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
        return (String(decoding: bytes, as: UTF8.self), pclose(pipe))
    }

    static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        fputs(text, file)
    }

    @Suite struct Judgement {
        @Test(
            .enabled(
                if: SageSchema.hasValidator,
                "SKIPPED: no python3 with jsonschema, or Sage's schema is not beside the project"))
        func everyResultOfATreeFitsThePublishedSchema() throws {
            var template = Array("/tmp/sage-result-XXXXXX".utf8CString)
            let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
            defer { _ = SageSchema.shell("rm -r '\(folder)'") }
            try SageSchema.write(SageSchema.script, to: folder + "/judge.py")
            let tree = try ResultTreeTests.tree(ResultTreeTests.submission(ResultTreeTests.straight))
            try SageSchema.write(tree.text, to: folder + "/tree.json")
            let (output, status) = SageSchema.shell(
                "python3 -W ignore '\(folder)/judge.py' '\(SageSchema.path)' '\(folder)/tree.json' 2>&1")
            #expect(status == 0 && output == "10 results\n", "\(output)")
        }
    }
}
