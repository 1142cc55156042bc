// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformMyStudies
import Testing

@testable import Study

/// Ways through activities of FDA MyStudies, step by step, as a participant comes through them.
@Suite struct MyStudiesWalkTests {
    static func question(_ key: String, _ type: String = "boolean", _ format: String = "", _ more: String = "")
        -> String
    {
        #"{"type":"question","resultType":"\#(type)","key":"\#(key)","title":"?","text":"","skippable":true,"format":{\#(format)}\#(more)}"#
    }
    static func told(_ key: String, _ more: String = "") -> String {
        #"{"type":"instruction","resultType":"","key":"\#(key)","title":"!","text":""\#(more)}"#
    }
    static func form(_ key: String, _ questions: String, _ more: String = "") -> String {
        #"{"type":"form","resultType":"grouped","key":"\#(key)","steps":[\#(questions)]\#(more)}"#
    }
    static func to(_ ways: (String, String)...) -> String {
        let destinations = ways.map { #"{"condition":"\#($0.0)","operator":"","destination":"\#($0.1)"}"# }
        return #","destinations":[\#(destinations.joined(separator: ","))]"#
    }
    /// A number that leads to `key` where it is above 5.
    static func number(to key: String) -> String {
        question(
            "q", "numeric", "",
            #","defaultVisibility":false,"preLoadLogic":{"value":"5","operator":">","destinationStepKey":"\#(key)"}"#)
    }
    static let hidden = #","hidden":true,"sourceQuestionKey":"q""#

    static func walk(_ steps: String, _ answers: Answers, limit: Int = 400) throws -> String {
        let text = #"{"activity":{"metadata":{"studyId":"S","activityId":"A","version":"1"},"steps":[\#(steps)]}}"#
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        var navigator = Navigator(
            OpenedTask(study.tasks[0], opening: 1, chance: PanelFixtures.chance), facts: StudyFacts())
        return NavigatorTests.walk(&navigator, answers, limit: limit)
    }

    static let choice =
        #""selectionStyle":"Single","textChoices":[{"text":"a","value":"1"},{"text":"o","value":"o","other":{"textfieldReq":true,"isMandatory":true}}]"#
    static let cases: [(steps: String, answers: Answers, way: String)] = [
        // Destinations: the first special one that fits, the default, the next step.
        (
            question("a", "boolean", "", to(("true", "c"), ("", "b"))) + "," + question("b") + "," + question("c"),
            ["a": .boolean(true)], "a c end"
        ),
        (
            question("a", "boolean", "", to(("true", "c"), ("", "b"))) + "," + question("b") + "," + question("c"),
            ["a": .boolean(false)], "a b c end"
        ),
        (
            question("a", "boolean", "", to(("true", "c"), ("", "b"))) + "," + question("b") + "," + question("c"), [:],
            "a b c end"
        ),
        (
            question("a", "boolean", "", to(("true", "c"))) + "," + question("b") + "," + question("c"),
            ["a": .boolean(false)], "a b c end"
        ),
        // The server writes the default before the entry of an "other" choice.
        (
            question("a", "textChoice", choice, to(("1", "c"), ("", "b"), ("o", "d"))) + "," + question("b") + ","
                + question("c") + "," + question("d"),
            ["a": .choices(["o"]), "a/other/o": .text("x")], "a a/other/o d end"
        ),
        (
            question("a", "textChoice", choice, to(("", "c"), ("o", "d"))) + "," + question("b") + "," + question("c")
                + "," + question("d"), ["a": .choices(["1"])], "a c d end"
        ),
        // What nothing is compared with is never taken.
        (question("a", "text", "", to(("x", ""), ("", "b"))) + "," + question("b"), ["a": .text("x")], "a b end"),
        (question("a", "boolean", "", to(("", ""))) + "," + question("b"), ["a": .boolean(true)], "a end"),
        // Words of a choice, then the way on.
        (
            question("a", "textChoice", choice, to(("", "c"))) + "," + question("b") + "," + question("c"),
            ["a": .choices(["o"]), "a/other/o": .text("x")], "a a/other/o c end"
        ),
        (
            question("a", "textChoice", choice, to(("", "c"))) + "," + question("b") + "," + question("c"),
            ["a": .choices(["1"])], "a c end"
        ),
        // Forms: into them, out of them, again.
        (
            question("a", "boolean", "", to(("", "f"))) + "," + question("b") + ","
                + form("f", question("x") + "," + question("y"), to(("", "d"))) + "," + question("c") + ","
                + question("d"),
            [:], "a f/x f/y d end"
        ),
        (
            form("f", question("x"), #","repeatable":true"# + to(("", "d"))) + "," + question("c") + ","
                + question("d"),
            ["f/more/1": .boolean(true), "f/more/2": .boolean(false)], "f/x f/more/1 f/2/x f/more/2 d end"
        ),
        (
            form("f", question("x"), #","repeatable":true"#) + "," + question("c"), ["f/more/1": .boolean(false)],
            "f/x f/more/1 c end"
        ),
        // Hidden steps: left out of the order, reached by an answer, and on from there.
        (
            number(to: "h") + "," + question("h", "boolean", "", hidden) + "," + question("z"),
            ["q": .number(6), "h": .boolean(true)], "q h z end"
        ),
        (
            number(to: "h") + "," + question("h", "boolean", "", hidden) + "," + question("z"),
            ["q": .number(5)], "q z end"
        ),
        (
            number(to: "0") + "," + question("h", "boolean", "", hidden) + "," + question("z"),
            ["q": .number(6)], "q end"
        ),
        (
            number(to: "f") + "," + form("f", question("x") + "," + question("y"), hidden) + "," + question("z"),
            ["q": .number(6)], "q f/x f/y z end"
        ),
        (
            number(to: "f") + "," + form("f", question("x") + "," + question("y"), hidden) + "," + question("z"),
            ["q": .number(1)], "q z end"
        ),
        (
            number(to: "f") + "," + form("f", question("x"), #","repeatable":true"# + hidden) + "," + question("z"),
            ["q": .number(6), "f/more/1": .boolean(true), "f/more/2": .boolean(false)],
            "q f/x f/more/1 f/2/x f/more/2 z end"
        ),
        // The way leads past what lies between, and on behind the hidden step.
        (
            number(to: "h") + "," + question("b") + "," + question("h", "boolean", "", hidden) + "," + question("z"),
            ["q": .number(6)], "q h z end"
        ),
        (
            number(to: "h") + "," + question("b") + "," + question("h", "boolean", "", hidden) + "," + question("z"),
            ["q": .number(5)], "q b z end"
        ),
    ]

    @Test(arguments: cases.indices) func theWayIs(_ index: Int) throws {
        let (steps, answers, way) = Self.cases[index]
        #expect(try Self.walk(steps, answers) == way)
    }

    @Test func instructionsThatLeadToEachOtherForEverEndByTheStatedRule() throws {
        let steps = Self.told("a", Self.to(("", "b"))) + "," + Self.told("b", Self.to(("", "a")))
        let way = try Self.walk(steps, [:], limit: 1_000).split(separator: " ")
        #expect(way.count == 102 && way.last == "end" && way.count { $0 == "a" } == 51)
    }

    /// The same by presses: a run that goes in a circle comes to its review, and is submitted.
    @Test(arguments: PanelFixtures.panels) func aRunInACircleIsSubmittedAtItsEnd(_ panel: Panel) throws {
        let steps = Self.told("a", Self.to(("", "b"))) + "," + Self.told("b", Self.to(("", "a")))
        let text = #"{"activity":{"metadata":{"studyId":"S","activityId":"A","version":"1"},"steps":[\#(steps)]}}"#
        let study = try MyStudiesReader().decode(StudySource(Array(text.utf8)))
        var run = PanelFixtures.run(study.tasks[0], on: panel)
        _ = run.start(at: .zero)
        var record: RunRecord?
        for second in 1...300 where record == nil {
            record = TaskRunTests.record(run.handle(.gesture(.select, repeats: 0), at: .zero + .seconds(second)))
        }
        #expect(record?.end == .submitted && record?.questions.count == 101)
    }
}
