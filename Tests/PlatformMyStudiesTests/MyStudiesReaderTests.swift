// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformMyStudies

struct MyStudiesReaderTests {
    static func activity(_ steps: String, branching: Bool = true) throws -> StudyTask {
        let text = """
            {"message":"SUCCESS","activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"2.1"},
            "steps":[\(steps)]}}
            """
        return try MyStudiesReader().decode(StudySource(Array(text.utf8))).tasks[0]
    }

    static func question(_ type: String, _ format: String, key: String = "q", more: String = "") -> String {
        #"{"type":"question","resultType":"\#(type)","key":"\#(key)","title":"?","text":"detail","skippable":true,"destinations":[],"format":{\#(format)}\#(more)}"#
    }

    static func step(_ type: String, _ format: String) throws -> Step {
        try activity(question(type, format)).content.steps[0]
    }

    static let real = [
        "response-server/DYNAMICSCHEMASTUDY_FKC-74_1.0.json", "response-server/DYNAMICSCHEMASTUDY_SSM-76_1.0.json",
        "response-server/DYNAMICSCHEMASTUDY_TOH-75_1.0.json", "gcp/studymetadata-activity-response.json",
        "ios-enhancement/iOSActivity1.json", "ios-enhancement/iOSActivity2.json", "ios-enhancement/iOSActivity3.json",
        "ios-enhancement/iOSActivity5.json", "ios-enhancement/iOSActivity6.json",
    ]

    @Test(.enabled(if: Fixture.isThere, "SKIPPED: the MyStudies fixtures are not beside the project"), arguments: real)
    func realActivitiesAreRead(_ name: String) throws {
        let bytes = try #require(Fixture.read(Fixture.path("mystudies/" + name)))
        let source = StudySource(bytes)
        #expect(MyStudiesReader().recognises(source))
        let study = try MyStudiesReader().decode(source)
        #expect(!study.tasks[0].content.steps.isEmpty)
    }

    struct Kind: Sendable {
        let type: String
        let format: String
        let expected: AnswerFormat
        init(_ type: String, _ format: String, _ expected: AnswerFormat) {
            (self.type, self.format, self.expected) = (type, format, expected)
        }
    }

    /// `default` counts seconds, and the scale minutes.
    static func interval(_ format: String, at initial: Double?) -> Kind {
        Kind(
            "timeInterval", format,
            .slider(
                SliderFormat(
                    minimum: 0, maximum: 1_440, step: 1, minimumLabel: "minutes", maximumLabel: "minutes",
                    initial: initial)))
    }

