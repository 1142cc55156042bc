// SPDX-License-Identifier: Apache-2.0
import PlatformFixtures
import Study
import Testing

@testable import PlatformSage

/// Cases of SageResearch's own `SurveyRuleTests.swift` (branch release/v4): the rules of a
/// question, its answer, and the step that follows.
@Suite struct SageNavigationTests {
    static let targets = [
        "next", "lessThan", "equal", "greaterThan", "lessThanEqual", "greaterThanEqual", "notEqual", "skip", "other",
        "always",
    ]
    static let integers =
        #"{"skipToIdentifier":"lessThan","matchingAnswer":1,"ruleOperator":"lt"},{"skipToIdentifier":"equal","matchingAnswer":2,"ruleOperator":"eq"},{"skipToIdentifier":"greaterThan","matchingAnswer":3,"ruleOperator":"gt"}"#
    static let texts =
        #"{"skipToIdentifier":"lessThan","matchingAnswer":"beta","ruleOperator":"lt"},{"skipToIdentifier":"equal","matchingAnswer":"charlie","ruleOperator":"eq"},{"skipToIdentifier":"greaterThan","matchingAnswer":"delta","ruleOperator":"gt"}"#

    static let cases: [(type: String, rules: String, answer: AnswerValue?, next: String)] = [
        ("integer", integers, .number(2), "equal"), ("integer", integers, .number(0), "lessThan"),
        ("integer", integers, .number(4), "greaterThan"), ("integer", integers, .number(3), "next"),
        ("integer", integers, .number(1), "next"), ("integer", integers, nil, "next"),
        ("integer", #"{"skipToIdentifier":"equal","matchingAnswer":3}"#, .number(3), "equal"),
        ("integer", #"{"skipToIdentifier":"skip"}"#, nil, "skip"),
        ("integer", #"{"skipToIdentifier":"skip"}"#, .number(3), "next"),
        ("integer", #"{"skipToIdentifier":"skip","ruleOperator":"de"}"#, nil, "skip"),
        (
            "integer", #"{"skipToIdentifier":"lessThanEqual","matchingAnswer":1,"ruleOperator":"le"}"#, .number(1),
            "lessThanEqual"
        ),
        (
            "integer", #"{"skipToIdentifier":"greaterThanEqual","matchingAnswer":3,"ruleOperator":"ge"}"#, .number(3),
            "greaterThanEqual"
        ),
        ("integer", #"{"skipToIdentifier":"notEqual","matchingAnswer":2,"ruleOperator":"ne"}"#, .number(3), "notEqual"),
        ("integer", #"{"skipToIdentifier":"notEqual","matchingAnswer":2,"ruleOperator":"ne"}"#, .number(2), "next"),
        ("integer", #"{"skipToIdentifier":"always","ruleOperator":"always"}"#, .number(2), "always"),
        ("integer", #"{"skipToIdentifier":"always","ruleOperator":"always"}"#, nil, "always"),
        // What these two do not compare with may be anything.
        (
            "integer", #"{"skipToIdentifier":"always","matchingAnswer":"words","ruleOperator":"always"}"#, .number(2),
            "always"
        ),
        ("integer", #"{"skipToIdentifier":"skip","matchingAnswer":"words","ruleOperator":"de"}"#, nil, "skip"),
        // A double that is not quite the number is the number.
        ("number", #"{"skipToIdentifier":"equal","matchingAnswer":2.0}"#, .number(2.000_000_000_000_1), "equal"),
        (
            "number", #"{"skipToIdentifier":"greaterThan","matchingAnswer":3.0,"ruleOperator":"gt"}"#, .number(4),
            "greaterThan"
        ),
        ("string", texts, .text("charlie"), "equal"), ("string", texts, .text("alpha"), "lessThan"),
        ("string", texts, .text("gamma"), "greaterThan"), ("string", texts, .text("delta"), "next"),
        ("string", texts, .text("beta"), "next"),
        // A rule with a cohort alone leads nowhere.
        (
            "integer", #"{"cohort":"c","matchingAnswer":2},{"skipToIdentifier":"equal","matchingAnswer":2}"#,
            .number(2), "equal"
        ),
    ]

    private static func next(
        _ type: String, _ rules: String, _ answer: AnswerValue?, head: String = #""type":"assessment","#
    ) throws -> String? {
        let question =
            #"{"type":"simpleQuestion","identifier":"foo","inputItem":{"type":"\#(type)"},"surveyRules":[\#(rules)]}"#
        let rest = targets.map { #",{"type":"instruction","identifier":"\#($0)"}"# }.joined()
        let study = try SageSample.study(["t.json": #"{\#(head)"identifier":"T","steps":[\#(question + rest)]}"#])
        return SageSample.walk(study.tasks[0], answer.map { ["foo": $0] } ?? [:]).dropFirst().first
    }

    /// `matchingAnswer` is of the type of the answer (mobile-client-json, `SurveyRuleItem`).
    @Test(
        arguments: [
            ("integer", "1", nil), ("integer", "1.5", "a whole number, as the question's answers are"),
            ("integer", #""1""#, "a whole number, as the question's answers are"),
            ("integer", "[1]", "a single value, as the question has one answer"), ("number", "1.5", nil),
            ("number", #""1""#, "a number, as the question's answers are"), ("string", #""1""#, nil),
            ("string", "1", "a text, as the question's answers are"),
        ] as [(String, String, String?)])
    func aRuleComparesWithWhatCanBeAnswered(_ type: String, _ match: String, _ expected: String?) {
        let rule = #"{"skipToIdentifier":"end","matchingAnswer":\#(match)}"#
        let problems = SageSample.problems(
            SageSample.task(
                #"{"type":"simpleQuestion","identifier":"q","inputItem":{"type":"\#(type)"},"surveyRules":[\#(rule)]},"#
                    + #"{"type":"instruction","identifier":"end"}"#))
        #expect(problems.map(\.expected) == [expected].compactMap(\.self))
    }

    @Test(arguments: cases) func rulesLeadAsInSageResearch(
        type: String, rules: String, answer: AnswerValue?, next: String
    ) throws {
        let step = try Self.next(type, rules, answer)
        #expect(step == next, "\(rules)")
    }

    /// `Array.evaluateRules` of AssessmentModel (0828827) and
    /// `surveyRules?.mapNotNull { … }?.firstOrNull()` of its Kotlin take the first that holds;
    /// `evaluateSurveyRules` of SageResearch (release/v4):
    /// `skipTos.count == 1 ? skipTos.first : nil`.
    @Test(arguments: [
        (
            #"{"skipToIdentifier":"equal","matchingAnswer":2},{"skipToIdentifier":"equal","matchingAnswer":1,"ruleOperator":"gt"}"#,
            "equal"
        ),
        (
            #"{"skipToIdentifier":"equal","matchingAnswer":2},{"skipToIdentifier":"greaterThan","matchingAnswer":1,"ruleOperator":"gt"}"#,
            "equal"
        ),
        (
            #"{"skipToIdentifier":"greaterThan","matchingAnswer":1,"ruleOperator":"gt"},{"skipToIdentifier":"equal","matchingAnswer":2}"#,
            "greaterThan"
        ),
    ])
    func ofTwoRulesThatHoldTheFirstLeadsAndInOldFilesNone(rules: String, first: String) throws {
        for type in ["assessment", "walkAssessment"] {
            let step = try Self.next("integer", rules, .number(2), head: #""type":"\#(type)","#)
            #expect(step == first, "\(type)")
        }
        for head in ["", #""type":"task","#, #""type":"motorControlTask","#] {
            let step = try Self.next("integer", rules, .number(2), head: head)
            #expect(step == "next", "\(head)")
        }
    }

    /// A form of v1 to v3 leads on where its fields' rules that hold name one step, as often as they do,
    /// and by its skip button where no field was answered (SageResearch stable-3, `RSDSurveyNavigationStep.swift`:83 to
    /// 102).
    @Test(
        arguments: [
            ([:], "skipped"), (["f/a": .number(1)], "one"), (["f/b": .number(1)], "one"), (["f/a": .number(2)], "two"),
            (["f/a": .number(1), "f/b": .number(1)], "one"), (["f/a": .number(2), "f/b": .number(1)], "next"),
            (["f/a": .number(3)], "next"), (["f/b": .number(3)], "next"),
        ] as [(Answers, String)])
    func rulesOfAFormsFieldsLeadTogether(_ answers: Answers, _ step: String) throws {
        let rules =
            #"{"skipToIdentifier":"one","matchingAnswer":1},{"skipToIdentifier":"one","matchingAnswer":1,"ruleOperator":"le"},{"skipToIdentifier":"two","matchingAnswer":2}"#
        let fields = ["a", "b"].map {
            #"{"identifier":"\#($0)","type":"integer","surveyRules":[\#(rules)]}"#
        }.joined(separator: ",")
        let form =
            #"{"type":"form","identifier":"f","inputFields":[\#(fields)],"actions":{"skip":{"type":"navigation","skipToIdentifier":"skipped"}}}"#
        let rest = ["next", "one", "two", "skipped"].map { #",{"type":"instruction","identifier":"\#($0)"}"# }.joined()
        let study = try SageSample.study(["t.json": #"{"identifier":"T","steps":[\#(form + rest)]}"#])
        #expect(SageSample.walk(study.tasks[0], answers).dropFirst(2).first == step)
    }

    /// A field may be named like what is entered for "Other".
    @Test(arguments: ["a", "other"]) func anyAnsweredFieldOfAFormKeepsFromSkipping(answered: String) throws {
        let form =
            #"{"type":"form","identifier":"f","inputFields":[{"identifier":"a","type":"integer"},{"identifier":"other","type":"integer"}],"actions":{"skip":{"type":"navigation","skipToIdentifier":"skipped"}}}"#
        let rest = ["next", "skipped"].map { #",{"type":"instruction","identifier":"\#($0)"}"# }.joined()
        let study = try SageSample.study(["t.json": #"{"identifier":"T","steps":[\#(form + rest)]}"#])
        #expect(
            SageSample.walk(study.tasks[0], ["f/\(answered)": .number(1)]) == ["f/a", "f/other", "next", "skipped"])
        #expect(SageSample.walk(study.tasks[0], [:]) == ["f/a", "f/other", "skipped"])
    }

    /// Of `matchingAnswer` mobile-client-json's README says "Default is `null`", and of `ne`
    /// "`answer != matchingAnswer`".
    @Test(
        arguments: [
            ("ne", .number(3), "notEqual"), ("ne", nil, "next"), ("eq", .number(3), "next"), ("eq", nil, "notEqual"),
        ] as [(String, AnswerValue?, String)])
    func aRuleOfAnAssessmentWithoutAValueAsksWhetherItWasAnswered(
        compared: String, answer: AnswerValue?, step: String
    ) throws {
        let head =
            #""$schema":"https://sage-bionetworks.github.io/mobile-client-json/schemas/v1/AssessmentObject.json","type":"assessment","#
        let rules = #"{"skipToIdentifier":"notEqual","ruleOperator":"\#(compared)"}"#
        #expect(try Self.next("integer", rules, answer, head: head) == step)
    }

    /// What was spoken is no text that could be compared, and no question that was skipped: only
    /// `always` leads on. `RSDSurveyRule` has no such answer. For "Other" it is none of the choices.
    @Test(arguments: SageRule.Operator.allCases) func aSpokenAnswerMatchesNoRule(compared: SageRule.Operator) throws {
        let match = [.de, .always].contains(compared) ? "" : #""matchingAnswer":"m1","#
        let rules = #""surveyRules":[{\#(match)"ruleOperator":"\#(compared.rawValue)","skipToIdentifier":"there"}]"#
        let spoken = #"{"type":"simpleQuestion","identifier":"q","inputItem":{"type":"string"},\#(rules)}"#
        let other =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","choices":[{"value":"a","text":"A"}],"other":{"type":"string"},\#(rules)}"#
        let rest = #",{"type":"instruction","identifier":"here"},{"type":"instruction","identifier":"there"}"#
        let answers: [AnswerValue] = [.recording("m1"), .choices(["other"])]
        for (question, answer) in zip([spoken, other], answers) {
            let study = try SageSample.study(["t.json": SageSample.task(question + rest)])
            let walk = SageSample.walk(study.tasks[0], ["q": answer, "q/other": .recording("m1")])
            let leads = compared == .always || question == other && [.ne, .ot].contains(compared)
            #expect(walk.contains("here") != leads, "\(question)")
            #expect(walk.contains("there"))
            let isWarned = study.remarks.contains { $0.message.contains("spoken") }
            #expect(isWarned == (compared != .always), "\(study.remarks)")
        }
    }

    /// Beside a ticked choice it is one value more: AssessmentModel compares the whole list, SageResearch each.
    @Test(arguments: [
        (true, "eq", #"["a"]"#, false), (true, "ne", #"["a"]"#, true), (false, "eq", #""a""#, true),
        (false, "ot", #""a""#, false), (false, "ot", #""b""#, true),
    ])
    func whatIsSpokenForOtherIsOneMoreOfSeveralAnswers(
        isAssessment: Bool, compared: String, match: String, leads: Bool
    ) throws {
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":false,"choices":[{"value":"a","text":"A"},{"value":"b","text":"B"}],"other":{"type":"string"},"surveyRules":[{"matchingAnswer":\#(match),"ruleOperator":"\#(compared)","skipToIdentifier":"there"}]}"#
        let rest = #",{"type":"instruction","identifier":"here"},{"type":"instruction","identifier":"there"}"#
        let schema =
            #""$schema":"https://sage-bionetworks.github.io/mobile-client-json/schemas/v1/AssessmentObject.json","#
        let file = SageSample.task(question + rest, head: isAssessment ? schema : "")
        let task = try SageSample.study(["t.json": file]).tasks[0]
        let walk = SageSample.walk(task, ["q": .choices(["a", "other"]), "q/other": .recording("m1")])
        #expect(walk.contains("here") != leads, "\(walk)")
    }

    /// Numbers are not spoken, beside choices neither.
    @Test(arguments: [("", false), (#","other":{"type":"integer"}"#, false), (#","other":{"type":"string"}"#, true)])
    func onlyWordsBesideChoicesCanBeSpoken(other: String, isWarned: Bool) throws {
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","choices":[{"value":"a","text":"A"}]\#(other),"surveyRules":[{"matchingAnswer":"a","skipToIdentifier":"there"}]}"#
        let rest = #",{"type":"instruction","identifier":"here"},{"type":"instruction","identifier":"there"}"#
        let study = try SageSample.study(["t.json": SageSample.task(question + rest)])
        #expect(study.remarks.contains { $0.message.contains("spoken") } == isWarned, "\(study.remarks)")
    }

    @Test func aSpokenAnswerPutsIntoNoCohort() throws {
        let steps = #"""
            {"type":"simpleQuestion","identifier":"q","inputItem":{"type":"string"},"surveyRules":[{"matchingAnswer":"m1","cohort":"one"},{"ruleOperator":"de","cohort":"two"},{"ruleOperator":"ne","matchingAnswer":"x","cohort":"three"}]},
            {"type":"instruction","identifier":"a","beforeCohortRules":[{"requiredCohorts":["one","two","three"],"operator":"any"}]},
            {"type":"instruction","identifier":"b"}
            """#
        let task = try SageSample.study(["t.json": SageSample.task(steps)]).tasks[0]
        #expect(SageSample.walk(task, ["q": .recording("m1")]) == ["q", "a", "b"])
        #expect(SageSample.walk(task, ["q": .text("m1")]) == ["q", "b"])
    }

    /// `_moveToPreviousStep` of SageResearch takes the step that is left off the history: that it is
    /// required is then forgotten, until the way leads to it again.
    @Test func aQuestionThatWasGoneBackFromAndIsHiddenSinceIsNotAskedFor() throws {
        let steps = #"""
            {"type":"simpleQuestion","identifier":"smokes","inputItem":{"type":"string"},"surveyRules":[{"matchingAnswer":"no","cohort":"none"}]},
            {"type":"simpleQuestion","identifier":"many","inputItem":{"type":"integer"},"beforeCohortRules":[{"requiredCohorts":["none"],"operator":"any"}]},
            {"type":"simpleQuestion","identifier":"slept","inputItem":{"type":"integer"}}
            """#
        let json = SageSample.task(steps, head: #""shouldHideActions":["skip"],"#)
        let task = try SageSample.study(["t.json": json]).tasks[0]
        var navigator = Navigator(SageSample.opened(task), facts: StudyFacts())
        func key(_ move: Navigator.Move) -> String? {
            switch move {
            case .step(let step): step.key
            case .required(let step): step.key + "!"
            case .finished: nil
            }
        }
        #expect(key(navigator.start()) == "smokes" && key(navigator.answer(.text("yes"))) == "many")
        #expect(navigator.current?.isRequired == true && navigator.back()?.key == "smokes")
        #expect(key(navigator.answer(.text("no"))) == "slept")
        #expect(key(navigator.answer(.number(8))) == nil && navigator.current == nil)
        #expect(navigator.answers == ["smokes": .text("no"), "slept": .number(8)])
    }

    @Test(arguments: [
        (["a"], "eq", "a", true), (["a", "b"], "eq", "b", true), (["a"], "eq", "b", false), (["a"], "ot", "b", true),
        (["a", "b"], "ot", "b", false), (["a"], "ne", "a", false),
    ])
    func severalAnswersAreComparedByWhatIsAmongThem(ticked: [String], compared: String, match: String, leads: Bool)
        throws
    {
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":false,"choices":[{"value":"a","text":"A"},{"value":"b","text":"B"}],"surveyRules":[{"matchingAnswer":"\#(match)","ruleOperator":"\#(compared)","skipToIdentifier":"there"}]}"#
        let rest = #",{"type":"instruction","identifier":"here"},{"type":"instruction","identifier":"there"}"#
        let task = try SageSample.study(["t.json": SageSample.task(question + rest)]).tasks[0]
        #expect(SageSample.walk(task, ["q": .choices(ticked)]).dropFirst().first == (leads ? "there" : "here"))
    }

    /// AssessmentModel compares the whole answer (AssessmentModel-Swift 0d9f9dc, `SurveyRule.swift`:80 and
    /// 83: `match == answer`, `match != answer`, and `JsonElement.swift`:139 of JsonModel-Swift: `isEqual(to:)`
    /// of two `NSArray`s; AssessmentModelKMM 0828827, `SurveyRule.kt`:116 to 118: `this == jsonValue`,
    /// others `false`).
    @Test(
        arguments: [
            (["a"], "eq", #"["a"]"#, true), (["a", "b"], "eq", #"["a","b"]"#, true),
            (["a", "b"], "eq", #"["b","a"]"#, false), (["a"], "eq", #"["a","b"]"#, false),
            (["a", "b"], "eq", #"["a"]"#, false), (["a"], "eq", #""a""#, false), (["a"], "ne", #""a""#, true),
            (["a"], "ne", #"["a"]"#, false), (["b"], "ne", #"["a"]"#, true), (["b"], "gt", #"["a"]"#, false),
            (["b"], "lt", #"["c"]"#, false),
        ] as [([String], String, String, Bool)])
    func severalAnswersOfAnAssessmentAreOneList(ticked: [String], compared: String, match: String, leads: Bool) throws {
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":false,"choices":[{"value":"a","text":"A"},{"value":"b","text":"B"}],"surveyRules":[{"matchingAnswer":\#(match),"ruleOperator":"\#(compared)","skipToIdentifier":"there"}]}"#
        let rest = #",{"type":"instruction","identifier":"here"},{"type":"instruction","identifier":"there"}"#
        let head =
            #""$schema":"https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/AssessmentObject.json","#
        let study = try SageSample.study(["t.json": SageSample.task(question + rest, head: head)])
        #expect(
            SageSample.walk(study.tasks[0], ["q": .choices(ticked)]).dropFirst().first == (leads ? "there" : "here"))
        let isWarned = study.remarks.contains { $0.message.contains("several answers never equal a single value") }
        #expect(isWarned == !match.hasPrefix("["))
    }

    /// AssessmentModel-Swift 0d9f9dc, `ChoiceQuestionViewModel.swift`:74 to 90: nil unless `hasSelected`.
    @Test(arguments: [([], "there"), (["a"], "here")] as [([String], String)])
    func choicesThatAreAllUntickedAreNoAnswerInAnAssessment(ticked: [String], next: String) throws {
        let question =
            #"{"type":"choiceQuestion","identifier":"q","baseType":"string","singleChoice":false,"choices":[{"value":"a","text":"A"},{"value":"b","text":"B"}],"surveyRules":[{"ruleOperator":"eq","skipToIdentifier":"there"}]}"#
        let rest = #",{"type":"instruction","identifier":"here"},{"type":"instruction","identifier":"there"}"#
        let head =
            #""$schema":"https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/AssessmentObject.json","#
        let study = try SageSample.study(["t.json": SageSample.task(question + rest, head: head)])
        #expect(SageSample.walk(study.tasks[0], ["q": .choices(ticked)]).dropFirst().first == next)
    }

    /// The example survey of mobile-client-json's README, read out of it.
    @Test(
        .enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"),
        arguments: [
            (
                [
                    "choiceQ1": AnswerValue.choices(["1"]), "followupQ": .choices(["true"]),
                    "favoriteFood": .choices(["pizza"]),
                ],
                [
                    "overview", "choiceQ1", "simpleQ1", "followupQ", "multipleChoice", "favoriteFood", "pizza",
                    "completion",
                ]
            ),
            (
                ["choiceQ1": .choices(["2"]), "followupQ": .choices(["true"]), "favoriteFood": .choices(["sushi"])],
                ["overview", "choiceQ1", "simpleQ2", "followupQ", "multipleChoice", "favoriteFood", "completion"]
            ),
            (
                ["followupQ": .choices(["true"]), "favoriteFood": .choices(["sushi"])],
                ["overview", "choiceQ1", "followupQ", "multipleChoice", "favoriteFood", "completion"]
            ),
            (
                ["followupQ": .choices(["true"])],
                ["overview", "choiceQ1", "followupQ", "multipleChoice", "favoriteFood", "completion"]
            ),
            (
                [
                    "choiceQ1": .choices(["3"]), "followupQ": .choices(["true"]), "favoriteFood": .choices(["other"]),
                    "favoriteFood/other": .text("soup"),
                ],
                [
                    "overview", "choiceQ1", "simpleQ3", "followupQ", "multipleChoice", "favoriteFood",
                    "favoriteFood/other", "completion",
                ]
            ),
        ])
    func theSurveyOfTheREADMEIsWalkedThrough(answers: [String: AnswerValue], told: [String]) throws {
        let readme = try #require(Fixture.read(Fixture.path("sage/mobile-client-json/README.md")))
        let text = String(decoding: readme, as: UTF8.self)
        let from = try #require(text.firstRange(of: "### Example Survey\n\n```json\n"))
        let json = try #require(text[from.upperBound...].split(separator: "```").first)
        let task = try SageSample.study(["survey.json": String(json)]).tasks[0]
        #expect(SageSample.walk(task, answers) == told)
    }

    /// As ResearchKit's `audioTaskWithIdentifier` with `checkAudioLevel` goes (daba8c9f,
    /// `ORKOrderedTask+ORKPredefinedActiveTask.m`): above 0.45 the step `audio.tooloud` is
    /// presented and leads back to the countdown, else the recording follows; so it does where
    /// nothing could be measured.
    @Test(arguments: [(0.46, true), (0.45, false), (0.0, false), (nil, false)])
    func aVoiceIsRecordedOnceItIsQuiet(level: Double?, isTooLoud: Bool) throws {
        let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let json = try #require(Fixture.read(folder + "/studies/sage/phonation.json"))
        let task = try SageSample.study(["t.json": String(decoding: json, as: UTF8.self)]).tasks[0]
        var navigator = Navigator(SageSample.opened(task), facts: StudyFacts())
        func key(_ move: Navigator.Move) -> String? { if case .step(let step) = move { step.key } else { nil } }
        #expect(key(navigator.start(at: .step("countdown"))) == "countdown")
        #expect(key(navigator.answer(level.map { .number($0) })) == (isTooLoud ? "audio.tooloud" : "audio"))
        guard isTooLoud else { return }
        #expect(key(navigator.answer(nil)) == "countdown")
        #expect(key(navigator.answer(.number(0.2))) == "audio")
    }

    @Test func reservedIdentifiersLeadWhereTheySay() throws {
        func walk(_ next: String) throws -> [String] {
            let steps =
                #"{"type":"instruction","identifier":"a"},{"type":"section","identifier":"s","steps":[{"type":"instruction","identifier":"b","nextStepIdentifier":"\#(next)"},{"type":"instruction","identifier":"c"}]},{"type":"instruction","identifier":"d"}"#
            return SageSample.walk(try SageSample.study(["t.json": SageSample.task(steps)]).tasks[0])
        }
        #expect(try walk("exit") == ["a", "s/b"])
        #expect(try walk("nextSection") == ["a", "s/b", "d"])
        #expect(try walk("nextStep") == ["a", "s/b", "s/c", "d"])
        #expect(try walk("d") == ["a", "s/b", "d"])
        #expect(try walk("c") == ["a", "s/b", "s/c", "d"])
    }

    /// `RSDCohortTrackingRule.swift` of release/v4: before a step the default is to pass over it,
    /// behind it to leave the section.
    @Test(arguments: [
        (1.0, ["q", "s/b", "s/c", "d", "e"]), (2.0, ["q", "s/b", "e"]), (3.0, ["q", "s/b", "s/c", "d", "e"]),
    ])
    func cohortsLead(answer: Double, told: [String]) throws {
        let steps = #"""
            {"type":"simpleQuestion","identifier":"q","inputItem":{"type":"integer"},"surveyRules":[{"matchingAnswer":2,"cohort":"two"},{"matchingAnswer":2,"ruleOperator":"ge","cohort":"many"}]},
            {"type":"section","identifier":"s","steps":[{"type":"instruction","identifier":"b","afterCohortRules":[{"requiredCohorts":["two","many"]}]},{"type":"instruction","identifier":"c"}]},
            {"type":"instruction","identifier":"d","beforeCohortRules":[{"requiredCohorts":["two","none"],"operator":"any"},{"requiredCohorts":[]}]},
            {"type":"instruction","identifier":"e"}
            """#
        let task = try SageSample.study(["t.json": SageSample.task(steps)]).tasks[0]
        #expect(SageSample.walk(task, ["q": .number(answer)]) == told)
    }

    /// `MCTHandSelectionStepObject.swift` of MotorControl-iOS (8c9c67df): one hand alone, or both
    /// in an order that is drawn.
    @Test(.enabled(if: SageSample.hasFixtures, "needs ../shared/fixtures/sage"))
    func handsAreUsedAsTheyWereChosen() throws {
        let source = try #require(
            SageSample.fixture(["motor-control/Tremor.json", "motor-control/TremorSectionStep.json"]))
        let task = try SageReader().decode(source).tasks[0]
        let done = AnswerValue.performance(
            Performance(TimedStepRecord(uptime: .zero, measured: .zero, pauses: 0, isComplete: true, taps: [])))
        func hands(_ chosen: String, _ seed: UInt8) -> [String] {
            SageSample.walk(
                task, ["handSelection": .choices([chosen]), "left/tremor": done, "right/tremor": done], seed: seed
            ).filter { $0.hasSuffix("/tremor") }
        }
        #expect(hands("left", 1) == ["left/tremor"] && hands("right", 1) == ["right/tremor"])
        let both = Set((1...20).map { hands("both", $0) })
        #expect(both == [["left/tremor", "right/tremor"], ["right/tremor", "left/tremor"]])
        #expect(
            task.content.steps.first { $0.key == "right/instruction" }?.text.hasPrefix(
                "Hold the phone with your right hand") == true)
    }

    /// A skip button that leads somewhere ("Restart test") is what leaving the step out means.
    @Test func leavingAStepOutFollowsItsSkipButton() throws {
        let steps =
            #"{"type":"instruction","identifier":"a"},{"type":"simpleQuestion","identifier":"q","inputItem":{"type":"string"},"actions":{"skip":{"type":"navigation","skipToIdentifier":"c"}}},{"type":"instruction","identifier":"b"},{"type":"instruction","identifier":"c"}"#
        let task = try SageSample.study(["t.json": SageSample.task(steps)]).tasks[0]
        #expect(SageSample.walk(task) == ["a", "q", "c"])
        #expect(SageSample.walk(task, ["q": .text("x")]) == ["a", "q", "b", "c"])
    }

    /// Full instructions are for who has not done the task; a step that is not told is followed by
    /// what follows it.
    @Test func fullInstructionsAreToldOnce() throws {
        let steps =
            #"{"type":"instruction","identifier":"a","fullInstructionsOnly":true,"nextStepIdentifier":"c"},{"type":"instruction","identifier":"b"},{"type":"instruction","identifier":"c"}"#
        let task = try SageSample.study(["t.json": SageSample.task(steps)]).tasks[0]
        #expect(SageSample.walk(task) == ["a", "c"])
        #expect(SageSample.walk(task, facts: StudyFacts(completedTasks: ["T"])) == ["c"])
    }

    /// Back with results kept; and not back where the button is hidden (README of
    /// mobile-client-json, "Hiding Buttons").
    @Test func whoGoesBackKeepsWhatWasAnsweredAndMayNotWhereTheButtonIsHidden() throws {
        func navigator(_ head: String, _ last: String) throws -> Navigator {
            let question = #"{"type":"simpleQuestion","identifier":"q","inputItem":{"type":"integer"}}"#
            let steps =
                #"\#(question),{"type":"instruction","identifier":"a"},{"type":"instruction","identifier":"b"\#(last)}"#
            let task = try SageSample.study(["t.json": SageSample.task(steps, head: head)]).tasks[0]
            var navigator = Navigator(SageSample.opened(task), facts: StudyFacts())
            _ = navigator.start()
            _ = navigator.answer(.number(3))
            _ = navigator.answer(nil)
            return navigator
        }
        var free = try navigator("", "")
        #expect(free.current?.key == "b" && free.back()?.key == "a" && free.back()?.key == "q")
        #expect(free.answers["q"] == .number(3))
        var hidden = try navigator("", #","shouldHideActions":["goBackward"]"#)
        #expect(hidden.back() == nil && hidden.current?.key == "b")
        var everywhere = try navigator(#""shouldHideActions":["goBackward"],"#, "")
        #expect(everywhere.back() == nil)
    }

    /// `other` of a choice question is asked behind the choices, where it was chosen.
    @Test func somethingElseIsAskedWhereItWasChosen() throws {
        func task(_ more: String) throws -> StudyTask {
            let question =
                #"{"type":"choiceQuestion","identifier":"q","baseType":"string","choices":[{"value":"a","text":"A"}]\#(more)}"#
            return try SageSample.study(["t.json": SageSample.task(question)]).tasks[0]
        }
        func options(_ task: StudyTask) -> [String] {
            guard case .choice(let choices)? = task.content.steps.first?.format else { return [] }
            return choices.options.map(\.value)
        }
        let plain = try task("")
        #expect(options(plain) == ["a"] && plain.content.steps.map(\.key) == ["q"])
        let asking = try task(#","other":{"type":"string"}"#)
        #expect(options(asking) == ["a", "other"])
        #expect(SageSample.walk(asking) == ["q"], "left out")
        #expect(SageSample.walk(asking, ["q": .choices(["a"])]) == ["q"])
        #expect(SageSample.walk(asking, ["q": .choices(["other"])]) == ["q", "q/other"])
    }

    /// `ButtonActionInfo` of AssessmentModel: only an action of the type `navigation` leads to a step, and the
    /// skip button is pressed by who leaves the question out.
    @Test(
        arguments: [
            ("navigation", nil, "skip"), ("navigation", .number(1), "next"), ("default", nil, "next"),
        ] as [(String, AnswerValue?, String)])
    func aSkipButtonLeadsWhereItSays(type: String, answer: AnswerValue?, next: String) throws {
        let question =
            #"{"type":"simpleQuestion","identifier":"foo","inputItem":{"type":"integer"},"actions":{"skip":{"type":"\#(type)","skipToIdentifier":"skip"}}}"#
        let rest = Self.targets.map { #",{"type":"instruction","identifier":"\#($0)"}"# }.joined()
        let task = try SageSample.study(["t.json": SageSample.task(question + rest)]).tasks[0]
        #expect(SageSample.walk(task, answer.map { ["foo": $0] } ?? [:]).dropFirst().first == next)
    }
}
