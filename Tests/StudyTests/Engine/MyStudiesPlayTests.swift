// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformMyStudies
import Testing

@testable import Study

/// Every question format of FDA MyStudies, read from its JSON, answered by presses on panels of
/// one, two and five buttons, and written as the Response server reads it.
@Suite struct MyStudiesPlayTests {
    static let panels = [["button"], ["left", "right"], ["a", "b", "c", "d", "e"]].map { names in
        try! Panel(
            buttons: Panel.buttons(named: names), leds: [Panel.LED("light", .mono)], buzzer: nil, hasPosition: true,
            letters: "")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        let format: String
        /// What is answered, and what stands on the wire.
        let answers: [(AnswerValue, String)]
        /// What no presses lead to.
        let refused: [AnswerValue]
        var testDescription: String { "\(type) {\(format.prefix(50))}" }

        init(_ type: String, _ format: String, _ answers: [(AnswerValue, String)], refused: [AnswerValue] = []) {
            (self.type, self.format, self.answers, self.refused) = (type, format, answers, refused)
        }
    }

    static func at(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 9, _ minute: Int = 41) -> AnswerValue {
        .dateTime(LocalDateTime(LocalDate(year: year, month: month, day: day)!, LocalTime(hour: hour, minute: minute)!))
    }
    static let choices =
        #"{"text":"a","value":"1"},{"text":"b","value":"2"},{"text":"c","value":"3"},{"text":"none","value":"0","exclusive":true}"#

