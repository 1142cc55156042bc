// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformMyStudies

/// The ways through an activity: destinations, forms, hidden steps, other activities,
/// answers in texts.
@Suite struct MyStudiesActivityTests {
    static func question(_ key: String, _ type: String = "boolean", _ format: String = "", _ more: String = "")
        -> String
    {
        MyStudiesBadInputTests.question(type, format, more, key: key)
    }
    static func form(_ key: String, _ questions: [String], _ more: String = "") -> String {
        #"{"type":"form","resultType":"grouped","key":"\#(key)","steps":[\#(questions.joined(separator: ","))]\#(more)}"#
    }
    static func to(_ key: String) -> String {
        #","destinations":[{"condition":"","operator":"","destination":"\#(key)"}]"#
    }
    static func steps(_ steps: String...) throws -> [Step] {
        try MyStudiesReaderTests.activity(steps.joined(separator: ",")).content.steps
    }

    /// The way taken from a step with these answers; nil = to the next in order.
    static func way(_ key: String, _ steps: [Step], _ answers: Answers = [:]) -> Jump.Destination? {
        steps.first { $0.key == key }?.jumps.first { $0.when.holds(StudyFacts(answers: answers)) }?.to
    }

    @Test func aDestinationLeadsIntoAFormAndToTheIntroductionOfATask() throws {
        let towers =
            #"{"type":"task","resultType":"towerOfHanoi","key":"t","text":"do it","format":{"numberOfDisks":3}}"#
        let steps = try Self.steps(
            Self.question("a", "boolean", "", Self.to("f")), Self.question("b", "boolean", "", Self.to("t")),
            Self.form("f", [Self.question("x")]), towers)
        #expect(Self.way("a", steps) == .step("f/x") && Self.way("b", steps) == .step("t/introduction"))
    }

