// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformESMira
import Testing

@testable import Study

/// Pages as the app walks through them: `Page.inputs` shuffles the inputs of a `randomized`
/// page at each opening, `QuestionnaireView` shows the header above and the footer below them,
/// `MainActivity.goNext` leaves no page to go back to where `isBackEnabled` is off
/// (ESMira-apps f750e58).
@Suite struct ESMiraPageTests {
    private static func task(_ questionnaire: String) throws -> StudyTask {
        let text =
            #"{"id":7,"version":1,"lang":"en","questionnaires":[{"internalId":71,"title":"EMA",\#(questionnaire)}]}"#
        return try #require(try ESMiraReader().decode(StudySource(Array(text.utf8))).tasks.first)
    }

    private static let page = #"""
        {"randomized":true,"header":"Now","footer":"Thank you","inputs":[{"name":"mood","responseType":"likert"},
        {"name":"place","responseType":"list_single","listChoices":["home"],"other":true},{"name":"calm","responseType":"binary"},
        {"name":"turn","responseType":"dynamic_input","subInputs":[{"name":"x","responseType":"binary"},{"name":"y","responseType":"list_single","listChoices":["b"],"other":true}]}]}
        """#

    private static func opened(_ task: StudyTask, _ opening: Int) -> OpenedTask {
        OpenedTask(task, opening: opening, chance: Sample.chance())
    }

    @Test func onlyTheInputsOfARandomizedPageChangePlaces() throws {
        let task = try Self.task(#""pages":[\#(Self.page)]"#)
        let orders = (1...300).map { Self.opened(task, $0).order }
        let turn = ["turn~part0", "turn~part1", "turn~part1~other"]
        for order in orders {
            #expect(order.first == "page1~header" && order.last == "page1~footer", "\(order)")
            let (place, first) = (order.firstIndex(of: "place") ?? 0, order.firstIndex(of: turn[0]) ?? 0)
            #expect(order[place + 1] == "place~other", "what other is comes right after the list")
            #expect(Array(order[first..<(first + 3)]) == turn, "one of them is asked, in the place of the input")
        }
        #expect(Set(orders).count == 24, "every order of four inputs comes")
        let inOrder = try Self.task(#""pages":[\#(Self.page.replacing("true,\"header\"", with: "false,\"header\""))]"#)
        #expect((1...20).allSatisfy { Self.opened(inOrder, $0).order == task.content.steps.map(\.key) })
    }

    /// What is sent has the study's order, whatever was asked first.
    @Test func theDatasetKeepsTheOrderOfTheStudy() throws {
        let page =
            #"{"randomized":true,"inputs":[{"name":"a","responseType":"binary"},{"name":"b","responseType":"binary"}]}"#
        let text = #"{"id":7,"version":1,"questionnaires":[{"internalId":71,"title":"EMA","pages":[\#(page)]}]}"#
        let study = try ESMiraReader().decode(StudySource(Array(text.utf8)))
        let task = try #require(study.tasks.first)
        let opened = try #require((1...20).map { Self.opened(task, $0) }.first { $0.order == ["b", "a"] })
        var navigator = Navigator(opened, facts: StudyFacts())
        _ = navigator.start()
        _ = navigator.answer(.boolean(true))
        _ = navigator.answer(.boolean(false))
        let occurrence = try #require(task.schedule.occurrences(of: task, in: Sample.context()).first)
        let context = WireContext(
            study: study, enrolment: Sample.enrolment(), zone: .utc, postURL: "https://s.example/")
        let submission = Submission(
            task: task.key, occurrence: occurrence, order: opened.order, answers: navigator.answers,
            drawn: opened.presets, submitted: Sample.start)
        let sent = study.writer.requests(for: .submitted(submission), at: Sample.start, in: context)
        let body = String(decoding: sent.first?.body ?? [], as: UTF8.self)
        #expect(body.contains(#""a":"0","b":"1""#), "\(body)")
    }

    @Test(arguments: [(nil, true), (true, true), (false, false)])
    func nobodyPagesBackWhereTheStudyDoesNotWantIt(_ setting: Bool?, _ isBackAllowed: Bool) throws {
        let more = setting.map { #""isBackEnabled":\#($0),"# } ?? ""
        let pages = ["a", "b"].map {
            #"{"inputs":[{"name":"\#($0)","responseType":"binary"},{"name":"\#($0)2","responseType":"binary"}]}"#
        }
        let task = try Self.task(#"\#(more)"pages":[\#(pages.joined(separator: ","))]"#)
        var navigator = Navigator(Self.opened(task, 1), facts: StudyFacts())
        _ = navigator.start()
        for key in ["a2", "b"] {
            _ = navigator.answer(.boolean(true))
            #expect(navigator.current?.key == key)
        }
        #expect((navigator.back()?.key == "a2") == isBackAllowed)
        if !isBackAllowed {
            _ = navigator.answer(.boolean(true))
            #expect(navigator.back()?.key == "b", "within a page everything can be seen and changed, as on the phone")
        }
    }
}