    static let cases: [Case] = [
        Case(
            "scale", #""minValue":0,"maxValue":100,"step":10,"default":30,"vertical":true"#,
            [(.number(0), "0"), (.number(30), "30"), (.number(100), "100")],
            refused: [.number(5), .number(101), .number(-10)]),
        Case("scale", #""minValue":-3,"maxValue":3"#, [(.number(-3), "-3"), (.number(0), "0")]),
        Case("scale", #""minValue":1,"maxValue":9,"step":3"#, [(.number(7), "7")], refused: [.number(9)]),
        Case(
            "continuousScale", #""minValue":0,"maxValue":5,"maxFractionDigits":1,"default":2.5"#,
            [(.number(2.5), "2.5"), (.number(0.1), "0.1"), (.number(5), "5")], refused: [.number(0.05), .number(5.1)]),
        Case(
            "continuousScale", #""minValue":0,"maxValue":1000,"maxFractionDigits":4"#,
            [(.number(999.9999), "999.9999"), (.number(0), "0")], refused: [.number(1000.5), .number(0.00001)]),
        Case(
            "textScale", #""textChoices":[\#(choices)],"default":2"#,
            [(.choices(["3"]), #""3""#), (.choices(["1"]), #""1""#)],
            refused: [.choices(["1", "2"]), .choices(["x"])]),
        Case("valuePicker", #""textChoices":[\#(choices)]"#, [(.choices(["2"]), #""2""#)]),
        Case(
            "imageChoice",
            #""imageChoices":[{"image":"iVBORw0K","selectedImage":"iVBORw0K","text":"","value":"v"},{"image":"","text":"x","value":"w"}]"#,
            [(.choices(["v"]), #""v""#), (.choices(["w"]), #""w""#)]),
        Case(
            "textChoice", #""selectionStyle":"Single","textChoices":[\#(choices)]"#,
            [(.choices(["1"]), #"["1"]"#), (.choices(["0"]), #"["0"]"#)], refused: [.choices(["1", "2"])]),
        Case(
            "textChoice", #""selectionStyle":"Multiple","textChoices":[\#(choices)]"#,
            [(.choices(["2", "1"]), #"["2","1"]"#), (.choices(["0"]), #"["0"]"#), (.choices([]), "null")],
            refused: [.choices(["1", "0"])]),
        Case("boolean", "", [(.boolean(true), "true"), (.boolean(false), "false")]),
        Case(
            "numeric", #""style":"Integer","unit":"kg","minValue":2,"maxValue":300"#, [(.number(72), "72")],
            refused: [.number(1), .number(301), .number(72.5)]),
        Case(
            "numeric", #""style":"Decimal","minValue":-1,"maxValue":1e10"#,
            [
                (.number(-0.5), "-0.5"), (.number(72.25), "72.25"), (.number(2_147_483_647), "2147483647"),
                (.number(3_000_000_000), "3000000000.0"), (.number(10_000_000_000), "10000000000.0"),
            ],
            refused: [.number(-2)]),
        Case("numeric", "", [(.number(10_000), "10000")], refused: [.number(10_001), .number(-1)]),
        Case(
            "date", #""style":"Date","minDate":"1920-01-01","dateRange":"untilCurrent""#,
            [(at(1966, 8, 13), #""1966-08-13""#), (at(2026, 2, 27), #""2026-02-27""#)], refused: [at(2026, 2, 28)]),
        // iOS 9091edbe, ActivityQuestionStep.swift:682; Android 371f2a2d, DateAnswerformatCustom.java:141-165.
        Case(
            "date", #""style":"Date","dateRange":"afterCurrent""#, [(at(2026, 2, 28), #""2026-02-28""#)],
            refused: [at(2026, 2, 27)]),
        Case(
            "date", #""style":"Date-Time","dateRange":"afterCurrent""#,
            [(at(2026, 2, 27, 9, 41), #""2026-02-27T09:41:00.000+0000""#)], refused: [at(2026, 2, 27, 9, 40)]),
        Case(
            "date",
            #""style":"Date","minDate":"2017-04-18T00:00:00.000-0400","maxDate":"2017-04-29T00:00:00.000-0400","default":"2017-04-19T00:00:00.000-0400","dateRange":"custom""#,
            [(at(2017, 4, 18), #""2017-04-18""#), (at(2017, 4, 29), #""2017-04-29""#)],
            refused: [at(2017, 4, 17), at(2017, 4, 30)]),
        Case("timeOfDay", "", [(at(2026, 2, 27, 0, 0), #""00:00:00""#), (at(2026, 2, 27, 22, 5), #""22:05:00""#)]),
        Case(
            "text", #""maxLength":5,"validationRegex":"^[A-Za-z ]+$","invalidMessage":"Letters only""#,
            [(.text("Ab c"), #""Ab c""#)], refused: [.text("abcdef"), .text("a1")]),
        Case(
            "text", #""maxLength":0,"validationRegex":"","multipleLines":true"#, [(.text("What? 42!"), #""What? 42!""#)]
        ),
        Case("email", #""placeholder":"you@…""#, [(.text("me@x.org"), #""me@x.org""#)], refused: [.text("me")]),
        Case(
            "timeInterval", #""default":3600,"step":30"#,
            [(.number(60), "1"), (.number(90), "1.5"), (.number(0), "0"), (.number(1_440), "24")],
            refused: [.number(45), .number(1_470)]),
        Case("timeInterval", "", [(.number(1), "0.016666666666666666"), (.number(20), "0.3333333333333333")]),
        Case(
            "height", #""measurementSystem":"US""#, [(.number(67.5), "171.45"), (.number(70), "177.8")],
            refused: [.number(301)]),
        Case(
            "location", #""useCurrentLocation":true"#,
            [
                (.position(latitude: 51.5, longitude: -0.12), #""51.5,-0.12""#),
                (.position(latitude: 0.00001, longitude: -179.12345678), #""0.00001,-179.1234568""#),
            ]),
    ]

    static func study(_ item: Case) throws -> StudyProtocol {
        let text = """
            {"activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"1.0"},"steps":[
            {"type":"question","resultType":"\(item.type)","key":"q","title":"?","text":"","skippable":true,"destinations":[],
            "format":{\(item.format)}},{"type":"instruction","resultType":"","key":"tail","title":"end","text":""}]}}
            """
        return try MyStudiesReader().decode(StudySource(Array(text.utf8)))
    }

    static func run(_ study: StudyProtocol, on panel: Panel) -> TaskRun {
        var run = TaskRun(
            OpenedTask(study.tasks[0], opening: 1, chance: PanelFixtures.chance), facts: StudyFacts(), id: "run",
            now: PanelFixtures.now, panel: panel, cards: CardIndex(study))
        _ = run.start(at: .zero)
        return run
    }

    /// What the wire says of a run's answers.
    static func wire(_ answers: Answers, of study: StudyProtocol) -> JSONText {
        let occurrence = Occurrence(
            id: "A/1", task: "A", taskIndex: 0, number: 1, local: PanelFixtures.now, due: Sample.start, expires: nil)
        let submission = Submission(
            task: "A", occurrence: occurrence, order: ["q"], answers: answers, drawn: [], submitted: Sample.start,
            times: ["q": StepTimes(presented: Sample.start, answered: Sample.start)])
        let context = WireContext(study: study, enrolment: Sample.enrolment(), zone: .utc, postURL: nil)
        return MyStudiesWire().answers(submission, in: context)
    }

    @Test(arguments: cases, panels) func everyFormatIsAnsweredByPressesAndWrittenAsTheServerReadsIt(
        _ item: Case, _ panel: Panel
    ) throws {
        let study = try Self.study(item)
        let step = try #require(study.tasks[0].content.steps.first)
        #expect(!PanelSupport(step, on: panel).isRefused)
        for (answer, expected) in item.answers {
            let run = Self.run(study, on: panel)
            let edges = try #require(
                PressFinder(panel).presses(for: .answer(answer), in: run, from: .zero), "\(answer) on \(panel.layout)")
            var after = PressFinderTests.follow(edges, run, panel)
            if case .position(let latitude, let longitude) = answer {
                _ = after.handle(.device(.position(latitude: latitude, longitude: longitude)), at: .zero + .seconds(60))
            }
            let given = after.answers
            #expect(given == ["q": answer] && after.current?.key == "tail")
            #expect(Self.wire(given, of: study).text == #"{"q":\#(expected)}"#, "on \(panel.layout)")
        }
        for answer in item.refused {
            let run = Self.run(study, on: panel)
            #expect(PressFinder(panel).presses(for: .answer(answer), in: run, from: .zero) == nil, "\(answer)")
        }
    }

    @Test(arguments: cases, panels) func everyFormatCanBeSkippedWhereTheStudySaysSoAndNotElsewhere(
        _ item: Case, _ panel: Panel
    ) throws {
        let study = try Self.study(item)
        let run = Self.run(study, on: panel)
        let edges = try #require(PressFinder(panel).presses(for: .leaveOut, in: run, from: .zero))
        let after = PressFinderTests.follow(edges, run, panel)
        #expect(after.answers.isEmpty && after.current?.key == "tail")
        #expect(Self.wire([:], of: study).text == #"{"q":null}"#)

        let required = Step(key: "q", text: "?", format: study.tasks[0].content.steps[0].format, isRequired: true)
        let tail = Step(key: "tail", text: "", format: .instruction)
        var strict = PanelFixtures.run(PanelFixtures.task([required, tail]), on: panel)
        _ = strict.start(at: .zero)
        let still = PressFinderTests.follow(edges, strict, panel)
        #expect(still.current?.key == "q")
    }

    /// Whatever is pressed at random, an answer comes out that the wire can say, or none.
    @Test(arguments: cases) func aScriptedHandAnswersEveryFormat(_ item: Case) throws {
        let study = try Self.study(item)
        let step = try #require(study.tasks[0].content.steps.first)
        var generator = SplitMix64(seed: 9)
        for panel in Self.panels {
            let wanted = [
                Wanted.first(step, now: PanelFixtures.now), .random(step, now: PanelFixtures.now, using: &generator),
            ]
            for wanted in wanted {
                let run = Self.run(study, on: panel)
                #expect(
                    PressFinder(panel).presses(for: wanted, in: run, from: .zero) != nil, "\(wanted) on \(panel.layout)"
                )
            }
        }
    }

    @Test func choicesThatAskForWordsAreSentWithThem() throws {
        let format =
            #""selectionStyle":"Multiple","textChoices":[{"text":"a","value":"1"},{"text":"other","value":"o","other":{"placeholder":"Which?","isMandatory":true,"textfieldReq":true}}]"#
        let study = try Self.study(Case("textChoice", format, []))
        for panel in Self.panels {
            var run = Self.run(study, on: panel)
            for wanted: Wanted in [.answer(.choices(["1", "o"])), .answer(.text("me too"))] {
                let edges = try #require(PressFinder(panel).presses(for: wanted, in: run, from: .zero))
                run = PressFinderTests.follow(edges, run, panel)
            }
            #expect(run.current?.key == "tail")
            #expect(Self.wire(run.answers, of: study).text == #"{"q":["1",{"other":"o","text":"me too"}]}"#)
        }
    }

    @Test func aProposedPlaceIsWhereChoosingBegins() throws {
        func firstCue(_ type: String, _ format: String, _ panel: Panel) throws -> Cue? {
            var run = Self.run(try Self.study(Case(type, format, [])), on: panel)
            let effects = run.handle(.gesture(.next, repeats: 0), at: .zero)
            return TaskRunTests.cues(effects).first
        }
        let scale = #""minValue":0,"maxValue":100,"step":1,"default":35"#
        #expect(try firstCue("scale", scale, Self.panels[0]) == .position("30"), "the tens from 30 on, then 35")
        #expect(try firstCue("scale", scale, Self.panels[2]) == .position("36"))
        #expect(try firstCue("scale", #""minValue":0,"maxValue":10,"default":4"#, Self.panels[1]) == .position("4"))
        #expect(
            try firstCue("scale", #""minValue":0,"maxValue":10"#, Self.panels[1]) == .position("5"), "in the middle")
        #expect(try firstCue("timeInterval", #""default":3600,"step":15"#, Self.panels[2]) == .position("75"))
        let texts = #""textChoices":[\#(Self.choices)],"default":2"#
        #expect(try firstCue("textScale", texts, Self.panels[0]) == .option(2, text: "b", isTicked: nil))
    }
}