    /// `branching` of the list; a server that does not say it has an activity without.
    @Test(arguments: [("true", true), ("false", false), ("null", false)])
    func destinationsAreFollowedWhereTheListSaysSo(branching: String, isFollowed: Bool) throws {
        let steps = [Self.question("a", "boolean", "", Self.to("z")), Self.question("b"), Self.question("z")]
        let list = MyStudiesBadInputTests.listed("A", "1.0").replacing(
            #""branching":true"#, with: #""branching":\#(branching)"#)
        let study = try MyStudiesReader().decode(
            MyStudiesBadInputTests.folder(
                list: list, MyStudiesBadInputTests.file("A", "1.0", steps.joined(separator: ","))))
        #expect(Self.way("a", study.tasks[0].content.steps) == (isFollowed ? .step("z") : nil))
    }

    /// A later step and the end are ways on; the step itself and what is before it are ways back.
    @Test(arguments: [("a", true), ("b", true), ("c", false), ("", false)])
    func onlyAWayBackIsRemarkedOn(_ key: String, _ isBack: Bool) throws {
        let steps = [Self.question("a"), Self.question("b", "boolean", "", Self.to(key)), Self.question("c")]
        let text = MyStudiesBadInputTests.file("A", "1", steps.joined(separator: ","))
        let remarks = try MyStudiesReader().decode(StudySource(Array(text.utf8))).remarks.filter {
            $0.message.hasPrefix("leads back")
        }
        #expect(remarks.map(\.path) == (isBack ? ["$.activity.steps[1].destinations[0].destination"] : []))
    }

    /// A task is announced where there is something to say, and thanked for, unless its options
    /// exclude that (`ORKPredefinedTaskOption`).
    @Test(arguments: [
        ("do it", "", ["t/introduction", "t", "t/conclusion"]), ("", "", ["t", "t/conclusion"]),
        ("do it", #""excludeInstructions""#, ["t", "t/conclusion"]),
        ("do it", #""excludeConclusion""#, ["t/introduction", "t"]),
    ])
    func aTaskIsAnnouncedWhereThereIsSomethingToSay(_ text: String, _ options: String, _ keys: [String]) throws {
        let task =
            #"{"type":"task","resultType":"towerOfHanoi","key":"t","title":"","text":"\#(text)","options":[\#(options)],"format":{"numberOfDisks":3}}"#
        #expect(try Self.steps(task).map(\.key) == keys)
    }

    /// GoogleCloudPlatform/fda-mystudies 7f3ea838, study-datastore ActivityMetaDataDao.java:552 and 1679
    /// (`escapeHtml4`), and iOS CustomInstructionStepViewController.swift:71-88.
    @Test(arguments: [
        (
            "&lt;p&gt;Sit &lt;b&gt;still&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Tom&amp;nbsp;&amp;amp; I&lt;/p&gt;",
            "Sit still. Tom & I"
        ),
        ("<p>Sit <b>still</b>.</p><p>if &lt; 5</p>", "Sit still. if < 5"), ("if &lt; 5 &amp; &gt; 3", "if < 5 & > 3"),
    ])
    func tagsWrittenAsReferencesAreNotReadAloud(_ text: String, _ spoken: String) throws {
        let instruction = #"{"type":"instruction","resultType":"","key":"i","title":"","text":"\#(text)"}"#
        let task =
            #"{"type":"task","resultType":"towerOfHanoi","key":"t","text":"\#(text)","format":{"numberOfDisks":3}}"#
        #expect(try Self.steps(instruction, task).prefix(2).map(\.text) == [spoken, spoken])
    }

    @Test func aRepeatedFormLeadsOnWhereverNoMoreIsWanted() throws {
        let steps = try Self.steps(
            Self.form("f", [Self.question("x")], #","repeatable":true"# + Self.to("z")), Self.question("b"),
            Self.question("z"))
        #expect(Self.way("f/more/1", steps, ["f/more/1": .boolean(false)]) == .step("z"))
        #expect(Self.way("f/more/1", steps) == .step("z"), "left out")
        #expect(Self.way("f/more/1", steps, ["f/more/1": .boolean(true)]) == nil)
        #expect(Self.way("f/x", steps) == nil && Self.way("f/10/x", steps) == .step("z"))
    }

    @Test func aChoiceThatAsksForWordsLeadsOnWithAndWithoutThem() throws {
        let format =
            #""textChoices":[{"text":"a","value":"1"},{"text":"o","value":"o","other":{"textfieldReq":true}},{"text":"p","value":"p","other":{"textfieldReq":true}}],"selectionStyle":"Multiple""#
        let steps = try Self.steps(
            Self.question("q", "textChoice", format, Self.to("z")), Self.question("b"), Self.question("z"))
        #expect(Self.way("q", steps, ["q": .choices(["1"])]) == .step("z"))
        #expect(Self.way("q", steps, ["q": .choices(["1", "o"])]) == nil)
        #expect(Self.way("q/other/o", steps, ["q": .choices(["o"])]) == .step("z"))
        #expect(Self.way("q/other/o", steps, ["q": .choices(["o", "p"])]) == nil)
        #expect(Self.way("q/other/p", steps, ["q": .choices(["o", "p"])]) == .step("z"))
    }

    @Test(arguments: ["v", "v/again/2"]) func eachChoiceOfAValueFollowsItsDestination(_ chosen: String) throws {
        let format = #""textChoices":[{"text":"a","value":"v"},{"text":"b","value":"v"},{"text":"c","value":"w"}]"#
        let destination = #","destinations":[{"condition":"v","operator":"e","destination":"z"}]"#
        let steps = try Self.steps(
            Self.question("q", "textChoice", format, destination), Self.question("b"), Self.question("z"))
        #expect(Self.way("q", steps, ["q": .choices([chosen])]) == .step("z"))
        #expect(Self.way("q", steps, ["q": .choices(["w"])]) == nil)
    }

    static func logic(_ text: String) -> String { #","defaultVisibility":false,"preLoadLogic":{\#(text)}"# }
    static let hidden = #","hidden":true"#

    static let spellings: [(flag: String, ways: String, otherwise: Jump.Destination?)] = [
        ("hidden", #""destinationStepKey":"h""#, nil),
        ("isHidden", #""destinationTrueStepKey":"h","destinationFalseStepKey":"0""#, .end),
    ]

    /// `defaultVisibility` false marks a question that has logic, `hidden` the step that it leads to
    /// (FDA-MyStudies/WCP-WS 0b4ae92f, ActivityMetaDataDao.java:2547-2639; FDA-MyStudies/iOS 9091edbe,
    /// HPHC/ResearchKit/Common/ORKOrderedTask.m:160-258, HelperUtilities.swift:21-130, 238-280).
    @Test(arguments: spellings) func aHiddenStepIsReachedByTheLogicOfAnotherQuestion(
        _ flag: String, _ ways: String, _ otherwise: Jump.Destination?
    ) throws {
        let steps = try Self.steps(
            Self.question("q", "numeric", "", Self.logic(#""value":"5","operator":">",\#(ways)"#)),
            Self.question("z"), Self.question("h", "boolean", "", #","\#(flag)":true,"skippable":true"#))
        #expect(steps[0].visibleWhen == nil && steps[2].visibleWhen?.holds(StudyFacts()) == false)
        #expect(steps[0].isRequired && !steps[2].isRequired, "as each says")
        #expect(Self.way("q", steps, ["q": .number(6)]) == .step("h"))
        #expect(Self.way("q", steps, ["q": .number(5)]) == otherwise)
        #expect(Self.way("q", steps) == nil, "unanswered decides nothing")
    }

    /// ResearchKit looks at its order, and with it at the logic, only where no navigation rule
    /// decides (FDA-MyStudies/iOS 9091edbe, ORKNavigableOrderedTask.m:133-143).
    @Test func inAnActivityWithBranchingTheDestinationsDecide() throws {
        let logic = Self.logic(#""value":"5","operator":">","destinationStepKey":"h""#)
        let steps = [
            Self.question("q", "numeric", "", logic + Self.to("z")), Self.question("h", "boolean", "", Self.hidden),
            Self.question("z"),
        ]
        let text = MyStudiesBadInputTests.file("A", "1", steps.joined(separator: ","))
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        #expect(Self.way("q", study.tasks[0].content.steps, ["q": .number(6)]) == .step("z"))
        #expect(
            study.remarks.contains {
                $0.message == "not looked at: in an activity with branching the destinations decide"
            })
    }

    /// The server gives each step of a hidden group the next as its destination, without a comparison
    /// (ActivityMetaDataDao.java:2700-2730; HelperUtilities.swift, `set1GroupResultValue`).
    @Test(arguments: [(#","hidden":true,"groupId":"G""#, true), (hidden, false), (#","groupId":"G""#, false)])
    func hiddenStepsOfAGroupFollowEachOther(_ marks: String, _ isLink: Bool) throws {
        let onward = Self.logic(#""value":"","operator":"","destinationStepKey":"h""#)
        let steps = try Self.steps(
            Self.question("g", "boolean", "", marks + onward), Self.question("z"),
            Self.question("h", "boolean", "", #","hidden":true,"groupId":"G""#))
        #expect(Self.way("g", steps, ["g": .boolean(true)]) == (isLink ? .step("h") : nil))
    }

    /// ResearchKit has heights in centimetres, however they are asked, and MyStudies compares words
    /// without their capitals (HelperUtilities.swift:61-72).
    @Test func heightsAreComparedInCentimetresAndWordsWithoutCapitals() throws {
        func way(_ type: String, _ format: String, _ logic: String, _ answer: AnswerValue) throws -> Jump.Destination? {
            let logic = Self.logic(logic + #","destinationStepKey":"h""#)
            let steps = try Self.steps(Self.question("q", type, format, logic), Self.question("h"))
            return Self.way("q", steps, ["q": answer])
        }
        let us = #""measurementSystem":"US""#
        let tall = #""value":"170","operator":">""#
        #expect(try way("height", us, tall, .number(67)) == .step("h"))
        #expect(try way("height", us, tall, .number(66)) == nil)
        let choices = #""textChoices":[{"text":"a","value":"Often"},{"text":"b","value":"b"}]"#
        let often = #""value":"often","operator":"=""#
        #expect(try way("textChoice", choices, often, .choices(["Often"])) == .step("h"))
        #expect(try way("textChoice", choices, often, .choices(["b"])) == nil)
    }

    /// The app takes the value apart only where the operator has a colon (HelperUtilities.swift,
    /// `set1ResultValue`).
    @Test(arguments: [("At 10:30", true), ("At 10", false), ("Later", false)])
    func theValueOfOneComparisonMayHaveAColon(_ answer: String, _ isMet: Bool) throws {
        let choices =
            #""textChoices":[{"text":"a","value":"At 10:30"},{"text":"b","value":"At 10"},{"text":"c","value":"Later"}]"#
        let logic = Self.logic(#""value":"At 10:30","operator":"=","destinationStepKey":"h""#)
        let steps = try Self.steps(
            Self.question("q", "textChoice", choices, logic), Self.question("z"),
            Self.question("h", "boolean", "", Self.hidden))
        #expect(Self.way("q", steps, ["q": .choices([answer])]) == (isMet ? .step("h") : nil))
    }

    /// In the iOS app the form has the button that leaves it out
    /// (`ORKFormStep.isOptional = skippable`), whatever its questions say.
    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func aFormThatMayBeLeftOutLeavesOutAllOfIt(_ form: Bool, _ question: Bool) throws {
        let member =
            #"{"type":"question","resultType":"boolean","key":"x","title":"?","text":"","skippable":\#(question),"format":{}}"#
        let steps = try Self.steps(
            #"{"type":"form","resultType":"grouped","key":"f","skippable":\#(form),"steps":[\#(member)]}"#)
        #expect(steps[0].isRequired == !(form || question))
    }

    static let comparisons: [(value: String, sign: String, answer: Double, holds: Bool)] = [
        ("5", "<", 4, true), ("5", "<", 5, false), ("5", "<", 6, false), ("5", ">", 6, true), ("5", ">", 5, false),
        ("5", ">", 4, false), ("5", ">=", 6, true), ("5", ">=", 5, true), ("5", ">=", 4, false), ("5", "<=", 4, true),
        ("5", "<=", 5, true), ("5", "<=", 6, false), ("5", "=", 5, true), ("5", "=", 4, false), ("5", "!=", 5, false),
        ("5", "!=", 6, true), ("2:8", ">:&&:<", 5, true), ("2:8", ">:&&:<", 9, false), ("2:8", "<:||:>", 9, true),
        ("2:8", "<:OR:>", 5, false), ("400:200:350", "<:AND:>:OR:>", 380, true),
        ("400:200:350", "<:AND:>:OR:>", 150, false), ("400:200:350", "<:AND:>:OR:>", 500, true),
    ]

    @Test(arguments: comparisons) func logicComparesWithEveryOperator(
        _ value: String, _ sign: String, _ answer: Double, _ holds: Bool
    ) throws {
        let logic = Self.logic(#""value":"\#(value)","operator":"\#(sign)","destinationStepKey":"h""#)
        let steps = try Self.steps(
            Self.question("q", "numeric", "", logic), Self.question("h", "boolean", "", Self.hidden))
        #expect(Self.way("q", steps, ["q": .number(answer)]) == (holds ? .step("h") : nil))
    }

    /// Several choices can all be unticked again, and a number be cleared.
    @Test(arguments: ["=", "!="]) func anAnswerThatWasTakenBackDecidesNothing(_ sign: String) throws {
        let logic = Self.logic(
            #""value":"1","operator":"\#(sign)","destinationStepKey":"h","destinationFalseStepKey":"z""#)
        let choices = #""textChoices":[{"text":"a","value":"1"},{"text":"b","value":"2"}]"#
        for (type, format, given, nothing) in [
            ("textChoice", choices, .choices(["1"]), .choices([])), ("numeric", "", .number(1), .cleared),
        ] as [(String, String, AnswerValue, AnswerValue)] {
            let steps = try Self.steps(
                Self.question("q", type, format, logic), Self.question("h"), Self.question("z"))
            #expect(Self.way("q", steps, ["q": given]) == .step(sign == "=" ? "h" : "z"), "\(type)")
            #expect(Self.way("q", steps, ["q": nothing]) == nil, "\(type)")
        }
    }

    @Test func intervalsAreComparedInSeconds() throws {
        let steps = try Self.steps(
            Self.question(
                "q", "timeInterval", "",
                #","destinations":[{"condition":"3600","operator":"gte","destination":"z"},{"condition":"3600","operator":"lt","destination":"h"}]"#
            ),
            Self.question("h"), Self.question("z"))
        #expect(
            Self.way("q", steps, ["q": .number(60)]) == .step("z")
                && Self.way("q", steps, ["q": .number(59)]) == .step("h"))
        let minutes = try Self.steps(
            Self.question(
                "q", "scale", #""minValue":0,"maxValue":100,"minDesc":"minutes""#,
                #","destinations":[{"condition":"60","operator":"gte","destination":"z"}]"#), Self.question("z"))
        #expect(
            Self.way("q", minutes, ["q": .number(60)]) == .step("z"),
            "a scale whose end is called minutes is no interval")
    }

    @Test func anAnswerLeadsOnToAnotherActivityAndItsStep() throws {
        for (name, step, target) in [
            ("activityId", #","destinationStepKey":"x""#, Jump.Destination.task("B", at: .step("x"))),
            ("activityid", "", .task("B", at: .first)),
            ("activityId", #","destinationStepKey":"0""#, .task("B", at: .end)),
        ] {
            let first = Self.question(
                "q", "numeric", "", Self.logic(#""value":"5","operator":">","\#(name)":"B"\#(step)"#))
            let source = MyStudiesBadInputTests.folder(
                list: MyStudiesBadInputTests.listed("A", "1.0") + "," + MyStudiesBadInputTests.listed("B", "1.0"),
                MyStudiesBadInputTests.file("A", "1.0", first),
                MyStudiesBadInputTests.file("B", "1.0", Self.question("w") + "," + Self.question("x")))
            let steps = try MyStudiesReader().decode(source).tasks[0].content.steps
            #expect(Self.way("q", steps, ["q": .number(6)]) == target)
        }
    }

    @Test func aHiddenFormIsWalkedThroughOnceItIsReached() throws {
        let steps = try Self.steps(
            Self.question("q", "numeric", "", Self.logic(#""value":"5","operator":">","destinationStepKey":"f""#)),
            Self.form("f", [Self.question("x"), Self.question("y")], #","repeatable":true"# + Self.hidden),
            Self.question("z"))
        #expect(Self.way("q", steps, ["q": .number(6)]) == .step("f/x") && Self.way("f/x", steps) == .step("f/y"))
        #expect(Self.way("f/y", steps) == .step("f/more/1"))
        #expect(Self.way("f/more/1", steps, ["f/more/1": .boolean(true)]) == .step("f/2/x"))
        #expect(Self.way("f/more/1", steps, ["f/more/1": .boolean(false)]) == nil)
        #expect(
            steps.filter { $0.key.hasPrefix("f/") }.allSatisfy {
                $0.visibleWhen?.holds(StudyFacts(answers: ["f/more/1": .boolean(true)])) == false
            })
    }

    /// The server writes a form's logic into its last question and marks that with `defaultVisibility`
    /// false; the app reads it there and compares the form's last answer, of the last round
    /// (ActivityMetaDataDao.java:3147-3364; ActivityStep.swift:212-240; HelperUtilities.swift:27-33).
    @Test func aFormLeadsOnByTheLogicOfItsLastQuestion() throws {
        let logic = Self.logic(#""value":"5","operator":">","destinationStepKey":"h""#)
        for more in ["", #","repeatable":true"#] {
            let steps = try Self.steps(
                Self.form("f", [Self.question("x", "numeric"), Self.question("y", "numeric", "", logic)], more),
                Self.question("z"), Self.question("h", "boolean", "", Self.hidden))
            #expect(steps[1].visibleWhen == nil, "its last question is asked")
            let high: Answers = ["f/x": .number(6), "f/y": .number(6), "f/more/1": .boolean(false)]
            let low: Answers = ["f/x": .number(6), "f/y": .number(5), "f/more/1": .boolean(false)]
            let last = more.isEmpty ? "f/y" : "f/more/1"
            #expect(Self.way(last, steps, high) == .step("h") && Self.way(last, steps, low) == nil)
            #expect(Self.way("f/x", steps, high) == nil)
        }
        let again = try Self.steps(
            Self.form("f", [Self.question("y", "numeric", "", logic)], #","repeatable":true"#), Self.question("z"),
            Self.question("h", "boolean", "", Self.hidden))
        let answers: Answers = [
            "f/y": .number(6), "f/more/1": .boolean(true), "f/2/y": .number(5), "f/more/2": .boolean(false),
        ]
        #expect(Self.way("f/more/1", again, answers) == nil && Self.way("f/more/2", again, answers) == nil)
    }

    /// A form is one step in the app, and its destination is that of the whole (GoogleCloudPlatform/
    /// fda-mystudies 7f3ea838, ActivityBuilder.swift:113-118, 190-204).
    @Test(arguments: ["", hidden]) func aFormLeadsOnFromItsLastQuestion(_ more: String) throws {
        let logic = Self.logic(#""value":"5","operator":">","destinationStepKey":"h""#)
        let steps = try Self.steps(
            Self.form("f", [Self.question("x"), Self.question("y", "numeric", "", logic)], more + Self.to("z")),
            Self.question("b"), Self.question("z"), Self.question("h", "boolean", "", Self.hidden))
        #expect(Self.way("f/x", steps) == (more.isEmpty ? nil : .step("f/y")))
        #expect(Self.way("f/y", steps, ["f/y": .number(6)]) == .step("h"))
        #expect(Self.way("f/y", steps, ["f/y": .number(5)]) == .step("z"))
        #expect(Self.way("f/y", steps) == .step("z"), "left out")
    }

    @Test func aRepeatedFormIsRemarkedOnOnce() throws {
        let form = Self.form(
            "f",
            [
                Self.question(
                    "x", "height", #""measurementSystem":"US""#,
                    Self.logic(#""value":"5","operator":">","destinationStepKey":"gone""#))
            ], #","repeatable":true"# + Self.hidden)
        let text = #"{"activity":{"metadata":{"activityId":"A","version":"1"},"steps":[\#(form)]}}"#
        let remarks = try MyStudiesReader().decode(StudySource(Array(text.utf8))).remarks.map(\.message)
        #expect(
            remarks == [
                "no activity list names it; it can be done at any time",
                "shown only through a destination: it is hidden, and no question leads to it",
                "asked in inches, sent in centimetres",
                "leads to no step of this activity, and is not followed",
                "at most 10 rounds of this form are asked for",
            ])
    }

    static func piped(_ logic: String, flag: String = #""isPiping":true,"#, key: String = "p") -> String {
        #"{"type":"question","resultType":"boolean","key":"\#(key)","title":"Is $x right?","text":"","format":{},\#(flag)\#(logic)}"#
    }

    @Test func anAnswerStandsInTheTextByAllSpellings() throws {
        let own = #"{"pipingSnippet":"$x","sourceQuestionKey":"q","activityId":"","activityVersion":""}"#
        for (logic, flag, piping) in [
            (#""pipingLogic":\#(own)"#, #""isPiping":true,"#, Piping(snippet: "$x", question: "q") as Piping?),
            (#""piping":\#(own)"#, "", Piping(snippet: "$x", question: "q")),
            (#""piping":\#(own)"#, #""isPiping":false,"#, nil),
            (
                #""pipingLogic":{"pipingSnippet":"$x","sourceQuestionKey":"n","activityId":"Z","activityVersion":"3"}"#,
                "",
                Piping(snippet: "$x", question: "n", task: "Z")
            ),
            (
                #""pipingLogic":{"pipingSnippet":"$x","sourceQuestionKey":"q","activityId":"A"}"#, "",
                Piping(snippet: "$x", question: "q")
            ),
        ] {
            let steps = try Self.steps(Self.question("q"), Self.piped(logic, flag: flag))
            #expect(steps[1].piping == piping, "\(logic) \(flag)")
        }
    }

    @Test func aQuestionOfAFormIsFoundByItsOwnKeyInTheTextsRound() throws {
        let logic = #""pipingLogic":{"pipingSnippet":"$x","sourceQuestionKey":"x"}"#
        let steps = try Self.steps(
            Self.form("f", [Self.question("x"), Self.piped(logic)], #","repeatable":true"#),
            Self.piped(logic, key: "end"))
        func source(_ key: String) -> String? { steps.first { $0.key == key }?.piping?.question }
        #expect(source("f/p") == "f/x" && source("f/2/p") == "f/2/x" && source("end") == "f/x")
    }
}