    static let kinds: [Kind] = [
        Kind(
            "scale", #""minValue":1,"maxValue":10,"step":3,"minDesc":"low","maxDesc":"high""#,
            .slider(SliderFormat(minimum: 1, maximum: 10, step: 3, minimumLabel: "low", maximumLabel: "high"))),
        Kind(
            "scale", #""minValue":0,"maxValue":5,"step":0"#,
            .slider(SliderFormat(minimum: 0, maximum: 5, step: 1, minimumLabel: "", maximumLabel: ""))),
        Kind(
            "scale", #""minValue":0,"maxValue":5,"step":-2"#,
            .slider(SliderFormat(minimum: 0, maximum: 5, step: 1, minimumLabel: "", maximumLabel: ""))),
        Kind(
            "continuousScale", #""minValue":0,"maxValue":1,"maxFractionDigits":2"#,
            .slider(SliderFormat(minimum: 0, maximum: 1, step: 0.01, minimumLabel: "", maximumLabel: ""))),
        Kind(
            "continuousScale", #""minValue":0,"maxValue":1000,"maxFractionDigits":4"#,
            .number(NumberFormat(minimum: 0, maximum: 1_000, maximumFractionDigits: 4))),
        Kind(
            "textScale", #""textChoices":[{"text":"a","value":"1"},{"text":"b","value":"2"}]"#,
            .choice(
                ChoiceFormat(
                    options: [.init(value: "1", text: "a"), .init(value: "2", text: "b")], isMultiple: false))),
        // Numbers, as PopMedNet's Acivity_Question.json (f29b550) has them; Choices.java of GoogleCloudPlatform's
        // Android app (7f3ea838, line 23) is a String, which Gson reads from them.
        Kind(
            "textScale", #""textChoices":[{"text":"a","value":1},{"text":2,"value":2}]"#,
            .choice(
                ChoiceFormat(
                    options: [.init(value: "1", text: "a"), .init(value: "2", text: "2")], isMultiple: false))),
        Kind(
            "textScale", #""textChoices":[{"text":"a","value":1.0},{"text":2.50,"value":12345678901234567890}]"#,
            .choice(
                ChoiceFormat(
                    options: [.init(value: "1.0", text: "a"), .init(value: "12345678901234567890", text: "2.50")],
                    isMultiple: false))),
        Kind(
            "textChoice",
            #""selectionStyle":"Multiple","textChoices":[{"text":"a","value":"1","detail":"d"},{"text":"none","value":"0","exclusive":true}]"#,
            .choice(
                ChoiceFormat(
                    options: [.init(value: "1", text: "a. d"), .init(value: "0", text: "none", isExclusive: true)],
                    isMultiple: true))),
        Kind("boolean", "", .yesNo(yes: "Yes", no: "No")),
        Kind(
            "numeric", #""style":"Decimal","unit":"kg","minValue":2,"maxValue":99"#,
            .number(NumberFormat(minimum: 2, maximum: 99, maximumFractionDigits: 4, unit: "kg"))),
        Kind(
            "numeric", #""style":"Integer""#,
            .number(NumberFormat(minimum: 0, maximum: 10_000, maximumFractionDigits: 0))),
        Kind("date", #""style":"Date-Time""#, .dateTime(.dateTime)),
        Kind("date", #""style":"Date""#, .dateTime(.date)),
        Kind("timeOfDay", "", .dateTime(.time)),
        Kind("text", #""multipleLines":true"#, .text(multiline: true)),
        Kind("email", "", .text(multiline: false, rules: TextRules(.email))),
        Kind(
            "timeInterval", #""default":0,"step":15"#,
            .slider(
                SliderFormat(
                    minimum: 0, maximum: 1_440, step: 15, minimumLabel: "minutes", maximumLabel: "minutes", initial: 0))
        ),
        interval(#""default":3600"#, at: 60), interval(#""default":86400"#, at: 1_440),
        interval(#""default":86401"#, at: nil), interval(#""default":-1"#, at: nil),
        Kind("height", "", .number(NumberFormat(minimum: 0, maximum: 300, maximumFractionDigits: 1, unit: "cm"))),
        Kind("location", "", .position),
    ]

    /// "If you have 6 choices, 5 will indicate the 5th choice" (FDA-MyStudies/WCP 7073e8a2, questionStep.jsp:2896); both apps
    /// take one off (iOS 9091edbe, ActivityQuestionStep.swift:451; Android 371f2a2d, ScaleTextQuestion.java:169).
    @Test(arguments: [(1, "a"), (2, "b"), (3, "c")])
    func aTextScaleBeginsAtItsDefaultCountedFromOne(_ position: Int, _ value: String) throws {
        let choices = ["a", "b", "c"].map { #"{"text":"\#($0)","value":"\#($0)"}"# }.joined(separator: ",")
        let step = try Self.step("textScale", #""textChoices":[\#(choices)],"default":\#(position)"#)
        guard case .choice(let format) = step.format else {
            Issue.record("\(step.format)")
            return
        }
        #expect(format.initial == value)
    }

    @Test(arguments: kinds) func everyFormatIsRead(_ kind: Kind) throws {
        let step = try Self.step(kind.type, kind.format)
        #expect(step.format == kind.expected && step.wireName == kind.type && step.text == "?. detail")
        #expect(!step.isRequired)
    }

    /// RFC 4648 §4 has these letters alone; `/9j/` is FF D8 FF, with which a JPEG begins.
    @Test(
        arguments: [
            ("iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="),
            ("iVBO Rw0KGgo=", "data:image/png;base64,iVBORw0KGgo="),
            ("/9j/4AAQ", "data:image/jpeg;base64,/9j/4AAQ"), ("+/AZaz09", "data:image/png;base64,+/AZaz09"),
            ("data:image/gif;base64,R0lGODdh", "data:image/gif;base64,R0lGODdh"), ("iVBORw0K-ggo", nil),
            ("iVBORw0K_ggo", nil), ("https://x.org/a.png", nil), ("\u{E9}", nil), ("", nil),
        ] as [(String, String?)])
    func aPictureIsBase64OrLeftOffTheCard(_ image: String, _ address: String?) throws {
        let question = Self.question(
            "imageChoice", #""imageChoices":[{"image":"\#(image)","text":"a","value":"1"}]"#)
        let text = MyStudiesBadInputTests.file("A", "1", question)
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        guard case .choice(let choice)? = study.tasks[0].content.steps.first?.format else {
            Issue.record("no choice")
            return
        }
        #expect(choice.options.map(\.picture) == [address])
        let isSaid = study.remarks.contains { $0.kind == .unsupported && $0.message.contains("base64") }
        #expect(isSaid == (address == nil && !image.isEmpty))
    }

    struct Task: Sendable {
        let type: String
        let format: String
        let expected: ActiveTask
        init(_ type: String, _ format: String, _ expected: ActiveTask) {
            (self.type, self.format, self.expected) = (type, format, expected)
        }
    }
    static func kicks(_ seconds: Int, _ count: Int) -> ActiveTask {
        ActiveTask(KickCounterRules(duration: .seconds(seconds), count: count))
    }
    static let tasks: [Task] = [
        Task("fetalKickCounter", #""duration":3600,"kickCount":10"#, kicks(3_600, 10)),
        Task("fetalKickCounter", #""duration":"01.30""#, kicks(5_400, 200)),
        Task("fetalKickCounter", #""duration":"23:59","kickCount":99"#, kicks(86_400, 99)),
        Task("fetalKickCounter", #""duration":0,"kickCount":5"#, kicks(50, 5)),
        Task("fetalKickCounter", "", kicks(86_400, 200)),
        Task("towerOfHanoi", #""numberOfDisks":4"#, ActiveTask(TowerOfHanoiRules(disks: 4))),
        Task(
            "spatialSpanMemory",
            #""initialSpan":4,"minimumSpan":3,"maximumSpan":9,"playSpeed":0.5,"maximumTests":7,"maximumConsecutiveFailures":2,"requireReversal":true,"customTargetPluralName":"keys""#,
            ActiveTask(
                SpatialSpanRules(
                    initialSpan: 4, minimumSpan: 3, maximumSpan: 9, period: .milliseconds(500), maximumGames: 7,
                    maximumFailures: 2, requiresReversal: true, targetName: "keys"))),
    ]

    @Test(arguments: tasks) func everyActiveTaskIsRead(_ item: Task) throws {
        let text =
            #"{"type":"task","resultType":"\#(item.type)","key":"t","title":"T","text":"do it","format":{\#(item.format)}}"#
        let steps = try Self.activity(text).content.steps
        #expect(steps.map(\.key) == ["t/introduction", "t", "t/conclusion"])
        #expect(steps[1].format == .active(item.expected))
    }

    /// Seconds, or hours and minutes of old studies; what is said of them.
    @Test(
        arguments: [
            (#""duration":1,"kickCount":5"#, 1, []), (#""duration":86400,"kickCount":5"#, 86_400, []),
            (#""duration":0,"kickCount":5"#, 50, ["a duration of 0 s is counted as 50 s, as in the iOS app"]),
            (#""duration":-1,"kickCount":5"#, 50, ["a duration of -1 s is counted as 50 s, as in the iOS app"]),
            (#""duration":"00:01","kickCount":5"#, 60, [#""00:01" is read as 0 h 1 min, as old studies write it"#]),
            (
                #""duration":"00.00","kickCount":5"#, 50,
                [
                    #""00.00" is read as 0 h 0 min, as old studies write it"#,
                    "a duration of 0 s is counted as 50 s, as in the iOS app",
                ]
            ),
            (
                #""duration":"23:58","kickCount":5"#, 86_280,
                [#""23:58" is read as 23 h 58 min, as old studies write it"#]
            ),
            (
                #""duration":"24:00","kickCount":5"#, 86_400,
                [#""24:00" is read as 24 h 0 min, as old studies write it"#]
            ),
            (
                #""duration":"00.59","kickCount":5"#, 3_540,
                [#""00.59" is read as 0 h 59 min, as old studies write it"#]
            ),
            (#""duration":"","kickCount":5"#, 86_400, []),
            (#""kickCount":5"#, 86_400, ["no duration: up to a day, as the server says it"]),
        ] as [(String, Int, [String])])
    func theTimeForKicksIsReadAndWhatIsOddIsSaid(_ format: String, _ seconds: Int, _ said: [String]) throws {
        let step = #"{"type":"task","resultType":"fetalKickCounter","key":"t","text":"","format":{\#(format)}}"#
        let text = MyStudiesBadInputTests.file("A", "1", step, type: "task")
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        let steps = study.tasks[0].content.steps
        #expect(steps.first { $0.key == "t" }?.format == .active(Self.kicks(seconds, 5)))
        #expect(study.remarks.filter { $0.path.contains("steps[0]") }.map(\.message) == said)
    }

    /// `ongoing` of the server's list; without a list an activity can be done at any time.
    @Test(arguments: [
        ("One time", false), ("Ongoing", true), ("ongoing", true), ("Weekly", false), ("Monthly", false),
    ])
    func onlyAnOngoingActivityStaysInTheList(_ type: String, _ stays: Bool) throws {
        let list = MyStudiesBadInputTests.listed("A", "1.0").replacing("One time", with: type)
        let activity = MyStudiesBadInputTests.file("A", "1.0", MyStudiesBadInputTests.boolean)
        let study = try MyStudiesReader().decode(MyStudiesBadInputTests.folder(list: list, activity))
        #expect(study.tasks.map(\.isSticky) == [stays])
        #expect(try MyStudiesReader().decode(StudySource(Array(activity.utf8))).tasks.map(\.isSticky) == [true])
    }

    @Test(arguments: [
        ("a.json", #"{"activities":[]}"#, true), ("a.json", #"{"activity":{"steps":[]}}"#, true),
        ("a.json", #"{"activity":{"metadata":{}}}"#, false), ("a.json", #"{"steps":[]}"#, false),
        ("a.json", "{}", false), ("a.json", "[]", false), ("a.json", "activities", false),
        ("a.txt", #"{"activities":[]}"#, false),
    ])
    func aListOrAnActivityIsRecognised(_ name: String, _ text: String, _ isOne: Bool) {
        let file = StudySource.File(name: name, bytes: Array(text.utf8))
        #expect(MyStudiesReader().recognises(StudySource(files: [file])) == isOne)
        let other = StudySource.File(name: "b.json", bytes: Array(#"{"identifier":"S"}"#.utf8))
        #expect(MyStudiesReader().recognises(StudySource(files: [other, file])) == isOne)
    }

    /// ResearchKit's own titles (daba8c9f, `en.lproj/ResearchKit.strings`:
    /// SPATIAL_SPAN_MEMORY_TITLE, TOWER_OF_HANOI_TASK_TITLE), and that of MyStudies' iOS app
    /// (9091edbe, `FetalKickCounterTask.swift`: kFetalKickInstructionStepTitle).
    static let titles = [
        ("fetalKickCounter", "Fetal Kick Counter"), ("spatialSpanMemory", "Spatial Memory"),
        ("towerOfHanoi", "Tower of Hanoi"),
    ]

    @Test(arguments: titles, ["", #""title":"","#, #""title":" <br> ","#])
    func aTaskWithoutATitleHasThatOfThePhone(_ item: (type: String, title: String), _ title: String) throws {
        let text = #"{"type":"task","resultType":"\#(item.type)","key":"t",\#(title)"text":"do it","format":{}}"#
        let steps = try Self.activity(text).content.steps
        #expect(steps.first { $0.key == "t" }?.text == item.title)
    }

    /// The eight are what `activeTaskOptions` of the metadata server's ActivityMetaDataDao would
    /// send; it sends none, and neither app records anything while one of these tasks is done
    /// (ResearchKit's ORKOrderedTask+ORKPredefinedActiveTask.m gives the span test and the tower no
    /// `recorderConfigurations`).
    static let recorders: [(options: String, named: [String])] = [
        ("", []),
        (
            #""excludeInstructions","excludeConclusion","excludeAccelerometer","excludeDeviceMotion","excludePedometer","excludeLocation","excludeHeartRate","excludeAudio""#,
            []
        ),
        (#""excludeAudio""#, []),
        (#""accelerometer""#, ["accelerometer"]),
        (
            #""audio","location","pedometer","deviceMotion","accelerometer""#,
            ["accelerometer", "deviceMotion", "pedometer", "location", "audio"]
        ),
        (#""location","excludeLocation""#, []),
    ]

    @Test(arguments: recorders, ["towerOfHanoi", "spatialSpanMemory", "fetalKickCounter"])
    func anActiveTaskRecordsOnlyWhatItsOptionsName(_ item: (options: String, named: [String]), _ type: String) throws {
        let text =
            #"{"type":"task","resultType":"\#(type)","key":"t","text":"do it","options":[\#(item.options)],"format":{"duration":60}}"#
        let recorders = try Self.activity(text).recorders
        #expect(recorders.map(\.identifier) == item.named)
        #expect(recorders.allSatisfy { $0.startStep == "t" && $0.stopStep == "t" && $0.duration == nil })
    }

    /// Options may be absent, and iOS reads them as numbers.
    @Test(arguments: ["", #""options":null,"#, #""options":[1,2],"#])
    func withoutNamesNothingIsRecorded(_ options: String) throws {
        let text =
            #"{"type":"task","resultType":"towerOfHanoi","key":"t","text":"do it",\#(options)"format":{"numberOfDisks":3}}"#
        #expect(try Self.activity(text).recorders.isEmpty)
    }

    @Test func aQuestionnaireHasNoRecorders() throws {
        #expect(try Self.activity(Self.question("boolean", "")).recorders.isEmpty)
    }

    @Test func optionsExcludeInstructionsAndConclusion() throws {
        let text =
            #"{"type":"task","resultType":"towerOfHanoi","key":"t","text":"do it","options":["excludeInstructions","excludeConclusion"],"format":{"numberOfDisks":3}}"#
        #expect(try Self.activity(text).content.steps.map(\.key) == ["t"])
    }

    @Test(arguments: [
        #"{"type":"task","resultType":"spatialSpanMemory","key":"t","format":{"initialSpan":40,"maximumSpan":40}}"#,
        #"{"type":"task","resultType":"spatialSpanMemory","key":"t","format":{"initialSpan":1}}"#,
        #"{"type":"task","resultType":"fetalKickCounter","key":"t","format":{"duration":90000}}"#,
        #"{"type":"task","resultType":"towerOfHanoi","key":"t","format":{"numberOfDisks":0}}"#,
        #"{"type":"task","resultType":"walkingTask","key":"t","format":{}}"#,
        #"{"type":"video","resultType":"","key":"t","format":{}}"#,
        #"{"type":"question","resultType":"mood","key":"t","format":{}}"#,
        #"{"type":"question","resultType":"scale","key":"t","format":{"minValue":5,"maxValue":5}}"#,
        #"{"type":"question","resultType":"textChoice","key":"t","format":{"textChoices":[]}}"#,
        question("boolean", "", key: "a") + "," + question("boolean", "", key: "a"),
    ])
    func whatCannotBeRunIsRefusedWithItsPlace(_ steps: String) throws {
        let error = #expect(throws: StudyFormatError.self) { try Self.activity(steps) }
        #expect(error?.problems.first?.path.contains("steps[") == true, "\(String(describing: error))")
    }

    @Test func aRepeatableFormAsksForMore() throws {
        let form =
            #"{"type":"form","resultType":"grouped","key":"f","repeatable":true,"repeatableText":"Another?","destinations":[],"steps":[\#(Self.question("boolean", "", key: "a"))]}"#
        let steps = try Self.activity(form).content.steps
        #expect(steps.prefix(4).map(\.key) == ["f/a", "f/more/1", "f/2/a", "f/more/2"])
        #expect(steps.count == 19 && steps[1].text == "Another?")
        #expect(steps[2].visibleWhen?.holds(StudyFacts(answers: ["f/more/1": .boolean(true)])) == true)
        #expect(steps[2].visibleWhen?.holds(StudyFacts(answers: ["f/more/1": .boolean(false)])) == false)
    }

    @Test func anotherChoiceAsksForItsWords() throws {
        let format =
            #""selectionStyle":"Multiple","textChoices":[{"text":"a","value":"a"},{"text":"other","value":"o","other":{"placeholder":"Which?","isMandatory":true,"textfieldReq":true}}]"#
        let steps = try Self.activity(Self.question("textChoice", format)).content.steps
        #expect(steps.map(\.key) == ["q", "q/other/o"] && steps[1].text == "Which?" && steps[1].isRequired)
        #expect(steps[1].visibleWhen?.holds(StudyFacts(answers: ["q": .choices(["a", "o"])])) == true)
    }

    struct Comparison: Sendable {
        let sign: String
        let condition: String
        let answer: Double
        let holds: Bool
        let holdsInTheApp: Bool
    }
    static let comparisons: [Comparison] = [
        Comparison(sign: "gt", condition: "5", answer: 5.5, holds: true, holdsInTheApp: false),
        Comparison(sign: "gt", condition: "5", answer: 6, holds: true, holdsInTheApp: true),
        Comparison(sign: "lt", condition: "5", answer: 4.5, holds: true, holdsInTheApp: false),
        Comparison(sign: "lt", condition: "5", answer: 5, holds: false, holdsInTheApp: false),
        Comparison(sign: "gte", condition: "5", answer: 5, holds: true, holdsInTheApp: true),
        Comparison(sign: "lte", condition: "5", answer: 5, holds: true, holdsInTheApp: true),
        Comparison(sign: "e", condition: "5", answer: 5.05, holds: false, holdsInTheApp: true),
        Comparison(sign: "ne", condition: "5", answer: 5.05, holds: true, holdsInTheApp: false),
        Comparison(sign: "", condition: "2,5", answer: 5, holds: true, holdsInTheApp: true),
        Comparison(sign: "", condition: "2,5", answer: 5.5, holds: false, holdsInTheApp: false),
    ]

    @Test(arguments: comparisons) func conditionsCompareTrulyOrAsTheApp(_ item: Comparison) throws {
        for likeTheApp in [false, true] {
            let destinations = #"[{"condition":"\#(item.condition)","operator":"\#(item.sign)","destination":"b"}]"#
            let first = Self.question("numeric", #""style":"Decimal""#, key: "a")
                .replacingFirst(#""destinations":[]"#, by: #""destinations":\#(destinations)"#)
            let text = """
                {"activity":{"metadata":{"activityId":"A","version":"1"},"steps":[\(first),\(Self.question("boolean", "", key: "c")),
                \(Self.question("boolean", "", key: "b"))]}}
                """
            var source = StudySource(Array(text.utf8))
            source.options.comparesLikeTheApp = likeTheApp
            let step = try MyStudiesReader().decode(source).tasks[0].content.steps[0]
            let facts = StudyFacts(answers: ["a": .number(item.answer)])
            #expect(step.jumps[0].when.holds(facts) == (likeTheApp ? item.holdsInTheApp : item.holds), "\(item)")
            #expect(step.jumps.count == 1, "no rule fits and none is the default: the next step, as in the app")
        }
    }

    @Test func aHiddenStepIsReachedByTheLogicOfItsSource() throws {
        let logic =
            #","defaultVisibility":false,"preLoadLogic":{"value":"2:7","operator":">:&&:<","destinationStepKey":"h"}"#
        let steps = try Self.activity(
            [
                Self.question("scale", #""minValue":0,"maxValue":10"#, key: "a", more: logic),
                Self.question("boolean", "", key: "b"),
                Self.question("boolean", "", key: "h", more: #","hidden":true,"sourceQuestionKey":"a""#),
            ].joined(separator: ",")
        ).content.steps
        #expect(steps[2].visibleWhen?.holds(StudyFacts()) == false)
        #expect(steps[0].jumps.map(\.to) == [.step("h")])
        for (answer, holds) in [(2.0, false), (3, true), (6, true), (7, false)] {
            #expect(steps[0].jumps[0].when.holds(StudyFacts(answers: ["a": .number(answer)])) == holds)
        }
    }
}
