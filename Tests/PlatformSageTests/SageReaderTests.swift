// SPDX-License-Identifier: Apache-2.0
import PlatformFixtures
import Study
import Testing

@testable import PlatformSage

@Suite struct SageReaderTests {
    /// Sage's own files (`../shared/fixtures/sage/SOURCES.md` says from where), each with the
    /// keys of its steps.
    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        arguments: [
            (
                ["catalog-v4/SimpleSurvey.json"],
                [
                    "selectOne", "selectMultiple", "pickANumber", "year", "heightAndWeight/heightAdult",
                    "heightAndWeight/weightInfant",
                ]
            ),
            (["catalog-v4/FormStep_List.json"], ["selectOne", "selectMultiple", "imageList"]),
            (
                ["catalog-v4/FormStep_Picker.json"],
                [
                    "selectOne", "imageList", "multipleInputs/date", "multipleInputs/number",
                    "heightAndWeight/heightAdult", "heightAndWeight/weightInfant",
                ]
            ),
            (["catalog-v4/FormStep_Textfield.json"], ["pickANumber", "year"]),
            (
                ["catalog-v4/Recorder_Motion.json"],
                ["introduction", "shaker/instruction", "shaker/countdown", "shaker/motion", "completion"]
            ),
            (
                ["catalog-v4/Recorder_Microphone.json"],
                ["introduction", "shaker/instruction", "shaker/countdown", "shaker/motion", "completion"]
            ),
            (["catalog-v4/Recorder_Distance.json"], ["run/instruction", "run/countdown", "run/walk", "completion"]),
            (
                ["motor-control/Tremor.json", "motor-control/TremorSectionStep.json"],
                [
                    "introduction", "handSelection", "holdPhoneInstructions", "sitDownInstruction", "left/instruction",
                    "left/tremor", "right/instruction", "right/tremor", "completion",
                ]
            ),
            (
                ["motor-control/Finger_Tapping.json", "motor-control/TappingSectionStep.json"],
                [
                    "introduction", "fingerTappingInstructions", "handSelection", "phoneOnTableInstruction",
                    "tappingFirstHandInstruction-left", "left/tapping", "right/tapping", "completion",
                ]
            ),
            (["mobile-client-json/examples/v2/AssessmentObject/AssessmentObject_0.json"], ["favoriteColor"]),
        ])
    func tasksOfSageAreReadUnmodified(names: [String], told: [String]) throws {
        let source = try #require(SageSample.fixture(names))
        #expect(SageReader().recognises(source))
        let task = try #require(try SageReader().decode(source).tasks.first)
        // The seed is one with which the left hand is drawn first.
        let seed = try #require(
            (1...40).first { (seed: UInt8) in
                SageSample.opened(task, seed: seed).presets.allSatisfy { $0.hasSuffix("left") }
            })
        let performed = AnswerValue.performance(
            Performance(TimedStepRecord(uptime: .zero, measured: .zero, pauses: 0, isComplete: true, taps: [])))
        var answers: [String: AnswerValue] = ["handSelection": .choices(["both"])]
        for step in task.content.steps { if case .active = step.format { answers[step.key] = performed } }
        #expect(SageSample.walk(task, answers, seed: seed) == told)
    }

    /// Every example of a step, an input and an action that Sage publishes (`examples/v2` of
    /// mobile-client-json).
    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        arguments: [
            "Node/ChoiceQuestionStepObject_0", "Node/CompletionStepObject_0", "Node/CountdownStepObject_0",
            "Node/InstructionStepObject_0", "Node/OverviewStepObject_0", "Node/PermissionStepObject_0",
            "Node/SectionObject_0", "Node/SimpleQuestionStepObject_0", "TextInputItem/DoubleTextInputItemObject_0",
            "TextInputItem/DurationTextInputItemObject_0", "TextInputItem/IntegerTextInputItemObject_0",
            "TextInputItem/StringTextInputItemObject_0", "TextInputItem/TimeTextInputItemObject_0",
            "TextInputItem/YearTextInputItemObject_0", "AsyncActionConfiguration/AudioRecorderConfigurationObject_0",
            "AsyncActionConfiguration/DistanceRecorderConfigurationObject_0",
            "AsyncActionConfiguration/MotionRecorderConfigurationObject_0",
            "AsyncActionConfiguration/MotionRecorderConfigurationObject_1",
            "AsyncActionConfiguration/WeatherConfigurationObject_0",
        ])
    func everyPublishedExampleIsRead(name: String) throws {
        let path = Fixture.path("sage/mobile-client-json/examples/v2/\(name).json")
        let example = String(decoding: try #require(Fixture.read(path)), as: UTF8.self)
        // The steps that examples of actions name.
        let steps = ["countdown", "run", "rest", "step1", "step3"].map {
            #"{"type":"instruction","identifier":"\#($0)"}"#
        }
        let task =
            if name.hasPrefix("Node") {
                SageSample.task(example)
            } else if name.hasPrefix("TextInputItem") {
                SageSample.task(#"{"type":"simpleQuestion","identifier":"q","inputItem":\#(example)}"#)
            } else {
                SageSample.task(steps.joined(separator: ","), head: #""asyncActions":[\#(example)],"#)
            }
        let read = try SageSample.study(["t.json": task]).tasks[0]
        #expect(!read.content.steps.isEmpty)
        #expect(read.recorders.isEmpty == (!name.hasPrefix("Async") || name.contains("Weather")))
    }

    /// A comma behind the last element is in published files of Sage; nothing else that JSON does
    /// not allow is read.
    @Test func aCommaBehindTheLastElementIsReadWithAWarning() throws {
        let lines = [
            "{", #""identifier":"T","#, #""type":"assessment","#, #""steps":[{"type":"instruction","identifier":"a","#,
            "},", "],", "}",
        ]
        let text = lines.joined(separator: "\n")
        let study = try SageSample.study(["t.json": text])
        let warned = study.remarks.filter { $0.message.contains("comma") }
        #expect(warned.map(\.line) == [4, 5, 6] && warned.allSatisfy { $0.kind == .warning })
        #expect(study.tasks[0].content.steps.map(\.key) == ["a"])
    }

    @Test(arguments: ["[,]", "[1,,]", "{,}", #"{"a":1,,}"#, "[1 2]", "[1,", "[1,]]", "{'a':1}", "[1,] // x", "[01,]"])
    func nothingElseThatIsNoJSONIsRead(text: String) {
        let task =
            #"{"type":"assessment","identifier":"T","comment":\#(text),"steps":[{"type":"instruction","identifier":"a"}]}"#
        #expect(SageSample.problems(task).count == 1, "\(text)")
    }

    @Test(arguments: [
        (#""nextStepIdentifer":"b""#, "nextStepIdentifier"), (#""Title":"x""#, "title"), (#""tilte":"x""#, "title"),
        (#""shouldHideAction":["skip"]"#, "shouldHideActions"), (#""surveyRule":[]"#, "surveyRules"),
        (#""fullInstructionOnly":true"#, "fullInstructionsOnly"),
    ])
    func aMisspeltKeyIsWarnedOf(member: String, meant: String) throws {
        let steps = #"{"type":"instruction","identifier":"a",\#(member)},{"type":"instruction","identifier":"b"}"#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        let warned = study.remarks.filter { $0.message.contains("is not read; is \"\(meant)\" meant?") }
        #expect(warned.count == 1 && warned[0].kind == .warning && warned[0].path.hasPrefix("$.steps[0]"))
    }

    /// Keys that the author chose are no mistakes, and what is said at which second is no key.
    @Test func anUnknownKeyThatIsLikeNoneIsNot() throws {
        let steps =
            #"{"type":"active","identifier":"a","duration":9,"myLab":{"x1":1},"spokenInstructions":{"start":"s","5":"t"}}"#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        #expect(!study.remarks.contains { $0.message.contains("is not read") }, "\(study.remarks)")
    }

    @Test(arguments: ["nan", "-nan", "nan(1)", "inf", "-infinity", "1e400", "soon"])
    func aSecondOfASpokenInstructionIsAFiniteNumber(key: String) {
        let step =
            #"{"type":"active","identifier":"a","duration":10,"spokenInstructions":{"start":"s","\#(key)":"Go"}}"#
        let problems = SageSample.problems(SageSample.task(step))
        #expect(problems.map(\.found) == [key], "\(problems)")
    }

    /// Of the first step, where it is one that lasts.
    private static func timedStep(of study: StudyProtocol) -> TimedStepRules? {
        guard case .active(let active)? = study.tasks[0].content.steps.first?.format else { return nil }
        return active.rules as? TimedStepRules
    }

    @Test(
        arguments: [
            ("1", 1), ("60", 60), ("0", nil), ("61", nil), ("-1", nil), ("1.5", nil), ("ten", nil),
        ] as [(String, Int?)])
    func aSpokenCountdownIsOfOneToSixtySeconds(text: String, seconds: Int?) throws {
        let step =
            #"{"type":"active","identifier":"a","duration":90,"spokenInstructions":{"countdown":"\#(text)"}}"#
        guard let seconds else {
            let problems = SageSample.problems(SageSample.task(step))
            return #expect(problems.map(\.path) == ["$.steps[0].spokenInstructions.countdown"])
        }
        let study = try SageSample.study(["t.json": SageSample.task(step)])
        let rules = try #require(Self.timedStep(of: study))
        #expect(rules.countedSeconds == seconds && rules.lines.isEmpty)
    }

    @Test func theSettingsSayWhatTheStudyIs() throws {
        let task = SageSample.task(#"{"type":"instruction","identifier":"a"}"#)
        let settings = #"""
            {"identifier":"S","version":"1.4","name":"N","instructions":"I","contact_email":"a@b.org",
            "contact_url":"https://b.org","ethics":"E","consent":"C","destination":"https://d.org/","task":[{"file":"t.json"}]}
            """#
        let study = try SageSample.study(["study.json": settings, "t.json": task])
        #expect(study.studyID == "S" && study.version == "1.4" && study.postURL == "https://d.org/")
        let texts = study.texts
        #expect(texts.name == "N" && texts.instructions == "I" && texts.ethics == "E" && texts.consent == "C")
        #expect(texts.contactEmail == "a@b.org" && texts.contactURL == "https://b.org")
        let alone = try SageSample.study(["t.json": task])
        #expect(alone.studyID == "T" && alone.version == nil && alone.postURL == nil && alone.texts.name.isEmpty)
    }

    /// A task may lie in a file of any name, as long as there are no settings.
    @Test func withoutAListOfTasksEveryTaskIsRead() throws {
        func task(_ name: String) -> String {
            #"{"type":"assessment","identifier":"\#(name)","steps":[{"type":"instruction","identifier":"a"}]}"#
        }
        let bare = try SageSample.study(["a.json": task("A"), "study.json": task("B")])
        #expect(bare.tasks.map(\.key) == ["A", "B"] && bare.studyID == "A")
        let settings = #"{"platform":"sage","identifier":"S"}"#
        let study = try SageSample.study(["a.json": task("A"), "b.json": task("B"), "study.json": settings])
        #expect(study.tasks.map(\.key) == ["A", "B"] && study.studyID == "S")
    }

    /// `stringEncodingFormat` of MobilePassiveData-SDK (ab5a11d, `MotionRecorder.swift`, `DistanceRecorder.swift`).
    @Test(arguments: [("motion", true), ("motion", false), ("distance", true)])
    func aTableOfTheAppIsSaidToBeJSONHere(type: String, isTable: Bool) throws {
        let task = SageSample.task(
            #"{"type":"instruction","identifier":"a"}"#,
            head: #""asyncActions":[{"identifier":"x","type":"\#(type)","usesCSVEncoding":\#(isTable)}],"#)
        let said = try SageSample.study(["t.json": task]).remarks.filter { $0.message.contains("CSV") }
        #expect(said.map(\.path) == (isTable ? ["$.asyncActions[0].usesCSVEncoding"] : []))
    }

    /// What `distance` and `microphone` of SageResearch do otherwise on a phone.
    @Test(arguments: [
        ("distance", "", TaskRecorder.Kind.position, true), ("microphone", "", .sound, false),
        ("microphone", #","saveAudioFile":false"#, .sound, false),
        ("microphone", #","saveAudioFile":true"#, .sound, true),
    ])
    func whatAnActionRecordsInAnotherWayIsSaid(type: String, more: String, kind: TaskRecorder.Kind, isSaid: Bool)
        throws
    {
        let task = SageSample.task(
            #"{"type":"instruction","identifier":"a"}"#,
            head: #""asyncActions":[{"identifier":"x","type":"\#(type)"\#(more)}],"#)
        let study = try SageSample.study(["t.json": task])
        #expect(study.tasks[0].recorders.map(\.kinds) == [[kind]])
        let said = study.remarks.filter { $0.path == "$.asyncActions[0]" }.map(\.kind)
        #expect(said == (isSaid ? [.assumption] : []))
    }

    /// Every key of `study.toml` is this program's own.
    @Test func anUnknownKeyOfTheSettingsIsWarnedOf() throws {
        let settings =
            #"{"platform":"sage","identifier":"S","colour":1,"destinaton":"x","task":[{"file":"t.json","expire":"2h"}]}"#
        let study = try SageSample.study([
            "study.json": settings, "t.json": SageSample.task(#"{"type":"instruction","identifier":"a"}"#),
        ])
        let warned = study.remarks.map(\.message).filter { $0.contains("is not read") }
        #expect(
            warned == [
                "\"colour\" is not read", "\"destinaton\" is not read; is \"destination\" meant?",
                "\"expire\" is not read; is \"expires\" meant?",
            ])
    }

    /// One letter too few, too many, wrong or swapped; two in a key of eight letters or more. Of keys of four letters
    /// none is meant.
    @Test(
        arguments: [
            ("expirs", "expires"), ("expir", nil), ("plaftorm", "platform"), ("plattform", "platform"),
            ("plattfom", "platform"), ("Platform", "platform"), ("destnaton", "destination"), ("destnatn", nil),
            ("fil", nil), ("dayz", nil),
        ] as [(String, String?)])
    func aKeyIsTakenForTheOneThatIsNear(_ key: String, _ meant: String?) throws {
        let study = try SageSample.study([
            "study.json": #"{"platform":"sage","identifier":"S","\#(key)":1,"task":[{"file":"t.json"}]}"#,
            "t.json": SageSample.task(#"{"type":"instruction","identifier":"a"}"#),
        ])
        let warned = study.remarks.map(\.message).filter { $0.contains("is not read") }
        #expect(warned == ["\"\(key)\" is not read" + (meant.map { "; is \"\($0)\" meant?" } ?? "")])
    }

    /// Of an instruction, a timed step, a question, a task and a choice.
    @Test(arguments: [
        #"{"type":"instruction","identifier":"a","title":"t"%}"#,
        #"{"type":"active","identifier":"a","title":"t","duration":9%}"#,
        #"{"type":"simpleQuestion","identifier":"a","title":"t","inputItem":{"type":"integer"}%}"#,
        #"{"type":"gonogo","identifier":"a","title":"t"%}"#,
        #"{"type":"choiceQuestion","identifier":"a","baseType":"string","choices":[{"value":"b","text":"b"%}]}"#,
    ])
    func aPictureThatIsNotShownIsNamed(_ step: String) throws {
        for picture in ["", #","image":{"type":"fetchable","imageName":"x"}"#] {
            let study = try SageSample.study(["t.json": SageSample.task(step.replacing("%", with: picture))])
            let said = study.remarks.contains { $0.message.contains("the picture is not shown") }
            #expect(said == !picture.isEmpty)
        }
    }

    @Test func aFileNamesTheFilesThatItNeeds() {
        let text = SageSample.task(
            #"{"type":"transform","identifier":"a","resourceName":"one"},{"type":"transform","identifier":"b","resourceTransformer":{"resourceName":"x/two.json"}}"#
        )
        let file = StudySource.File(name: "t.json", bytes: Array(text.utf8))
        #expect(SageReader().companions(of: file) == ["one.json", "two.json"])
        #expect(SageReader().companions(of: .init(name: "t.json", bytes: [1])).isEmpty)
    }

    /// A task that another one names is not offered by itself.
    @Test func aTaskWithinATaskIsOne() throws {
        let outer =
            #"{"identifier":"O","steps":[{"type":"subtask","identifier":"s","taskTransformer":{"resourceName":"inner"}}]}"#
        let inner = #"{"identifier":"I","steps":[{"type":"instruction","identifier":"a"}]}"#
        #expect(throws: Never.self) { try SageSample.study(["outer.json": outer, "inner.json": inner]) }
        let study = try SageSample.study(["outer.json": outer, "inner.json": inner])
        #expect(study.tasks.map(\.key) == ["O"])
    }

    /// `distance` counts the way in its `motionStepIdentifier`
    /// (`RSDDistanceRecorderConfiguration.swift` of stable-3), which has to be a step.
    @Test func theMovingStepOfADistanceIsKnown() throws {
        let steps = #"{"type":"instruction","identifier":"rest"},{"type":"active","identifier":"walk","duration":9}"#
        func action(_ step: String) -> String {
            SageSample.task(
                steps,
                head: #""asyncActions":[{"identifier":"d","type":"distance","motionStepIdentifier":"\#(step)"}],"#)
        }
        let own = try SageSample.source(of: SageSample.study(["t.json": action("walk")]))
        #expect(own.actions["d"]?.motionStep == "walk")
        #expect(SageSample.problems(action("gone")).map(\.path) == ["$.asyncActions[0].motionStepIdentifier"])
    }

    /// `relativeDistanceOnly` of the same is true unless the file says otherwise.
    @Test(arguments: [
        ("", true), (#","relativeDistanceOnly":true"#, true), (#","relativeDistanceOnly":false"#, false),
    ])
    func aDistanceTellsNoPlacesUnlessAskedFor(more: String, isRelativeOnly: Bool) throws {
        let task = SageSample.task(
            #"{"type":"instruction","identifier":"a"}"#,
            head: #""asyncActions":[{"identifier":"d","type":"distance"\#(more)}],"#)
        let own = try SageSample.source(of: SageSample.study(["t.json": task]))
        #expect(own.actions["d"]?.isRelativeOnly == isRelativeOnly)
    }

    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        arguments: ["catalog-v4/TaskGroups.json", "passive-data/motion_record_gyro.json"])
    func whatIsNoJSONIsRefused(name: String) throws {
        let source = try #require(SageSample.fixture([name]))
        #expect(!SageReader().recognises(source))
        #expect(throws: StudyFormatError.self) { try SageReader().decode(source) }
    }

    /// A file alone is meant as the task, whatever it says it is. (The first type is that of MindKind-Android's
    /// 2C_Daily.json, the second that of files which a task names.)
    @Test(arguments: [
        (#"{"type":"conversationSurvey","identifier":"T","steps":[]}"#, "$.type", "\"conversationSurvey\""),
        (#"{"type":"section","identifier":"T","steps":[]}"#, "$.type", "\"section\""),
        (#"{"type":"assessment","steps":[]}"#, "$.identifier", "nothing: `identifier` is missing"),
    ])
    func aFileAloneThatIsNoTaskSaysWhatItIs(text: String, path: String, found: String) {
        let problems = SageSample.problems(text)
        #expect(problems.map(\.path) == [path] && problems.map(\.found) == [found], "\(problems)")
    }

    /// Of files without a task the first with steps says what is there.
    @Test func filesWithoutATaskSayWhatTheyAre() throws {
        let files = [
            "A.json": #"{"identifier":"A","items":[]}"#,
            "B.json": #"{"identifier":"B","type":"conversationSurvey","steps":[]}"#,
        ]
        let source = StudySource(files: files.map { .init(name: $0.key, bytes: Array($0.value.utf8)) })
        #expect(SageReader().recognises(source))
        let error = #expect(throws: StudyFormatError.self) { try SageSample.study(files) }
        #expect(
            error?.description
                == #"$: expected at least one task, found none (B.json is of the type "conversationSurvey")"#
        )
    }

    /// Of several files the one that is not JSON is named, whether the study is its own or not.
    @Test func theFileThatIsNoJSONIsNamed() {
        let files = ["a.json": SageSample.task(#"{"type":"instruction","identifier":"a"}"#), "b.json": "{\n'b'}"]
        let error = #expect(throws: StudyFormatError.self) { try SageSample.study(files) }
        #expect(error?.problems.map(\.path) == ["b.json:$"] && error?.problems.first?.line == 2)
    }

    @Test(arguments: [
        (#"{"type":"frobnicate","identifier":"a"}"#, "$.steps[0].type"),
        (#"{"identifier":"a"}"#, "$.steps[0].type"),
        (#"{"type":"instruction"}"#, "$.steps[0].identifier"),
        (#"{"type":"instruction","identifier":"a"},{"type":"overview","identifier":"a"}"#, "$.steps[1]"),
        (#"{"type":"instruction","identifier":"a","nextStepIdentifier":"nowhere"}"#, "$.steps[0].nextStepIdentifier"),
        (
            #"{"type":"instruction","identifier":"a"},{"type":"instruction","identifier":"b","nextStepIdentifier":"a"}"#,
            "$.steps[1].nextStepIdentifier"
        ),
        (#"{"type":"instruction","identifier":"a","nextStepIdentifier":""}"#, "$.steps[0].nextStepIdentifier"),
        (#"{"type":"instruction","identifier":"a","nextStepIdentifier":7}"#, "$.steps[0].nextStepIdentifier"),
        (
            #"{"type":"simpleQuestion","identifier":"a","inputItem":{"type":"string"},"actions":{"skip":{"type":"navigation","skipToIdentifier":""}}}"#,
            "$.steps[0].actions.skip.skipToIdentifier"
        ),
        (#"{"type":"handSelection","identifier":"a"},{"type":"handSelection","identifier":"b"}"#, "$.steps[1]"),
        (
            #"{"type":"transform","identifier":"a","resourceTransformer":{"resourceName":"gone"}}"#,
            "$.steps[0].resourceTransformer"
        ),
        (#"{"type":"active","identifier":"a","duration":"long"}"#, "$.steps[0].duration"),
        (#"{"type":"active","identifier":"a","duration":99999}"#, "$.steps[0].duration"),
        (#"{"type":"active","identifier":"a","duration":5,"commands":["jump"]}"#, "$.steps[0].commands[0]"),
        (#"{"type":"simpleQuestion","identifier":"a","inputItem":{"type":"colour"}}"#, "$.steps[0].inputItem.type"),
        (
            #"{"type":"simpleQuestion","identifier":"a","inputItem":{"type":"integer"},"surveyRules":[{"matchingAnswer":"x","skipToIdentifier":"exit"}]}"#,
            "$.steps[0].surveyRules[0].matchingAnswer"
        ),
        (
            #"{"type":"simpleQuestion","identifier":"a","inputItem":{"type":"integer"},"surveyRules":[{"matchingAnswer":1,"skipToIdentifier":"gone"}]}"#,
            "$.steps[0].surveyRules[0]"
        ),
        (
            #"{"type":"simpleQuestion","identifier":"a","inputItem":{"type":"integer"},"surveyRules":[{"matchingAnswer":1,"ruleOperator":"xx"}]}"#,
            "$.steps[0].surveyRules[0].ruleOperator"
        ),
        (
            #"{"type":"choiceQuestion","identifier":"a","baseType":"integer","choices":[{"value":"x","text":"X"}]}"#,
            "$.steps[0].choices[0].value"
        ),
        (
            #"{"type":"choiceQuestion","identifier":"a","choices":["x"],"other":{"type":"colour"}}"#,
            "$.steps[0].other.type"
        ),
        (
            #"{"type":"multipleInputQuestion","identifier":"a","inputItems":[{"type":"colour","identifier":"x"}]}"#,
            "$.steps[0].inputItems[0].type"
        ),
        (
            #"{"type":"form","identifier":"a","inputFields":[{"type":"colour","identifier":"x"}]}"#,
            "$.steps[0].inputFields[0].type"
        ),
        (
            #"{"type":"section","identifier":"a","steps":[{"type":"imaginary","identifier":"b"}]}"#,
            "$.steps[0].steps[0].type"
        ),
    ])
    func whatIsWrongIsNamedByItsPath(steps: String, path: String) {
        let problems = SageSample.problems(SageSample.task(steps))
        #expect(problems.map(\.path).contains(path), "\(problems)")
    }

    @Test func aTaskWithoutStepsIsNamed() {
        let files = [
            "study.json": #"{"identifier":"S","task":[{"file":"t.json"}]}"#,
            "t.json": #"{"type":"assessment","identifier":"T"}"#,
        ]
        let error = #expect(throws: StudyFormatError.self) { try SageSample.study(files) }
        let paths = error?.problems.map(\.path) ?? []
        #expect(paths.count == 1 && paths[0].hasSuffix("$.steps"), "\(paths)")
    }

    @Test(arguments: [
        (
            ["study.json": #"{"platform":"sage","identifier":"S"}"#], "study.toml:$",
            "at least one task file beside study.toml", "none"
        ),
        (
            ["study.json": #"{"identifier":"S","task":[]}"#, "t.json": SageSample.task("")], "study.toml:$.task",
            "a table `[[task]]` for each task, or no list: then every task file is one", "an array of 0"
        ),
        (
            ["study.json": #"{"type":"survey","identifier":"S","steps":[]}"#, "t.json": "{}"], "$", "at least one task",
            #"none (study.json is of the type "survey")"#
        ),
    ])
    func aStudyWithoutTasksSaysWhatIsThere(
        _ files: [String: String], _ path: String, _ expected: String, _ found: String
    ) {
        let error = #expect(throws: StudyFormatError.self) { try SageSample.study(files) }
        #expect(error?.problems.map(\.path) == [path])
        #expect(error?.problems.map(\.expected) == [expected] && error?.problems.map(\.found) == [found])
    }

    @Test func aSectionInAFileNamedStudyIsNotTheSettings() throws {
        let section = #"{"type":"section","identifier":"x","steps":[{"type":"instruction","identifier":"b"}]}"#
        let transform = #"{"type":"transform","identifier":"a","resourceTransformer":{"resourceName":"study"}}"#
        let study = try SageSample.study(["study.json": section, "t.json": SageSample.task(transform)])
        #expect(study.studyID == "T" && study.tasks.map { $0.content.steps.map(\.key) } == [["a/b"]])
    }

    @Test func anInstructionIsNotSkipped() throws {
        let steps =
            #"{"type":"instruction","identifier":"a","actions":{"skip":{"type":"navigation","skipToIdentifier":"c"}}},{"type":"instruction","identifier":"b"},{"type":"instruction","identifier":"c"}"#
        let study = try SageSample.study(["t.json": SageSample.task(steps)])
        #expect(SageSample.walk(study.tasks[0]) == ["a", "b", "c"])
        let said = study.remarks.filter { $0.kind == .unsupported }.map(\.path)
        #expect(said == ["$.steps[0].actions.skip.skipToIdentifier"])
    }

    /// What is said at the end is said; a step of ten seconds has no eleventh.
    @Test(arguments: [("10", true), ("9.999", true), ("10.001", false), ("11", false), ("0", true)])
    func whatWouldBeSaidBehindTheEndIsNot(second: String, isSaid: Bool) throws {
        let step = #"{"type":"active","identifier":"a","duration":10,"spokenInstructions":{"\#(second)":"Go"}}"#
        let study = try SageSample.study(["t.json": SageSample.task(step)])
        let rules = try #require(Self.timedStep(of: study))
        #expect(rules.lines.map(\.text) == (isSaid ? ["Go"] : []))
        #expect(study.remarks.contains { $0.message.hasPrefix("the step is over by then") } == !isSaid)
    }

    /// The title of the file, else that of its overview, wherever it is.
    @Test(arguments: [
        (#""title":"Mine","#, #"{"type":"overview","identifier":"o","title":"Over"}"#, "Mine"),
        ("", #"{"type":"overview","identifier":"o","title":"Over"}"#, "Over"),
        (
            "",
            #"{"type":"instruction","identifier":"a","title":"First"},{"type":"overview","identifier":"o","title":"Over"}"#,
            "Over"
        ),
        ("", #"{"type":"instruction","identifier":"a","title":"First"}"#, "T"),
    ])
    func aTaskIsCalledByItsTitle(head: String, steps: String, name: String) throws {
        #expect(try SageSample.study(["t.json": SageSample.task(steps, head: head)]).tasks[0].name == name)
    }

    /// `MCTHandSelectionStepObject` of MotorControl-iOS (8c9c67df).
    @Test func aHandMustBeChosen() throws {
        let task = try SageSample.study([
            "t.json": SageSample.task(#"{"type":"handSelection","identifier":"h"}"#)
        ]).tasks[0]
        let step = try #require(task.content.steps.first { $0.key == "h" })
        guard case .choice(let choices) = step.format else {
            Issue.record("no choice")
            return
        }
        #expect(choices.options.map(\.value) == ["left", "right", "both"])
        #expect(step.isRequired && !choices.isMultiple)
    }

    private static let digits = "MII" + String(repeating: "A", count: 298)

    /// RFC 7468: base 64 between its two lines; the DER of a certificate is a long sequence, 30 82 (X.690, 8.1.3).
    @Test(
        arguments: [
            (["-----BEGIN CERTIFICATE-----", digits, "-----END CERTIFICATE-----"], true),
            (["-----BEGIN CERTIFICATE-----", digits + "+/==", "-----END CERTIFICATE-----", ""], true),
            (["Subject: x", "-----BEGIN CERTIFICATE-----", digits + "09", "az", "-----END CERTIFICATE-----"], true),
            (["-----BEGIN CERTIFICATE-----", String(digits.dropLast()), "-----END CERTIFICATE-----"], false),
            (["-----BEGIN CERTIFICATE-----", "MIX" + digits, "-----END CERTIFICATE-----"], false),
            (["-----BEGIN CERTIFICATE-----", digits + "!", "-----END CERTIFICATE-----"], false),
            (["-----BEGIN CERTIFICATE-----", digits + "-", "-----END CERTIFICATE-----"], false),
            (["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"], false),
            (["-----BEGIN CERTIFICATE-----", digits], false), ([digits, "-----END CERTIFICATE-----"], false),
            (["-----END CERTIFICATE-----", digits, "-----BEGIN CERTIFICATE-----"], false), ([], false),
        ] as [([String], Bool)])
    func aCertificateLooksLikeOne(lines: [String], isOne: Bool) throws {
        let text = lines.joined(separator: "\\n")
        let files = [
            "study.json": #"{"identifier":"S","certificate":"\#(text)","task":[{"file":"t.json"}]}"#,
            "t.json": SageSample.task(#"{"type":"instruction","identifier":"a"}"#),
        ]
        if isOne {
            #expect(throws: Never.self) { try SageSample.study(files) }
        } else {
            let error = #expect(throws: StudyFormatError.self) { try SageSample.study(files) }
            #expect(error?.problems.map(\.path) == ["study.toml:$.certificate"])
        }
    }

    @Test func anUnknownStepIsNamed() {
        let found = SageSample.problems(SageSample.task(#"{"type":"frobnicate","identifier":"here"}"#)).map(\.found)
        #expect(found.contains { $0.contains("frobnicate") && $0.contains("here") })
    }

    @Test func anAsyncActionOfAnUnknownKindIsRefusedAndTheWeatherIsLeftOut() throws {
        let steps = #"{"type":"instruction","identifier":"a"}"#
        let bad = SageSample.task(steps, head: #""asyncActions":[{"identifier":"x","type":"smell"}],"#)
        #expect(SageSample.problems(bad).map(\.path) == ["$.asyncActions[0].type"])
        let good = SageSample.task(
            steps,
            head:
                #""asyncActions":[{"identifier":"w","type":"weather","startStepIdentifier":"a","services":[]},{"identifier":"m","type":"motion"}],"#
        )
        let study = try SageSample.study(["t.json": good])
        #expect(study.tasks[0].recorders.map(\.identifier) == ["m"])
        #expect(study.tasks[0].recorders[0].kinds == [.accelerometer, .gyroscope])
        #expect(study.remarks.contains { $0.kind == .unsupported && $0.path == "$.asyncActions[0]" })
    }

    /// Files of mPower 2 of 2018 have such sections. `RSDTask.asyncActionsToStart(at:isFirstStep:)` and
    /// `RSDTaskObject.validate()` of SageResearch: only a task's actions need their start step.
    @Test func anActionOfASectionNamesAStepThatIsElsewhere() throws {
        let countdown = #"{"type":"countdown","identifier":"countdown","duration":5}"#
        let actions =
            #"{"identifier":"lost","type":"motion","startStepIdentifier":"countdown"},{"identifier":"kept","type":"motion","startStepIdentifier":"motion","stopStepIdentifier":"rest"}"#
        let section =
            #"{"type":"section","identifier":"walk","steps":[{"type":"active","identifier":"motion","duration":30}],"asyncActions":[\#(actions)]}"#
        let study = try SageSample.study(["t.json": #"{"identifier":"T","steps":[\#(countdown),\#(section)]}"#])
        #expect(study.tasks[0].recorders.map(\.identifier) == ["walk_kept"])
        #expect(study.tasks[0].recorders.first?.stopStep == "walk/motion")
        #expect(
            study.remarks.filter { $0.kind == .warning }.map(\.path) == [
                "$.steps[1].asyncActions[0].startStepIdentifier", "$.steps[1].asyncActions[1].stopStepIdentifier",
            ])
        let ofTask =
            #"{"identifier":"T","asyncActions":[\#(actions)],"steps":[{"type":"instruction","identifier":"a"}]}"#
        #expect(
            SageSample.problems(ofTask).map(\.path) == [
                "$.asyncActions[0].startStepIdentifier", "$.asyncActions[1].startStepIdentifier",
            ])
    }

    /// A transformer that names itself, and a certificate that is none.
    @Test func circlesOfFilesAndCertificatesThatAreNoneAreRefused() {
        let files = [
            "study.json": #"{"identifier":"S","certificate":"hello","task":[{"file":"t.json"}]}"#,
            "t.json": SageSample.task(
                #"{"type":"transform","identifier":"a","resourceTransformer":{"resourceName":"r"}}"#),
            "r.json": #"{"type":"transform","identifier":"a","resourceTransformer":{"resourceName":"r"}}"#,
        ]
        do {
            _ = try SageSample.study(files)
            Issue.record("was read")
        } catch let error as StudyFormatError {
            #expect(error.problems.contains { $0.path == "study.toml:$.certificate" })
            #expect(error.problems.contains { $0.expected.contains("themselves") || $0.found.contains("loop") })
        } catch { Issue.record("\(error)") }
    }

    /// A folder gives `study.toml` as `study.json`: a task file of that name would vanish.
    @Test func aTaskFileNamedStudyBesideTheSettingsIsRefused() {
        let files = [
            ("study.json", SageSample.task(#"{"type":"instruction","identifier":"a","title":"t"}"#)),
            ("study.json", #"{"identifier":"S","task":[{"file":"walk.json"}]}"#),
            ("walk.json", SageSample.task(#"{"type":"instruction","identifier":"b","title":"t"}"#)),
        ].map { StudySource.File(name: $0.0, bytes: Array($0.1.utf8)) }
        let error = #expect(throws: StudyFormatError.self) { try SageReader().decode(StudySource(files: files)) }
        #expect(error?.problems.map(\.path) == ["study.toml:$"])
        #expect("\(String(describing: error))".contains("study.json beside study.toml"))
    }

    /// Forms of v1 to v3: `RSDFormDataType.swift` and `RSDInputFieldObject.swift` of SageResearch's
    /// branch stable-3.
    @Test func formsOfOldAreQuestionsOfTheirFields() throws {
        let form = #"""
            {"identifier":"old","steps":[{"identifier":"form","type":"form","title":"About you","inputFields":[
              {"identifier":"age","type":"integer","prompt":"Your age","optional":false,"range":{"minimumValue":18,"maximumValue":99}},
              {"identifier":"smoker","type":"boolean","prompt":"Do you smoke?"},
              {"identifier":"food","type":"multipleChoice.string","choices":["pizza","sushi"]},
              {"identifier":"mood","type":"singleChoice.integer","choices":[{"value":1,"text":"good"},{"value":2,"text":"bad"}]},
              {"identifier":"born","type":"date"},{"identifier":"slept","type":"duration"}]},
              {"identifier":"bye","text":"Thank you"}]}
            """#
        let task = try SageSample.study(["old.json": form]).tasks[0]
        #expect(
            task.content.steps.map(\.key) == [
                "form/age", "form/smoker", "form/food", "form/mood", "form/born", "form/slept", "bye",
            ])
        #expect(task.content.steps[0].isRequired && task.content.steps[0].text == "About you. Your age")
        guard case .number(let age) = task.content.steps[0].format else {
            Issue.record("no number")
            return
        }
        #expect(age.minimum == 18 && age.maximum == 99 && age.maximumFractionDigits == 0)
    }

    /// `RSDFormUIStepObject.swift` and `RSDInputFieldObject.swift` of SageResearch before 6095c45e: fields have a
    /// `dataType`, and a form without `inputFields` is a field itself, called like the step.
    @Test func aFormOf2018IsItsOnlyField() throws {
        let task = #"""
            {"identifier":"old","steps":[
              {"identifier":"mood","type":"form","title":"How are you?","dataType":"singleChoice.integer","optional":false,
               "choices":[{"value":1,"text":"good"},{"value":2,"text":"bad"}],
               "surveyRules":[{"skipToIdentifier":"bye","matchingAnswer":1}]},
              {"identifier":"more","type":"form","title":"Colours","inputFields":[
               {"dataType":"multipleComponent","optional":true,"choices":[["blue","red"],["dog","cat"]]},
               {"identifier":"age","dataType":"integer","optional":true,"prompt":"Your age"}]},
              {"identifier":"bye","type":"instruction","title":"Thank you"}]}
            """#
        let study = try SageSample.study(["old.json": task])
        let steps = study.tasks[0].content.steps
        #expect(steps.map(\.key) == ["mood", "more/more-1", "more/more-2", "more/age", "bye"])
        #expect(steps.map(\.text) == ["How are you?", "Colours", "Colours", "Colours. Your age", "Thank you"])
        #expect(SageSample.walk(study.tasks[0], ["mood": .choices(["1"])]) == ["mood", "bye"])
        #expect(SageSample.walk(study.tasks[0], ["mood": .choices(["2"])]).count == 5)
        let submission = SageSample.submission(study.tasks[0], ["mood": .choices(["1"])])
        #expect(study.writer.answers(submission, in: SageSample.context(study)).text.hasPrefix(#"{"mood":1,"#))
        #expect(study.remarks.isEmpty)
    }

    /// Steps of SageResearch 3 (`RSDStepType.imagePicker`, `.demographics`) of which a device without a screen
    /// has only the words.
    @Test(arguments: ["imagePicker", "demographics"]) func ofAStepOfPicturesTheTextIsGiven(type: String) throws {
        let study = try SageSample.study([
            "t.json": SageSample.task(#"{"type":"\#(type)","identifier":"a","title":"Which one?"}"#)
        ])
        #expect(SageSample.walk(study.tasks[0]) == ["a"])
        let remark = try #require(study.remarks.first { $0.path == "$.steps[0]" })
        #expect(remark.kind == .unsupported && remark.message.contains("pictures"))
    }
}
