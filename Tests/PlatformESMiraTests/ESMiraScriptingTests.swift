// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// The study that the real server took (fixtures/esmira): its second page is relevant while
/// `mood < 4`, its end script sets `computed` to twice the mood and counts `globals.runs`. What the
/// app does with scripts that fail: `MerlinRunner.kt`, ESMira-apps f750e58.
@Suite struct ESMiraScriptingTests {
    static func facts(_ answers: Answers, _ variables: [String: AnswerValue] = [:]) -> StudyFacts {
        var facts = StudyFacts(condition: "2", variables: variables, answers: answers)
        let context = Joined.context("2")
        let now = context.enrolment.instant + .seconds(3 * 86_400)
        facts.setting = FactSetting(enrolment: context.enrolment, zone: .utc, now: now)
        return facts
    }

    static func step(_ key: String, in study: StudyProtocol) throws -> Step {
        try #require(study.tasks.flatMap(\.content.steps).first { $0.key == key })
    }

    static func fixture() throws -> StudyProtocol {
        try ESMiraReader().decode(StudySource(try #require(Fixture.read(ESMiraReaderTests.recorded))))
    }

    @Test(.enabled(if: ESMiraReaderTests.isThere, "needs ../shared/fixtures/esmira"))
    func pagesAndInputsFollowTheirScripts() throws {
        let study = try Self.fixture()
        let (why, who) = (try Self.step("why", in: study), try Self.step("who", in: study))
        #expect(why.visibleWhen?.holds(Self.facts(["mood": .number(3)])) == true)
        #expect(why.visibleWhen?.holds(Self.facts(["mood": .number(4)])) == false)
        #expect(who.visibleWhen?.holds(Self.facts(["mood": .number(3), "alone": .boolean(false)])) == true)
        #expect(who.visibleWhen?.holds(Self.facts(["mood": .number(3), "alone": .boolean(true)])) == false)
        #expect(try Self.step("mood", in: study).visibleWhen == nil)
    }

    @Test(.enabled(if: ESMiraReaderTests.isThere, "needs ../shared/fixtures/esmira"))
    func theEndScriptFillsItsInputAndKeepsItsGlobals() throws {
        let study = try Self.fixture()
        let ending = try #require(study.tasks[0].ending)
        let first = ending.end(Self.facts(["mood": .number(3)]))
        #expect(first.variables[ESMiraScriptHost.globals] == .text(#"{"runs":1.0}"#))
        let own = try ESMiraSample.questionnaire(of: study)
        var answers: Answers = ["mood": .number(3)]
        answers.merge(first.answers) { $1 }
        #expect(own.fields(answers).first { $0.name == "computed" }?.value == "6")
        let second = ending.end(Self.facts(["mood": .number(3)], first.variables))
        #expect(second.variables[ESMiraScriptHost.globals] == .text(#"{"runs":2.0}"#))
    }

    @Test(.enabled(if: ESMiraReaderTests.isThere, "needs ../shared/fixtures/esmira"))
    func oneOfSeveralQuestionsIsAskedAndTheNextAfterEachCompletion() throws {
        let study = try Self.fixture()
        let own = try ESMiraSample.questionnaire(of: study)
        var variables: [String: AnswerValue] = [:]
        for turn in 0..<3 {
            let answers: Answers = ["mood": .number(1), "dyn~part0": .number(4), "dyn~part1": .text("x")]
            let facts = Self.facts(answers, variables)
            let shown = try (0..<2).filter { index in
                try Self.step("dyn~part\(index)", in: study).visibleWhen?.holds(facts) == true
            }
            #expect(shown == [turn % 2])
            let end = try #require(study.tasks[0].ending).end(facts)
            let fields = own.fields(answers.merging(end.answers) { $1 })
            #expect(fields.first { $0.name == "dyn" }?.value == (turn % 2 == 0 ? "4" : "x"))
            #expect(fields.first { $0.name == "dyn~index" }?.value == "\(turn % 2)")
            variables.merge(end.variables) { $1 }
        }
    }

    /// A page that is shown for some answers, with one of two questions; a third page looks at its answer.
    static func changing(_ more: String = "") throws -> StudyProtocol {
        let parts =
            #"{"responseType":"likert","text":"A","relevance":"return 0;"},{"responseType":"likert","text":"B"}"#
        let pages = [
            #"{"inputs":[{"name":"mood","responseType":"likert"}]}"#,
            #"{"relevance":"return getQuestionnaireVar(\"mood\") > 2;","inputs":[{"name":"dyn","responseType":"dynamic_input","subInputs":[\#(parts)]\#(more)}]}"#,
            #"{"relevance":"return getQuestionnaireVar(\"dyn\") == 4;","inputs":[{"name":"why"}]}"#,
        ]
        return try ESMiraSample.study(#""pages":[\#(pages.joined(separator: ","))]"#)
    }

    /// `DynamicView` alone calls `Input.getDynamicInput`, which takes the next question, and gives the dataset
    /// its index; without it `Input.getValue` is the default (ESMira-apps f750e58).
    @Test(arguments: [
        ("", ""), (#","relevance":"return getQuestionnaireVar(\"mood\") < 5;","defaultValue":"none""#, "none"),
        (#","required":true,"defaultValue":"none""#, ""),
    ])
    func aQuestionThatWasNotShownKeepsItsTurn(_ more: String, _ unasked: String) throws {
        let study = try Self.changing(more)
        let own = try ESMiraSample.questionnaire(of: study)
        let hidden: Set<Double> = more.contains("relevance") ? [1, 2, 5] : [1, 2]
        var variables: [String: AnswerValue] = [:]
        var sent: [String] = []
        for mood: Double in [3, 1, 2, 5, 4] {
            let facts = Self.facts(["mood": .number(mood)], variables)
            let end = try #require(study.tasks[0].ending).end(facts)
            variables.merge(end.variables) { $1 }
            let fields = own.fields(facts.answers.merging(end.answers) { $1 })
            sent.append(fields.first { $0.name == "dyn~index" }?.value ?? "-")
            #expect((fields.first { $0.name == "dyn" }?.value == unasked) || !hidden.contains(mood))
        }
        #expect(sent == (hidden.contains(5) ? ["0", "-", "-", "-", "1"] : ["0", "-", "-", "1", "0"]))
    }

    /// `Page.activeInputs` asks for the relevance of the inputs of a page, not of those within them.
    @Test func theRelevanceOfOneOfSeveralQuestionsIsNotLookedAt() throws {
        let first = try Self.step("dyn~part0", in: Self.changing())
        #expect(first.visibleWhen?.holds(Self.facts(["mood": .number(3)])) == true)
        #expect(first.visibleWhen?.holds(Self.facts(["mood": .number(2)])) == false)
    }

    /// `MerlinInterpreter.kt:360` takes `Input.getValue`, which is that of the question shown.
    @Test(arguments: [(4.0, true), (3.0, false)])
    func aScriptSeesTheAnswerToOneOfSeveralQuestionsDuringTheRun(_ answer: Double, _ isAsked: Bool) throws {
        let why = try Self.step("why", in: Self.changing())
        let answers: Answers = ["mood": .number(3), "dyn~part1": .number(answer)]
        #expect(why.visibleWhen?.holds(Self.facts(answers)) == isAsked)
    }

    /// `ChooseInputView` shows the text of the whole above that of the question (ESMira-apps f750e58).
    @Test(arguments: [
        ("", []), (#","text":"<b>Your</b> turn""#, ["dyn"]), (#","textScript":"return \"x\";""#, ["dyn"]),
    ])
    func theTextOfSeveralQuestionsComesBeforeTheOneThatIsAsked(_ more: String, _ intro: [String]) throws {
        let study = try Self.changing(more)
        let keys = study.tasks[0].content.steps.map(\.key)
        #expect(keys == ["mood"] + intro + ["dyn~part0", "dyn~part1", "why"])
        guard !intro.isEmpty else { return }
        let step = try Self.step("dyn", in: study)
        #expect(step.format == .instruction && step.text == (more.contains("Your") ? "Your turn" : ""))
        #expect(step.computedText?.text(Self.facts([:])) == (more.contains("Your") ? nil : "x"))
        #expect(step.visibleWhen?.holds(Self.facts(["mood": .number(2)])) == false)
    }

    /// `Input.getDynamicInput` goes on from the last index, or from 0 where the list ends (ESMira-apps f750e58).
    @Test(arguments: [(4, [0, 1, 2, 0, 1, 2, 3, 0]), (2, [0, 1, 2, 0, 1, 0, 1, 0]), (1, [0, 1, 2, 0, 0, 0, 0, 0])])
    func aNewVersionGoesOnAfterTheQuestionThatWasAskedLast(_ choices: Int, _ order: [Int]) {
        var variables: [String: AnswerValue] = [:]
        let asked = (0..<8).map { run in
            let turn = ESMiraTurn(
                input: "a", variable: "turn/1/a", choices: run < 4 ? 3 : choices, isRandom: false)
            let facts = Self.facts([:], variables)
            variables[turn.variable] = .number(Double(turn.count(after: facts)))
            return turn.index(facts)
        }
        #expect(asked == order)
    }

    @Test func aRandomOrderHasEachOnceBeforeAnyComesAgain() {
        let turn = ESMiraTurn(input: "a", variable: "turn/1/a", choices: 5, isRandom: true)
        let order = (0..<10).map { turn.index(Self.facts([:], ["turn/1/a": .number(Double($0))])) }
        #expect(Set(order.prefix(5)).count == 5 && Set(order.suffix(5)).count == 5)
    }

    @Test func ofTwoInRandomOrderEitherComesFirstAndASingleOneIsAlwaysAsked() {
        func order(_ choices: Int, isRandom: Bool = true) -> [Int] {
            let turn = ESMiraTurn(input: "a", variable: "turn/1/a", choices: choices, isRandom: isRandom)
            return (0..<40).map { turn.index(Self.facts([:], ["turn/1/a": .number(Double($0))])) }
        }
        let two = order(2)
        let rounds = stride(from: 0, to: 40, by: 2).map { [two[$0], two[$0 + 1]] }
        #expect(Set(rounds) == [[0, 1], [1, 0]])
        for isRandom in [true, false] { #expect(Set(order(1, isRandom: isRandom)) == [0]) }
        #expect(order(3, isRandom: false).prefix(4) == [0, 1, 2, 0])
    }

    /// In the app every script does all of it, and `MerlinRunner.run` keeps `globals` after each
    /// (ESMira-apps f750e58).
    @Test(arguments: [
        #"triggerQuestionnaire(50001, \"m\", 1);"#, #"triggerNotification(\"m\");"#, #"triggerMessage(\"m\");"#,
        #"log(\"m\");"#, #"setVirtualItem(\"v\", 1);"#, "globals.a = 1;", "init { globals.a = 1; }",
        "if (globals.a > 1) { globals.a.b -= 1; }", "globals.a[1] = 2;", "o = globals; o.a = 1;",
        "o = globals.a; p = o; p.b[1] = 1;", "for (o in globals.a) { o.b = 1; }",
    ])
    func whatOnlyAnEndScriptDoesIsNamedElsewhere(_ script: String) throws {
        func named(_ questionnaire: String) throws -> [String] {
            let remarks = try ESMiraSample.study(questionnaire).remarks
            // Pages that wait for a global never come: that must not be overlooked.
            return remarks.filter {
                script.contains("globals")
                    ? $0.kind == .warning && $0.message.contains("globals") : $0.kind == .unsupported
            }.map(\.path)
        }
        #expect(
            try named(#""scriptFilter":"\#(script)",\#(ESMiraSample.pages)"#) == ["$.questionnaires[0].scriptFilter"])
        let input = #"{"name":"a","relevance":"\#(script)","textScript":"\#(script)"}"#
        let place = "$.questionnaires[0].pages[0].inputs[0]"
        #expect(
            try named(#""pages":[{"inputs":[\#(input)]}]"#).sorted() == ["\(place).relevance", "\(place).textScript"])
        #expect(try named(#""endScriptBlock":"\#(script)",\#(ESMiraSample.pages)"#).isEmpty)
    }

    @Test(arguments: [
        "return globals.a == 1;", "globals;", "o = object; o.a = 1;", "a = [1]; a[1] = globals.a;",
        "o = object; o.a = globals.a;", "o = object; if (globals.a == 1) { o.a += 1; }",
        "b = globals.a; o = object; o.a = b;",
    ])
    func aScriptThatLeavesGlobalsAsTheyAreIsNotNamed(_ script: String) throws {
        let study = try ESMiraSample.study(#""scriptFilter":"\#(script)",\#(ESMiraSample.pages)"#)
        #expect(!study.remarks.contains { $0.path == "$.questionnaires[0].scriptFilter" })
    }

    /// "hence this is false (and the item is never shown)": the tutorial's own words for the script of its
    /// `example_same_page`. `Page.activeInputs` asks before the page is shown (ESMira-apps f750e58).
    @Test(arguments: [
        (#"getQuestionnaireVar(\"a\") == 1;"#, false), (#"size(getQuestionnaireVar(\"a\")) == 0;"#, true),
        (#"getQuestionnaireVar(\"first\") == 1;"#, true), (#"size(getQuestionnaireVar(\"first\")) == 0;"#, false),
    ])
    func theRelevanceOfAnInputLooksAtTheAnswersOfOtherPages(_ script: String, _ isShown: Bool) throws {
        let inputs = [
            #"{"name":"a","responseType":"likert"}"#, #"{"name":"b","relevance":"\#(script)"}"#,
            #"{"name":"dyn","responseType":"dynamic_input","relevance":"\#(script)","subInputs":[{}]}"#,
        ].joined(separator: ",")
        let study = try ESMiraSample.study(
            #""pages":[{"inputs":[{"name":"first","responseType":"likert"}]},{"inputs":[\#(inputs)]}]"#)
        let facts = Self.facts(["first": .number(1), "a": .number(1), "b": .text("x")])
        #expect(try Self.step("b", in: study).visibleWhen?.holds(facts) == isShown)
        #expect(try Self.step("dyn~part0", in: study).visibleWhen?.holds(facts) == isShown)
        let end = try #require(study.tasks[0].ending).end(facts)
        #expect((end.answers[ESMiraTurn.indexKey("dyn")] != nil) == isShown)
    }

    @Test func theFirstPageIsShownWhateverItsScriptSays() throws {
        let pages = ["a", "b"].map { #"{"relevance":"return 0;","inputs":[{"name":"\#($0)"}]}"# }.joined(separator: ",")
        let study = try ESMiraSample.study(#""pages":[\#(pages)]"#)
        let steps = study.tasks[0].content.steps
        #expect(steps.map { $0.visibleWhen?.holds(Self.facts([:])) ?? true } == [true, false])
        let said = study.remarks.filter { $0.message.contains("the first page is always shown") }
        #expect(said.map(\.path) == ["$.questionnaires[0].pages[0].relevance"])
    }

    @Test func aScriptThatFailsCountsAsTrueAndOneThatCannotBeReadIsNamedByItsLine() throws {
        let study = try ESMiraSample.study(
            #""scriptFilter":"return 1 / 0;","pages":[{"inputs":[{"name":"a"}]},{"relevance":"return (;","inputs":[{"name":"b"}]}]"#
        )
        #expect(study.tasks[0].unlocked.holds(Self.facts([:])))
        let warning = try #require(study.remarks.first { $0.path == "$.questionnaires[0].pages[1].relevance" })
        #expect(warning.kind == .warning && warning.message.hasPrefix("line 1"))
    }

    @Test func aFilterLooksAtTheDaysSinceJoining() throws {
        let study = try ESMiraSample.study(#""scriptFilter":"return day() == 3;",\#(ESMiraSample.pages)"#)
        #expect(study.tasks[0].unlocked.holds(Self.facts([:])))
        var later = Self.facts([:])
        later.setting?.now = Joined.context().enrolment.instant + .seconds(4 * 86_400)
        #expect(!study.tasks[0].unlocked.holds(later))
    }
}
