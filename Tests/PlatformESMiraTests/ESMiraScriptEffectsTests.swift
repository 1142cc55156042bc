// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// What scripts bring about besides values: texts, messages, prompts, and lines for the study's
/// researchers. As `MerlinRunner.kt`, `MerlinLog.kt` and `MerlinInterpreter.kt` of the app
/// (ESMira-apps f750e58) have it.
@Suite struct ESMiraScriptEffectsTests {
    static let pages =
        #""pages":[{"inputs":[{"name":"mood","responseType":"likert"},{"name":"b","text":"Why?","textScript":"return \"<b>You</b> said \" .. getQuestionnaireVar(\"mood\");"},{"name":"c","text":"And?","textScript":"return 1 / 0;"}]}]"#

    static func ended(_ script: String) throws -> (StudyProtocol, RunEnd) {
        let study = try ESMiraSample.study(#"\#(pages),"endScriptBlock":"\#(script)""#)
        let ending = try #require(study.tasks[0].ending)
        return (study, ending.end(ESMiraScriptingTests.facts(["mood": .number(3)])))
    }

    @Test func aTextIsMadeByItsScriptAndOneThatFailsIsTheInputsOwn() throws {
        let study = try ESMiraSample.study(Self.pages)
        let facts = ESMiraScriptingTests.facts(["mood": .number(3)])
        let steps = study.tasks[0].content.steps
        #expect(steps.map { $0.computedText?.text(facts) } == [nil, "You said 3", nil])
        #expect(steps.map(\.text) == ["", "Why?", "And?"])
    }

    @Test func whatFailsAndWhatAScriptSaysIsLoggedAsTheAppDoes() throws {
        let (study, end) = try Self.ended(#"log(\"seen\");\nx = 1 / 0;"#)
        #expect(end.logs.map(\.kind) == ["RuntimeError", "UserLog", "RuntimeError"])
        #expect(end.logs.map(\.place) == ["text script of item c", "user log", "end script block"])
        #expect(end.logs[2].message.hasPrefix("At line 2"))
        let context = WireContext(
            study: study, enrolment: Joined.context().enrolment, zone: .utc, postURL: "https://s.example/")
        let now = Instant(milliseconds: 1_795_245_120_000)
        let requests = study.writer.requests(for: .logged(task: "50001", end.logs[1]), at: now, in: context)
        let request = try #require(requests.first)
        #expect(request.url == "https://s.example/api/save_merlin_log.php")
        let body = try JSONNode(request.body)
        #expect(ESMiraServer.number(body["studyId"]) == 4_711 && ESMiraServer.number(body["serverVersion"]) == 11)
        guard case .string(let text)? = body["content"]?.content else {
            Issue.record("no content")
            return
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "UserLog" && lines[1].isEmpty && lines[2] == "11/21/26 7:12 AM")
        #expect(lines[3].hasPrefix("App: studyd 0.9.0") && lines[4].hasPrefix("User: "))
        #expect(Array(lines[5...]) == ["Questionnaire: EMA", "Context: user log", "", "seen", ""])
        // `save_merlin_log.php` of ESMira-web 3.5.1.
        let taken = Array(#"{"success":true,"serverVersion":11,"dataset":[]}"#.utf8)
        #expect(ESMiraWire().verdict(status: 200, body: taken, to: request) == .delivered(receipt: "200 success"))
        let locked = Array(#"{"success":false,"serverVersion":11,"error":"This study is locked.","errorCode":0}"#.utf8)
        guard case .retry = ESMiraWire().verdict(status: 200, body: locked, to: request) else {
            Issue.record("a locked study opens again")
            return
        }
    }

    @Test func anEndScriptTellsKeepsAndAsks() throws {
        let (study, end) = try Self.ended(
            #"triggerNotification(\"well done\"); triggerMessage(\"read this\"); triggerQuestionnaire(50001, \"a/b\", 30); triggerQuestionnaire(7, \"missing\", 1);"#
        )
        #expect(end.news.map(\.text) == ["well done", "read this"] && end.news[0].record == nil)
        let record = try #require(end.news[1].record)
        // No number of the server's, from which it would count what is new.
        #expect(Int(StudyMessage.id(in: record) ?? "") == nil)
        #expect(end.happenings.count == 1)
        let happening = try #require(end.happenings.first)
        let raised = study.tasks[0].schedule.raised(by: happening, of: study.tasks[0], in: Joined.context())
        let prompt = try #require(raised.first)
        #expect(prompt.due == happening.moment && prompt.message == "a\u{2215}b")
        #expect(prompt.silentFrom == happening.moment + .seconds(1_800))
        // It is raised again by every later plan.
        #expect(StudyFacts(variables: [happening.variable: .number(0)]).happenings == [happening])
    }

    @Test func aPageIsLeftAfterItsSeconds() throws {
        let study = try ESMiraSample.study(
            #""pages":[{"skipAfterSecs":20,"inputs":[{"name":"a"}]},{"inputs":[{"name":"b"}]}]"#)
        #expect(study.tasks[0].content.sections.map(\.limit) == [.seconds(20), nil])
    }
}
